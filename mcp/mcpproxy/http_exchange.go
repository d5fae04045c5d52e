// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"time"
)

// httpExchange is a request and its answer. What it begins ends with it: once nothing more comes of
// the request, which an answer may outrun, and once the answer has come or will not.
type httpExchange struct {
	session *session
	method  string
	asked   string // the session's id in the request's header

	// These belong to the Watcher's goroutine once anything of the exchange is in the tap.
	asking bool           // more comes of the request
	begun  []operationKey // what the request began
	failed *wireError     // what was begun will not be answered
	over   bool           // nothing more comes of the answer
}

type httpExchangeKey struct{}

func withExchange(r *http.Request, x *httpExchange) context.Context {
	return context.WithValue(r.Context(), httpExchangeKey{}, x)
}

// exchange is one for a request, with the session it belongs to.
func (h *httpProxy) exchange(method, asked, query string) *httpExchange {
	id := asked
	if id == "" { // of the older transport over server-sent events
		id = sessionOf(query)
	}
	return &httpExchange{session: h.sessions.find(id), method: method, asked: asked}
}

// stream is one for a body of the exchange, whose requests it remembers. The one of the request must
// come to its end, and be made before anything of the exchange is in the tap.
func (h *httpProxy) stream(x *httpExchange, from side, framing framing) *stream {
	s := x.session.stream(from, framing)
	if from == fromClient {
		x.session.noteRequests(s, func(keys []operationKey) { x.begun = append(x.begun, keys...) })
		x.asking = true
		s.onEnd = func(time.Time) {
			x.asking = false
			h.settle(x)
		}
	}
	return s
}

// answered learns of the head of an answer, and gives the stream that its body is; nil for one
// that is not looked at.
func (h *httpProxy) answered(x *httpExchange, status int, session, contentType, encoding string) *stream {
	h.sessions.answered(x, status, session)
	if status >= 400 {
		h.ended(x, statusError(status))
		return nil
	}
	framing, ok := framingOf(contentType, encoding)
	if !ok {
		return nil
	}
	s := h.stream(x, fromServer, framing)
	switch {
	case framing == byEnd:
		s.onEnd = func(time.Time) {
			if s.torn { // of a stream the rest may come in another one
				x.failed = errUnanswered
				h.settle(x)
			}
		}
	case x.method == http.MethodGet:
		h.sessions.nameByEvent(s, x)
	}
	return s
}

// ended ends what a request began and what will not be answered.
func (h *httpProxy) ended(x *httpExchange, err *wireError) {
	h.w.tap.callLater(func() {
		x.failed = err
		h.settle(x)
	})
}

// over takes note that nothing more comes of an answer: a session that lived for it ends.
func (h *httpProxy) over(x *httpExchange) {
	if !x.session.fleeting.Load() {
		return
	}
	h.w.tap.callLater(func() {
		x.over = true
		h.settle(x)
	})
}

// settle ends what is to end once nothing more comes of the request.
func (h *httpProxy) settle(x *httpExchange) {
	if x.asking {
		return
	}
	if x.failed != nil {
		x.session.refuse(x.begun, x.failed)
		x.begun = nil
	}
	if x.over && x.session.fleeting.Load() {
		h.w.end(x.session, time.Now(), nil)
	}
}

// statusError is how a request ended that the server, or what stands before it, refused as such.
func statusError(status int) *wireError {
	return newWireError(fmt.Sprintf("http_%d", status), "the server answered with HTTP status "+http.StatusText(status))
}

// isJSON reports whether a body of a content type is a message.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// framingOf is how an answer's body is cut into frames; false if it has none, or is compressed.
func framingOf(contentType, encoding string) (framing, bool) {
	if encoding != "" && encoding != "identity" {
		return 0, false
	}
	if isJSON(contentType) {
		return byEnd, true
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	return byEvent, kind == "text/event-stream"
}
