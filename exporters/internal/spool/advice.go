// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// advice says what is probably wrong with a destination that does not take what it is sent, for the person
// who has to put it right; "" if nothing is known but the error.
func advice(err error, a answer) string {
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
	text := err.Error()
	for _, known := range []struct{ part, advice string }{
		{"server gave HTTP response to HTTPS client", "there is no TLS: the endpoint should begin with http://"},
		{"first record does not look like a TLS handshake", "there is no TLS: the endpoint should begin with http://"},
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
	wrongCredentials = "it does not accept the credentials: check OTEL_EXPORTER_OTLP_HEADERS"
	noService        = "there is no OTLP service for traces: check address, port and path"
	noOTLP           = "it also refuses a request without spans, so it may be no OTLP endpoint: check scheme, port and path"
	overloaded       = "it is overloaded"
)
