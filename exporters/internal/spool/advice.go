// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An explained error begins with what is probably wrong with the destination.
type explained struct {
	advice string
	err    error
}

func (e explained) Error() string { return fmt.Sprintf("%s (%v)", e.advice, e.err) }

func (e explained) Unwrap() error { return e.err }

// Explain makes the error of a client's request say what is probably wrong with the destination: see [Advice].
func Explain(ctx context.Context, request func(context.Context) error) error {
	ctx, a := withAnswer(ctx)
	return explain(request(ctx), *a)
}

// Advice is what an error of [Explain] or of a spool says is probably wrong with the destination; "" if nothing.
func Advice(err error) string {
	var e explained
	_ = errors.As(err, &e)
	return e.advice
}

func explain(err error, a answer) error {
	if err == nil || isPartial(err) || Advice(err) != "" {
		return err
	}
	text := advice(err, a)
	if a.status >= 300 && !strings.Contains(err.Error(), strconv.Itoa(a.status)) {
		err = fmt.Errorf("%s answered %d %s: %w", a.url, a.status, http.StatusText(a.status), err)
	}
	return advise(err, text)
}

// advise puts advice in front of an error that has none.
func advise(err error, text string) error {
	if err == nil || text == "" || Advice(err) != "" {
		return err
	}
	return explained{text, err}
}

// advice says what is probably wrong with a destination that does not take what it is sent, for the person
// who has to put it right; "" if nothing is known but the error.
func advice(err error, a answer) string {
	if a.success() && !a.otlp() {
		return noService
	}
	switch a.status {
	case 0:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return wrongCredentials
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return noService
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "a proxy answers that what is behind it is down"
	case http.StatusTooManyRequests:
		return overloaded
	}
	if a.status == http.StatusBadRequest && strings.HasPrefix(a.url, "http://") && broke(err) {
		return speaksTLS // it said so, and cut the connection before that could be read
	}
	text := err.Error()
	for _, known := range []struct{ part, advice string }{
		{"server gave HTTP response to HTTPS client", "there is no TLS: the endpoint should begin with http://"},
		{"first record does not look like a TLS handshake", "there is no TLS: the endpoint should begin with http://"},
		{"HTTP request to an HTTPS server", speaksTLS},
		{"HTTP request was sent to HTTPS port", speaksTLS},
		{"no application protocol", "it speaks TLS but no gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"},
		{"x509:", "its certificate is not trusted: OTEL_EXPORTER_OTLP_CERTIFICATE names those that are"},
		{"error reading server preface", "it speaks no gRPC, or TLS: check scheme and port, or set " +
			"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"},
		{"malformed HTTP", "it speaks no HTTP/1.1, or TLS: check scheme and port, or set OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
		{"connection refused", "nothing listens there: check address and port"},
		{"no such host", "there is no such host: check the address"},
	} {
		if strings.Contains(text, known.part) {
			return known.advice
		}
	}
	switch status.Code(err) {
	case codes.Unauthenticated, codes.PermissionDenied:
		return wrongCredentials
	case codes.Unimplemented:
		return noService
	case codes.ResourceExhausted:
		return overloaded
	case codes.DeadlineExceeded:
		return "it does not answer in time"
	}
	return ""
}

const (
	speaksTLS        = "it speaks TLS: the endpoint should begin with https://"
	wrongCredentials = "it does not accept the credentials: check OTEL_EXPORTER_OTLP_HEADERS"
	noService        = "there is no OTLP service: check address, port and path"
	noOTLP           = "it also refuses a request without spans, so it may be no OTLP endpoint: check scheme, port and path"
	overloaded       = "it is overloaded"
)
