// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An answer is what an HTTP destination said and its client keeps to itself.
type answer struct {
	status int
	after  time.Duration // Retry-After
	media  string        // the media type, such as text/html; "" if there is none
}

// otlp reports whether the content may be an OTLP response: protobuf, JSON, or none. A login
// page or a proxy's greeting is not, whatever its status.
func (a answer) otlp() bool {
	switch a.media {
	case "", "application/x-protobuf", "application/protobuf", "application/json":
		return true
	}
	return false
}

type answerKey struct{}

// withAnswer is a context whose requests, sent through a [Transport], fill in the
// answer.
func withAnswer(ctx context.Context) (context.Context, *answer) {
	a := new(answer)
	return context.WithValue(ctx, answerKey{}, a), a
}

// Transport lets a spool see status, Retry-After and media type of the answers to OTLP over HTTP, which
// OpenTelemetry's client keeps to itself: without it every failure counts as worth
// another try. Give otlptracehttp.WithHTTPClient a client with it. A nil next is
// [http.DefaultTransport].
func Transport(next http.RoundTripper) http.RoundTripper {
	next = cmp.Or(next, http.DefaultTransport)
	return transport{next}
}

type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if a, ok := r.Context().Value(answerKey{}).(*answer); ok && err == nil {
		*a = answer{
			status: response.StatusCode, after: retryAfter(response.Header.Get("Retry-After")),
			media: mediaType(response.Header.Get("Content-Type")),
		}
	}
	return response, err
}

// CloseIdleConnections does what http.Client expects of a transport.
func (t transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// mediaType is a Content-Type without its parameters, in lower case.
func mediaType(header string) string {
	media, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// retryAfter reads the header's seconds or date; what it cannot read is 0.
func retryAfter(value string) time.Duration {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}
