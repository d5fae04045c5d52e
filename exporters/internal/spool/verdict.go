// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A fate is what becomes of spans after a request.
type fate int

const (
	retry     fate = iota // to be sent again
	delivered             // taken
	refused               // never to be sent again
	counted               // sent in parts, of which each was counted
)

// A verdict is how a request went.
type verdict struct {
	fate     fate
	err      error
	rejected int           // spans that the destination did not take, of a batch that it took
	tooLarge bool          // refused for its size alone
	hold     bool          // a fault of the set-up and not of the spans: no hurry to ask again
	wait     time.Duration // what the destination asked for
}

// maxWait bounds what a destination may ask for.
const maxWait = 5 * time.Minute

// judge tells what an error of a client means, by the OTLP specification
// (https://opentelemetry.io/docs/specs/otlp/, "Failures"). It differs in one point: a destination
// that does not know us or the service (credentials, path) says nothing of the spans, so
// that they are kept until it is put right or they are too old. An error that says
// nothing of itself, such as a broken connection, is worth another try.
func judge(err error, a answer) verdict {
	if a.status >= 200 && a.status < 300 || err == nil || isPartial(err) {
		// An answer that broke off after the status was an answer.
		return verdict{fate: delivered, err: partial(err), rejected: rejected(err)}
	}
	v := verdict{err: err}
	switch {
	case a.status != 0:
		v.judgeHTTP(a)
	default:
		if s, ok := status.FromError(err); ok {
			v.judgeGRPC(s)
		}
	}
	v.wait = min(v.wait, maxWait)
	return v
}

func (v *verdict) judgeHTTP(a answer) {
	switch a.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		v.wait = a.after
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusProxyAuthRequired:
		v.hold = true
	case http.StatusRequestEntityTooLarge:
		v.fate, v.tooLarge = refused, true
	default:
		if v.hold = a.status < 400; !v.hold { // a redirect that was not followed is no answer to the spans
			v.fate = refused
		}
	}
}

func (v *verdict) judgeGRPC(s *status.Status) {
	info, throttled := retryInfo(s)
	switch s.Code() {
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		v.wait = info
	case codes.ResourceExhausted:
		if v.wait = info; !throttled {
			v.fate, v.tooLarge = refused, true
		}
	case codes.Unauthenticated, codes.PermissionDenied, codes.Unimplemented:
		v.hold = true
	default:
		v.fate = refused
	}
}

func retryInfo(s *status.Status) (wait time.Duration, ok bool) {
	for _, detail := range s.Details() {
		if info, is := detail.(*errdetails.RetryInfo); is {
			return max(0, info.GetRetryDelay().AsDuration()), true
		}
	}
	return 0, false
}

// OpenTelemetry's clients tell of a partial success by an error of an internal type.
const partialSuccess = "OTLP partial success: "

func isPartial(err error) bool { return strings.HasPrefix(err.Error(), partialSuccess) }

func partial(err error) error {
	if err != nil && isPartial(err) {
		return err
	}
	return nil
}

// rejected is how many spans a partial success did not take. A destination can write the
// text before that number, but not behind it.
func rejected(err error) (n int) {
	if err == nil {
		return 0
	}
	text := err.Error()
	if i := strings.LastIndex(text, "("); i >= 0 {
		_, _ = fmt.Sscanf(text[i:], "(%d spans rejected)", &n) // else 0
	}
	return max(n, 0)
}
