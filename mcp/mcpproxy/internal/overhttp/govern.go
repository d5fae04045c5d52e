// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// govern reads a request, and lets the policies govern it if it is a call of a tool. What they cannot
// govern is refused; where there are none it passes as it is.
func (h *Proxy) govern(out http.ResponseWriter, r *http.Request, x *HTTPExchange) {
	strict := h.w.Governs()
	if strict && r.Header.Get("Upgrade") != "" { // another protocol is not offered to the server: the proxy could not read it
		r.Header.Del("Upgrade")
		x.Session.Record(watch.Note{Kind: watch.NoteRefused, Text: "an Upgrade to another protocol, without which the request went on"})
	}
	if h.w.PinTools { // a list has to be read
		r.Header.Set("Accept-Encoding", "identity")
	}
	o := refusedHead(r)
	switch {
	case o.got != "" && strict && h.otherPost(out, r):
		h.forward(out, r.WithContext(withExchange(r, x)))
		return
	case o.got != "" && strict:
		h.refuse(out, x, o, jsontext.Value("null"))
		return
	case o.got != "" || r.Method != http.MethodPost:
		h.passOn(out, r, x)
		return
	}
	body, o := readMessage(out, r)
	if o.got != "" {
		h.refuse(out, x, o, jsontext.Value("null"))
		return
	}
	if strict {
		r.Trailer = nil // which some servers take for headers
	}
	h.governMessage(out, r, x, body)
}

// readMessage reads the body of a request.
func readMessage(out http.ResponseWriter, r *http.Request) ([]byte, objection) {
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, govern.MaxGoverned))
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return nil, objection{
			http.StatusRequestEntityTooLarge, wire.CodeInvalidRequest,
			"a message of more than 16 MiB: want less, so that policies can govern it",
		}
	}
	if err != nil {
		return nil, objection{
			http.StatusBadRequest, wire.CodeInvalidRequest, "a body that could not be read to its end: want all of it",
		}
	}
	return body, objection{}
}

// governMessage is govern for a message that was read.
func (h *Proxy) governMessage(out http.ResponseWriter, r *http.Request, x *HTTPExchange, body []byte) {
	strict := h.w.Governs()
	m, got := wire.ReadStrict(body)
	o := objection{http.StatusBadRequest, wire.CodeInvalidRequest, got}
	p := m.ReadParams()
	var tool *toolkit.Definition
	if got == "" && m.Method == wire.MethodCallTool {
		_ = h.w.SettleLists(r.Context()) // so that the tools that were just listed are known
		tool = x.Session.Tools.Lookup(p.Name)
	}
	if got == "" && strict {
		o = mismatch(mirror.Contradicted(r.Header, sessionOf(r.URL.RawQuery) != "", &m, &p, tool))
	}
	switch {
	case o.got != "" && strict && h.elsewhere(r) && otherJSON(body):
		putBack(r, body)
		h.forward(out, r.WithContext(withExchange(r, x)))
	case o.got != "" && strict:
		h.refuse(out, x, o, wire.RefusedID(body))
	case o.got == "" && m.Method == wire.MethodCancelled:
		h.cancel(out, r, x, body, &p)
	case o.got != "" || m.Method != wire.MethodCallTool:
		putBack(r, body)
		h.passOn(out, r, x)
	case sessionOf(r.URL.RawQuery) != "":
		o := objection{
			http.StatusNotImplemented, wire.CodeInvalidRequest,
			"a call over the older transport of server-sent events: want streamable HTTP, so that policies can govern it",
		}
		(&httpCall{h: h, x: x}).refuse(r.Context(), &m, &p, o)
		h.refuse(out, x, o, m.ID)
	default:
		(&httpCall{h: h, x: x, request: r, out: out, tool: tool}).govern(body, &m, &p)
	}
}

// cancel ends the call that a client gave up, and forwards the notification if the server knows the call.
func (h *Proxy) cancel(out http.ResponseWriter, r *http.Request, x *HTTPExchange, body []byte, p *wire.Params) {
	sentAs, forward := h.running.cancel(r.Context(), x.Session, string(p.RequestID))
	if !forward {
		out.WriteHeader(http.StatusAccepted)
		return
	}
	if sentAs != string(p.RequestID) { // the request has one
		body, _ = wire.Splice(body, []byte(sentAs), "params", "requestId")
	}
	putBack(r, body)
	h.passOn(out, r, x)
}

// putBack has a request have a body that was read.
func putBack(r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
