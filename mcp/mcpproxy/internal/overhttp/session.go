// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// maxHTTPSessions is how many sessions over HTTP are tracked; beyond that the one that was
// used longest ago is forgotten.
const maxHTTPSessions = 1024

// httpSessions are the sessions over HTTP. Safe for concurrent use.
type httpSessions struct {
	w     *watch.Watcher
	tools watch.ToolTable // of servers that have no sessions

	mu   sync.Mutex
	ByID map[string]usedSession
}

// usedSession is a session, and when a request of it came last.
type usedSession struct {
	*watch.Session
	used time.Time
}

// sessionKey is an id as the key of a session: the hash of an id longer than maxID.
func sessionKey(id string) string {
	if len(id) <= wire.MaxID {
		return id
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(id)))
}

// Find is the session of an id. Without one the answer may give one; else the session lives for
// the request only.
func (h *httpSessions) Find(id string) *watch.Session {
	id = sessionKey(id)
	s := h.known(id)
	if s == nil && id != "" { // what passed may have named it, and not been decoded
		_ = h.w.Settle(context.Background()) // the goroutine of the tap waits for no client
		s = h.known(id)
	}
	if s != nil {
		return s
	}
	s = watch.NewHTTPSession(h.w.Engine, id, &h.tools)
	if id == "" {
		h.w.Join(s)
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if other := h.ByID[id].Session; other != nil { // two requests at once
		return other
	}
	h.w.Join(s)
	h.remember(id, s)
	return s
}

// known is the session that was given an id, nil for none.
func (h *httpSessions) known(id string) *watch.Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.ByID[id]
	if s.Session != nil {
		h.ByID[id] = usedSession{s.Session, time.Now()}
	}
	return s.Session
}

// remember keeps a session under an id; the caller holds the lock.
func (h *httpSessions) remember(id string, s *watch.Session) {
	if len(h.ByID) >= maxHTTPSessions {
		oldest := ""
		for id, s := range h.ByID {
			if oldest == "" || s.used.Before(h.ByID[oldest].used) {
				oldest = id
			}
		}
		h.remove(oldest)
	}
	h.ByID[id] = usedSession{s, time.Now()}
}

// remove closes a session; the caller holds the lock.
func (h *httpSessions) remove(id string) {
	if s := h.ByID[id].Session; s != nil {
		delete(h.ByID, id)
		h.w.Tap.CallNow(func() { h.w.End(s, time.Now(), nil) })
	}
}

// Answered learns of an answer's status, and of the session that it gave: one that begins, or
// one that ends.
func (h *httpSessions) Answered(x *HTTPExchange, status int, given string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	given = sessionKey(given)
	if given != "" {
		h.keep(given, x.Session)
	}
	if x.Method == http.MethodDelete && status < 300 || status == http.StatusNotFound {
		h.remove(sessionKey(x.Asked))
	}
}

// keep remembers a session that was to live for one request, and was given an id; the caller holds the lock.
func (h *httpSessions) keep(id string, s *watch.Session) {
	if s.Fleeting.Load() && h.ByID[id].Session == nil {
		s.Keep(id)
		h.remember(id, s)
	}
}

// nameByEvent finds the session of a stream of the older transport, which names the address to send to in its
// first event.
func (h *httpSessions) nameByEvent(s *frames.Stream, x *HTTPExchange) {
	onFrame, named := s.OnFrame, ""
	s.OnFrame = func(f frames.Frame) {
		s.OnFrame = onFrame
		u, err := url.Parse(string(f.Data))
		if len(f.Data) == 0 || f.Data[0] == '{' || err != nil || sessionOf(u.RawQuery) == "" {
			onFrame(f)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		named = sessionOf(u.RawQuery)
		h.keep(named, x.Session)
	}
	s.OnEnd = func(time.Time) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.ByID[named].Session == x.Session {
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
