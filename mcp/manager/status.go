// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Status is what is known of a server at a time.
type Status struct {
	Name string
	// Transport is "stdio", "http", "sse" or "custom".
	Transport string

	State State
	Since time.Time // of the state
	// LastError is the last failure of the connection or of a request, redacted; "" if
	// there was none. It stays when things go well again; LastErrorAt says how old it is.
	LastError   string
	LastErrorAt time.Time
	// NextAttempt is when a failed connection is made anew.
	NextAttempt time.Time
	// Connects is how often a connection was made.
	Connects uint64

	// Calls and Errors are of tools, since the manager was made; failed answers of the
	// tools are errors, too, what is the caller's fault by its code or cancelled is not.
	// InFlight are running.
	Calls, Errors uint64
	InFlight      int
	// SuccessRate is that of the last five minutes, from 0 to 1, and Latency the moving
	// average (α = 0.1): what servers are chosen by. Without calls they are 1 and 0.
	SuccessRate float64
	Latency     time.Duration

	// What it listed, and what of that was left out and why, at most 20 lines.
	Tools, Resources, Templates, Prompts int
	Problems                             []string
	// Initialized is the server's answer to the handshake of its last connection; nil before that.
	// It must not be changed.
	Initialized *mcp.InitializeResult
	// PID is the child's process id; 0 if there is none.
	PID int
}

// Status is that of all servers, in order of configuration.
func (m *Manager) Status() []Status {
	servers := m.all()
	list := make([]Status, len(servers))
	for i, s := range servers {
		list[i] = s.status()
	}
	return list
}

func (s *server) status() Status {
	now := time.Now()
	st := Status{Name: s.conf.Name, Transport: s.conf.kind()}
	st.SuccessRate, st.Latency = s.meter.standing(now)
	s.meter.mu.Lock()
	st.Calls, st.Errors, st.InFlight = s.meter.calls, s.meter.errors, s.meter.inFlight
	s.meter.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	st.State, st.Since, st.NextAttempt = s.state, s.since, s.next
	st.LastError, st.LastErrorAt = s.lastError, s.lastErrorAt
	st.Connects, st.Initialized = s.connects, s.initialized
	st.Tools, st.Resources, st.Templates, st.Prompts = len(s.lists.tools), len(s.lists.resources),
		len(s.lists.templates), len(s.lists.prompts)
	for _, problems := range [][]string{s.lists.allProblems(), s.lost} {
		st.Problems = append(st.Problems, problems[:min(len(problems), maxProblems-len(st.Problems))]...)
	}
	if s.link != nil {
		st.PID = s.link.pid()
	}
	return st
}
