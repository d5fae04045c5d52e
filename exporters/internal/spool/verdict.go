// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
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
	outcome  outcome       // of the spans, unless they are to be sent again
	tooLarge bool          // refused for its size alone
	quota    bool          // tooLarge, or out of resources: the destination does not say which
	hold     bool          // a fault of the set-up and not of the spans: no hurry to ask again
	evidence bool          // the spans may be the cause of a failure: a timeout, a reset, a fault of the destination
	wait     time.Duration // what the destination asked for
}

// maxWait bounds what a destination may ask for.
const maxWait = 5 * time.Minute

// judge classifies the error of a client by the OTLP specification
// (https://opentelemetry.io/docs/specs/otlp/, "Failures"), and keeps spans where that would drop
// them without their being at fault:
//   - credentials, path or method that are not accepted, and redirects: kept until the
//     configuration is corrected or the spans are too old;
//   - faults of the destination (HTTP 5xx and 408, gRPC Internal and Unknown): sent again;
//   - a success that is not OTLP's, such as a login page: kept.
//
// A refusal is final only if the destination accepts an empty request as well: see
// [Spool.attempt].
func judge(err error, a answer) verdict {
	switch {
	case a.success() && !a.otlp():
		return verdict{hold: true, err: explain(cmp.Or(err, error(errNoOTLP{a})), a)}
	case a.success() || err == nil || isPartial(err):
		// An answer that broke off after the status was an answer.
		return verdict{fate: delivered, err: partial(err), outcome: outcome{partial: rejected(err)}}
	}
	v := verdict{err: explain(err, a)}
	if a.status != 0 {
		v.judgeHTTP(a)
	} else if s, ok := status.FromError(err); ok {
		v.judgeGRPC(s)
	} else {
		v.evidence = broke(err)
	}
	v.wait = min(v.wait, maxWait)
	return v
}

// broke reports whether a connection that had been established was cut, or the time was over.
func broke(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, errPanicked)
}

func (v *verdict) judgeHTTP(a answer) {
	switch {
	case a.status < 400: // a redirect that was not followed is no answer to the spans
		v.hold = true
	case a.status >= 500 || a.status == http.StatusRequestTimeout || a.status == http.StatusTooEarly:
		v.wait = a.after
		v.hold = a.status == http.StatusNotImplemented
		v.evidence = a.status == http.StatusInternalServerError || a.status == http.StatusRequestTimeout
	default:
		switch a.status {
		case http.StatusTooManyRequests:
			v.wait = a.after
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
			http.StatusProxyAuthRequired:
			v.hold = true
		default:
			v.fate, v.tooLarge = refused, a.status == http.StatusRequestEntityTooLarge
		}
	}
}

func (v *verdict) judgeGRPC(s *status.Status) {
	info, throttled := retryInfo(s)
	switch s.Code() {
	case codes.Unavailable:
		// gRPC reports a connection that breaks during a request with this code, too.
		v.wait, v.evidence = info, !throttled && strings.Contains(s.Message(), "error reading from server")
	case codes.Canceled, codes.Aborted, codes.OutOfRange:
		v.wait = info
	case codes.DeadlineExceeded, codes.DataLoss, codes.Internal, codes.Unknown:
		v.wait, v.evidence = info, !throttled
	case codes.ResourceExhausted:
		if v.wait = info; !throttled {
			v.fate, v.tooLarge, v.quota = refused, true, true
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
