// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

type httpExchangeKey struct{}

func withExchange(r *http.Request, x *HTTPExchange) context.Context {
	return context.WithValue(r.Context(), httpExchangeKey{}, x)
}

// exchange is one for a request, with the session it belongs to.
func (h *Proxy) exchange(method, asked, query string) *HTTPExchange {
	id := asked
	if id == "" { // of the older transport over server-sent events
		id = sessionOf(query)
	}
	return &HTTPExchange{Session: h.Sessions.Find(id), Method: method, Asked: asked}
}

// stream is one for a body of the exchange, whose requests it remembers. The one of the request must
// come to its end, and be made before anything of the exchange is in the tap.
func (h *Proxy) stream(x *HTTPExchange, from watch.Side, framing frames.Framing) *frames.Stream {
	s := x.Session.Stream(from, framing)
	if from == watch.FromClient {
		x.Session.NoteRequests(s, func(keys []watch.OperationKey) { x.begun = append(x.begun, keys...) })
		x.asking = true
		s.OnEnd = func(time.Time) {
			x.asking = false
			h.settle(x)
		}
	}
	return s
}

// answered learns of the head of an answer, and gives the stream that its body is; nil for one
// that is not looked at.
func (h *Proxy) answered(x *HTTPExchange, status int, session, contentType, encoding string) *frames.Stream {
	h.Sessions.Answered(x, status, session)
	if status >= 400 {
		h.ended(x, statusError(status))
		return nil
	}
	framing, ok := framingOf(contentType, encoding)
	if !ok {
		return nil
	}
	s := h.stream(x, watch.FromServer, framing)
	switch {
	case framing == frames.ByEnd:
		s.OnEnd = func(time.Time) {
			if s.Torn { // of a stream the rest may come in another one
				x.failed = watch.ErrUnanswered
				h.settle(x)
			}
		}
	case x.Method == http.MethodGet:
		h.Sessions.nameByEvent(s, x)
	}
	return s
}

// ended ends what a request began and what will not be answered.
func (h *Proxy) ended(x *HTTPExchange, err *watch.WireError) {
	h.w.Tap.CallLater(func() {
		x.failed = err
		h.settle(x)
	})
}

// over takes note that nothing more comes of an answer: a session that lived for it ends.
func (h *Proxy) over(x *HTTPExchange) {
	if !x.Session.Fleeting.Load() {
		return
	}
	h.w.Tap.CallLater(func() {
		x.over = true
		h.settle(x)
	})
}

// settle ends what is to end once nothing more comes of the request.
func (h *Proxy) settle(x *HTTPExchange) {
	if x.asking {
		return
	}
	if x.failed != nil {
		x.Session.Refuse(x.begun, x.failed)
		x.begun = nil
	}
	if x.over && x.Session.Fleeting.Load() {
		h.w.End(x.Session, time.Now(), nil)
	}
}

// statusError is how a request ended that the server, or what stands before it, refused as such.
func statusError(status int) *watch.WireError {
	return watch.NewWireError(fmt.Sprintf("http_%d", status), "the server answered with HTTP status "+http.StatusText(status))
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
func framingOf(contentType, encoding string) (frames.Framing, bool) {
	if encoding != "" && encoding != "identity" {
		return 0, false
	}
	if isJSON(contentType) {
		return frames.ByEnd, true
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	return frames.ByEvent, kind == "text/event-stream"
}
