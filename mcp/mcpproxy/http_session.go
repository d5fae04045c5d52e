// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"crypto/sha256"
	"fmt"
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

// sessionKey is an id as sessions are told apart by: of a longer one than maxID the hash.
func sessionKey(id string) string {
	if len(id) <= maxID {
		return id
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(id)))
}

// of is the session of an id. Without one the answer may give one; else the session lives for
// the request only.
func (h *httpSessions) of(id string) *session {
	id = sessionKey(id)
	s := h.find(id)
	if s == nil && id != "" { // what passed may have told it, and not been looked at
		_ = h.w.Settle(context.Background()) // the Watcher's goroutine waits for nobody
		s = h.find(id)
	}
	if s != nil {
		return s
	}
	s = newSession(h.w, id)
	s.http, s.sessions = true, h
	if id == "" {
		s.fleeting, s.tools, s.suspended = true, &h.tools, &h.w.suspended
		s.join()
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.byID[id]; other != nil { // two requests at once
		return other
	}
	s.join()
	h.add(id, s)
	return s
}

// find is the session that was given an id, nil for none.
func (h *httpSessions) find(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.byID[id]
	if s != nil {
		s.used = time.Now()
	}
	return s
}

// keep remembers a session that was to live for one request, and was given an id; the caller holds
// the lock.
func (h *httpSessions) keep(id string, s *session) {
	s.name(id)
	s.fleeting = false
	h.w.tap.later(func() { s.suspended = new(suspended) })
	h.add(id, s)
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

// fleeting reports whether a session lives for one request.
func (h *httpSessions) fleeting(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.fleeting
}

// remove closes a session; the caller holds the lock.
func (h *httpSessions) remove(id string) {
	if s := h.byID[id]; s != nil {
		delete(h.byID, id)
		h.w.tap.do(func() { s.close(time.Now(), nil) })
	}
}

// answered learns of an answer's status, and of the session that it gave: one that begins, or
// one that ends.
func (h *httpSessions) answered(x *httpExchange, status int, given string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	given = sessionKey(given)
	if given != "" && x.session.fleeting && h.byID[given] == nil {
		h.keep(given, x.session)
	}
	if x.method == http.MethodDelete && status < 300 || status == http.StatusNotFound {
		h.remove(sessionKey(x.asked))
	}
}

// events finds the session of a stream of the older transport, which names the address to
// send to in its first event.
func (h *httpSessions) events(s *stream, x *httpExchange) {
	take, named := s.take, ""
	s.take = func(f frame) {
		s.take = take
		u, err := url.Parse(string(f.data))
		if len(f.data) == 0 || f.data[0] == '{' || err != nil || sessionOf(u.RawQuery) == "" {
			take(f)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if named = sessionOf(u.RawQuery); h.byID[named] == nil && x.session.fleeting {
			h.keep(named, x.session)
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

// sessionOf is the session's id in the query of an address; "" without one.
func sessionOf(query string) string {
	if query == "" {
		return ""
	}
	values, _ := url.ParseQuery(query) // what can be read of it
	for key, values := range values {
		if k := strings.ToLower(strings.ReplaceAll(key, "_", "")); k == "sessionid" && len(values) > 0 {
			return sessionKey(values[0])
		}
	}
	return ""
}
