// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An answer is what an HTTP destination said and its client keeps to itself.
type answer struct {
	url    string // without user and password
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
// answer: the one that ctx already has, if it has one.
func withAnswer(ctx context.Context) (context.Context, *answer) {
	if a, ok := ctx.Value(answerKey{}).(*answer); ok {
		return ctx, a
	}
	a := new(answer)
	return context.WithValue(ctx, answerKey{}, a), a
}

// Transport makes success mean that OTLP was spoken: a 2xx answer with the content of something else, such as a
// login page, is an error. It also lets a spool and [Explain] see status, Retry-After and media type, which
// OpenTelemetry's client keeps to itself: without it every failure counts as worth another try. Give
// otlptracehttp.WithHTTPClient a client with it. A nil next is [http.DefaultTransport].
func Transport(next http.RoundTripper) http.RoundTripper {
	next = cmp.Or(next, http.DefaultTransport)
	return transport{next}
}

type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ContentLength == 0 && r.Body != nil && r.Body != http.NoBody {
		// net/http sends an empty body of unknown length in chunks, which some servers refuse.
		_ = r.Body.Close()
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	a := answer{
		url: r.URL.Redacted(), status: response.StatusCode, after: retryAfter(response.Header.Get("Retry-After")),
		media: mediaType(response.Header.Get("Content-Type")),
	}
	if to, ok := r.Context().Value(answerKey{}).(*answer); ok {
		*to = a
	}
	if a.success() && !a.otlp() {
		_ = response.Body.Close()
		return nil, errNoOTLP{a}
	}
	return response, nil
}

// errNoOTLP is the error of a success that is none of OTLP.
type errNoOTLP struct{ answer }

func (e errNoOTLP) Error() string {
	return fmt.Sprintf("the endpoint answered %d with %s, want an OTLP response", e.status, e.media)
}

func (a answer) success() bool { return a.status >= 200 && a.status < 300 }

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
