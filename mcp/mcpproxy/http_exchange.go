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
	return &httpExchange{session: h.sessions.of(id), method: method, asked: asked}
}

// stream is one for a body of the exchange, whose requests it remembers. The one of the request must
// come to its end, and be made before anything of the exchange is in the tap.
func (h *httpProxy) stream(x *httpExchange, from side, framing framing) *stream {
	s := x.session.stream(from, framing)
	if from == fromClient {
		s.take = func(f frame) {
			x.session.noting, x.session.begun = true, nil
			x.session.frame(from, f)
			x.session.noting, x.begun = false, append(x.begun, x.session.begun...)
		}
		x.asking = true
		s.ended = func(time.Time) {
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
		s.ended = func(time.Time) {
			if s.torn { // of a stream the rest may come in another one
				x.failed = errUnanswered
				h.settle(x)
			}
		}
	case x.method == http.MethodGet:
		h.sessions.events(s, x)
	}
	return s
}

// ended ends what a request began and what will not be answered.
func (h *httpProxy) ended(x *httpExchange, err *wireError) {
	h.w.tap.later(func() {
		x.failed = err
		h.settle(x)
	})
}

// over takes note that nothing more comes of an answer: a session that lived for it ends.
func (h *httpProxy) over(x *httpExchange) {
	if !h.sessions.fleeting(x.session) {
		return
	}
	h.w.tap.later(func() {
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
		x.end(x.failed)
	}
	if x.over && h.sessions.fleeting(x.session) {
		x.session.close(time.Now(), nil)
	}
}

// end ends what the request began and nobody answered.
func (x *httpExchange) end(err *wireError) {
	for _, key := range x.begun {
		o := x.session.open[key]
		if o == nil {
			continue
		}
		delete(x.session.open, key)
		if err == errUnanswered && o.call() {
			x.session.w.notes.add(note{kind: noteUnanswered, session: x.session, tool: o.label()})
		}
		o.finish(time.Now(), &outcome{err: err})
	}
	x.begun = nil
}

// statusError is how a request ended that the server, or what stands before it, refused as such.
func statusError(status int) *wireError {
	return &wireError{fmt.Sprintf("http_%d", status), "the server answered with HTTP status " + http.StatusText(status)}
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
