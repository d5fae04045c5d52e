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

// maxHTTPSessions is how many sessions over HTTP are told apart; of more the one that was
// used longest ago is forgotten.
const maxHTTPSessions = 1024

// httpSessions are the sessions over HTTP. Safe for concurrent use.
type httpSessions struct {
	w     *watcher
	tools toolTable // of servers that have no sessions

	mu   sync.Mutex
	byID map[string]usedSession
}

// usedSession is a session, and when a request of it came last.
type usedSession struct {
	*session
	used time.Time
}

// sessionKey is an id as sessions are told apart by: of a longer one than maxID the hash.
func sessionKey(id string) string {
	if len(id) <= maxID {
		return id
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(id)))
}

// find is the session of an id. Without one the answer may give one; else the session lives for
// the request only.
func (h *httpSessions) find(id string) *session {
	id = sessionKey(id)
	s := h.known(id)
	if s == nil && id != "" { // what passed may have named it, and not been decoded
		_ = h.w.Settle(context.Background()) // the goroutine of the tap waits for no client
		s = h.known(id)
	}
	if s != nil {
		return s
	}
	s = newHTTPSession(h.w.engine, id, &h.tools)
	if id == "" {
		h.w.join(s)
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.byID[id].session; other != nil { // two requests at once
		return other
	}
	h.w.join(s)
	h.remember(id, s)
	return s
}

// known is the session that was given an id, nil for none.
func (h *httpSessions) known(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.byID[id]
	if s.session != nil {
		h.byID[id] = usedSession{s.session, time.Now()}
	}
	return s.session
}

// remember keeps a session under an id; the caller holds the lock.
func (h *httpSessions) remember(id string, s *session) {
	if len(h.byID) >= maxHTTPSessions {
		oldest := ""
		for id, s := range h.byID {
			if oldest == "" || s.used.Before(h.byID[oldest].used) {
				oldest = id
			}
		}
		h.remove(oldest)
	}
	h.byID[id] = usedSession{s, time.Now()}
}

// remove closes a session; the caller holds the lock.
func (h *httpSessions) remove(id string) {
	if s := h.byID[id].session; s != nil {
		delete(h.byID, id)
		h.w.tap.callNow(func() { h.w.end(s, time.Now(), nil) })
	}
}

// answered learns of an answer's status, and of the session that it gave: one that begins, or
// one that ends.
func (h *httpSessions) answered(x *httpExchange, status int, given string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	given = sessionKey(given)
	if given != "" {
		h.keep(given, x.session)
	}
	if x.method == http.MethodDelete && status < 300 || status == http.StatusNotFound {
		h.remove(sessionKey(x.asked))
	}
}

// keep remembers a session that was to live for one request, and was given an id; the caller holds the lock.
func (h *httpSessions) keep(id string, s *session) {
	if s.fleeting.Load() && h.byID[id].session == nil {
		s.keep(id)
		h.remember(id, s)
	}
}

// nameByEvent finds the session of a stream of the older transport, which names the address to send to in its
// first event.
func (h *httpSessions) nameByEvent(s *stream, x *httpExchange) {
	onFrame, named := s.onFrame, ""
	s.onFrame = func(f frame) {
		s.onFrame = onFrame
		u, err := url.Parse(string(f.data))
		if len(f.data) == 0 || f.data[0] == '{' || err != nil || sessionOf(u.RawQuery) == "" {
			onFrame(f)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		named = sessionOf(u.RawQuery)
		h.keep(named, x.session)
	}
	s.onEnd = func(time.Time) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.byID[named].session == x.session {
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
