// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"net/http"
)

// problem is an error as RFC 9457 has it. The type is left out, which means
// about:blank: the title is then that of the status.
type problem struct {
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

func (p *problem) Error() string { return p.Detail }

// write answers with the problem. Nobody may store it.
func (p *problem) write(w http.ResponseWriter) {
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
	body, err := encodeJSON(titled, "")
	if err != nil { // a struct of strings always encodes
		return
	}
	_, _ = w.Write(body)
}

// badParameter is the problem of a query parameter.
func badParameter(name, detail string, wanted ...string) *problem {
	return &problem{Status: http.StatusBadRequest, Parameter: name, Detail: name + ": " + detail, Wanted: wanted}
}

// notFound is the problem of something that is not there.
func notFound(detail string) *problem { return &problem{Status: http.StatusNotFound, Detail: detail} }
