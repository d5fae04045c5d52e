// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package answer

import (
	"net/http"

	"github.com/toolscope/toolscope/internal/display"
)

// A Problem is an error as defined by RFC 9457. The type is omitted, which means about:blank: the title is the text of
// the status.
type Problem struct {
	Title  string `json:"title"`  // text of the HTTP status
	Status int    `json:"status"` // HTTP status code
	// Detail says what was got and what is wanted. It quotes what a client sent
	// at most shortened and escaped.
	Detail string `json:"detail,omitempty"`
	// Parameter is the query parameter that is wrong, if one is.
	Parameter string `json:"parameter,omitempty"`
	// Wanted lists the values that would be right, if they can be listed.
	Wanted []string `json:"wanted,omitempty"`
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// Write answers with the problem, which must not be stored by caches.
func (p *Problem) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Del("ETag")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(p.Status)
	titled := *p
	titled.Title = http.StatusText(p.Status)
	body, err := display.EncodeJSON(titled, "")
	if err != nil { // a struct of strings always encodes
		return
	}
	_, _ = w.Write(body)
}

// BadParameter is the problem of a query parameter.
func BadParameter(name, detail string, wanted ...string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Parameter: name, Detail: name + ": " + detail, Wanted: wanted}
}

// NotFound is the problem of something that does not exist.
func NotFound(detail string) *Problem { return &Problem{Status: http.StatusNotFound, Detail: detail} }

// Internal is the problem of an answer that could not be made.
func Internal(detail string) *Problem {
	return &Problem{Status: http.StatusInternalServerError, Detail: detail}
}
