// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A Stop ends a session, an agent, a tool or everything: the calls that run are cancelled, those that wait for a person
// are rejected, and further ones are refused (permission_denied), until [Policy.Resume] or the end of the program.
// Calls that run are cancelled if the policy is served over HTTP.
type Stop struct {
	Kind   string    `json:"kind"`             // session, agent, tool or all
	Name   string    `json:"name,omitempty"`   // id of the session, or name of the agent or tool; "" for all
	By     string    `json:"by,omitempty"`     // name of the person
	Reason string    `json:"reason,omitempty"` // text for the model and the audit log
	At     time.Time `json:"at"`               // when it was stopped; set by [Policy.Stop]
}

// maxStops bounds how much is stopped one by one.
const maxStops = 1000

// matches reports whether the stop is for a call.
func (s *Stop) matches(tool string, session *toolkit.Session) bool {
	switch s.Kind {
	case "all":
		return true
	case "tool":
		return s.Name == tool
	case "session":
		return session != nil && s.Name == session.ID
	case "agent":
		return session != nil && s.Name == session.Agent
	}
	return false
}

// message is what the model reads.
func (s *Stop) message() string {
	what := s.Kind + " " + s.Name
	if s.Kind == "all" {
		what = "all tools"
	}
	text := fmt.Sprintf("a person stopped this (%s, by %s at %s): make no more calls, and tell the user", what, s.By,
		s.At.Format(time.TimeOnly))
	if s.Reason != "" {
		text += "; the reason: " + s.Reason
	}
	return text
}

// stops are what is stopped, and the calls that run.
type stops struct {
	any     atomic.Bool // whether anything is stopped
	mu      sync.Mutex
	all     []Stop
	running map[*running]struct{}
}

// running is a call that can be cancelled.
type running struct {
	tool    string
	session *toolkit.Session
	cancel  context.CancelCauseFunc
	stopped *Stop // set when it is cancelled
}

// find returns what stops a call, nil for nothing.
func (s *stops) find(tool string, session *toolkit.Session) *Stop {
	if !s.any.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(tool, session)
}

func (s *stops) findLocked(tool string, session *toolkit.Session) *Stop {
	for i := range s.all {
		if s.all[i].matches(tool, session) {
			stop := s.all[i]
			return &stop
		}
	}
	return nil
}

// start remembers a call that begins to run; or returns what stops it.
func (s *stops) start(r *running) *Stop {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.findLocked(r.tool, r.session); stop != nil {
		return stop
	}
	s.running[r] = struct{}{}
	return nil
}

// end forgets a call.
func (s *stops) end(r *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r)
}

// stoppedBy returns what cancelled a running call, nil for nothing.
func (s *stops) stoppedBy(r *running) *Stop {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.stopped
}
