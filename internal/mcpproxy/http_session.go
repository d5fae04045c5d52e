// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// sessionHeader carries the id of a session of streamable HTTP.
const sessionHeader = "Mcp-Session-Id"

// maxHTTPSessions is how many sessions over HTTP are told apart; of more the one that was
// used longest ago is forgotten.
const maxHTTPSessions = 1024

// httpSessions are the sessions over HTTP. Safe for concurrent use.
type httpSessions struct {
	w     *Watcher
	tools toolTable // of servers that have no sessions

	mu   sync.Mutex
	byID map[string]*session
}

func withExchange(r *http.Request, x *httpExchange) context.Context {
	return context.WithValue(r.Context(), httpExchangeKey{}, x)
}

// of is the session that a request belongs to. One without an id may be given one by the
// answer; else the session lives for the request only.
func (h *httpSessions) of(r *http.Request) *session {
	id := r.Header.Get(sessionHeader)
	if id == "" { // of the older transport over server-sent events
		id = sessionOf(r.URL)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.byID[id]; s != nil && id != "" {
		s.used = time.Now()
		return s
	}
	if id == "" {
		s := newSession(h.w, "")
		s.http, s.fleeting, s.tools = true, true, &h.tools
		s.join()
		return s
	}
	s := newSession(h.w, id)
	s.http = true
	s.join()
	h.add(id, s)
	return s
}

// add remembers a session under an id; the caller holds the lock.
func (h *httpSessions) add(id string, s *session) {
	if len(h.byID) >= maxHTTPSessions {
		oldest := ""
		for id, s := range h.byID {
			if oldest == "" || s.used.Before(h.byID[oldest].used) {
				oldest = id
			}
		}
		h.remove(oldest)
	}
	s.used = time.Now()
	h.byID[id] = s
}

// over closes a session that lived for one request.
func (h *httpSessions) over(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.fleeting {
		h.w.tap.do(func() { s.close(time.Now(), nil) })
	}
}

// remove closes a session; the caller holds the lock.
func (h *httpSessions) remove(id string) {
	if s := h.byID[id]; s != nil {
		delete(h.byID, id)
		h.w.tap.do(func() { s.close(time.Now(), nil) })
	}
}

// answered learns of an answer's headers: a session that begins, or that ends.
func (h *httpSessions) answered(resp *http.Response, x *httpExchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if given := resp.Header.Get(sessionHeader); given != "" && x.session.fleeting && h.byID[given] == nil {
		x.session.name(given)
		x.session.fleeting = false
		h.add(given, x.session)
	}
	if resp.Request.Method == http.MethodDelete && resp.StatusCode < 300 || resp.StatusCode == http.StatusNotFound {
		h.remove(resp.Request.Header.Get(sessionHeader))
	}
}

// events finds the session of a stream of the older transport, which names the address to
// send to in its first event.
func (h *httpSessions) events(s *stream, x *httpExchange) {
	take, named := s.take, ""
	s.take = func(f frame) {
		s.take = take
		u, err := url.Parse(string(f.data))
		if len(f.data) == 0 || f.data[0] == '{' || err != nil || sessionOf(u) == "" {
			take(f)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if named = sessionOf(u); h.byID[named] == nil && x.session.fleeting {
			x.session.name(named)
			x.session.fleeting = false
			h.add(named, x.session)
		}
	}
	s.ended = func(time.Time) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.byID[named] == x.session {
			h.remove(named)
		}
	}
}

// sessionOf is the session's id in an address; "" without one.
func sessionOf(u *url.URL) string {
	for key, values := range u.Query() {
		if k := strings.ToLower(strings.ReplaceAll(key, "_", "")); k == "sessionid" && len(values) > 0 && len(values[0]) <= maxID {
			return values[0]
		}
	}
	return ""
}
