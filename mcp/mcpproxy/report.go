// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// A Report is what a [Watcher] has seen that is no call: sessions, and what was noticed on
// the wire. What came from the peers is redacted and cut.
type Report struct {
	Server       string            `json:"server"`         // name of the server, from the options
	Sessions     []Session         `json:"sessions"`       // the open ones, then the last 32 that ended
	Total        uint64            `json:"sessions_ended"` // number of sessions that ended
	Counts       map[string]uint64 `json:"counts"`         // number of observations by kind
	Observations []Observation     `json:"observations"`   // latest observations, oldest first
	LostBytes    uint64            `json:"lost_bytes"`     // bytes forwarded without being parsed
}

// A Session is one connection of a client to the server.
type Session struct {
	ID                 string    `json:"id"`                            // session id
	Began              time.Time `json:"began"`                         // when the session began
	Open               bool      `json:"open"`                          // whether the session is still open
	ProtocolVersion    string    `json:"protocol_version,omitzero"`     // version of the protocol that both sides agreed on
	Client             string    `json:"client,omitzero"`               // name and version of the client
	Server             string    `json:"server,omitzero"`               // name and version that the server gives
	ClientCapabilities []string  `json:"client_capabilities,omitempty"` // capabilities that the client declared
	ServerCapabilities []string  `json:"server_capabilities,omitempty"` // capabilities that the server declared
	Tools              int       `json:"tools"`                         // number of tools that the server lists
	ToolsBytes         int       `json:"tools_bytes"`                   // size of the tool list in bytes
	ToolsTokens        int       `json:"tools_tokens"`                  // estimated size of the tool list in tokens, four bytes each
	ChangedTools       []string  `json:"changed_tools,omitempty"`       // tools whose definition changed
	Waiting            int       `json:"waiting"`                       // requests without an answer so far
}

// report is the session as people see it. It is for the Watcher's goroutine.
func (s *session) report() Session {
	w := s.w
	_, open := w.sessions[s]
	r := Session{
		ID: w.clean(s.called().id), Began: s.began.UTC(), Open: open, ProtocolVersion: s.version(), Waiting: len(s.open),
		ClientCapabilities: s.cleaned(fromClient), ServerCapabilities: s.cleaned(fromServer), ChangedTools: s.tools.changedNames(w.clean),
	}
	if s.suspended != &w.suspended {
		r.Waiting += len(s.suspended.calls) + s.rounds.expire(time.Time{})
	}
	if s.client.Name != "" {
		r.Client = w.clean(s.client.Name + " " + s.client.Version)
	}
	if s.peer.Name != "" {
		r.Server = w.clean(s.peer.Name + " " + s.peer.Version)
	}
	if s.list != nil {
		r.Tools, r.ToolsBytes, r.ToolsTokens = len(s.list.tools), s.list.bytes, s.list.tokens()
	}
	return r
}

// maxReported is how many open sessions a report has.
const maxReported = 100

// Report is what was seen of all that passed before. After Close it has what was known
// then. An error says that ctx was over first.
func (w *Watcher) Report(ctx context.Context) (*Report, error) {
	r := &Report{Server: w.clean(w.options.Server), Counts: map[string]uint64{}, LostBytes: w.tap.lost(), Sessions: []Session{}, Observations: []Observation{}}
	sessions := make(chan []Session, 1)
	if w.tap.do(func() {
		var open []Session
		for s := range w.sessions {
			if len(open) == maxReported {
				break
			}
			open = append(open, s.report())
		}
		slices.SortFunc(open, func(a, b Session) int { return a.Began.Compare(b.Began) })
		sessions <- open
	}) {
		select {
		case open := <-sessions:
			r.Sessions = append(r.Sessions, open...)
		case <-w.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	n := w.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	for kind, count := range n.counts {
		r.Counts[string(kind)] = count
	}
	r.Total = n.total
	r.Sessions = append(r.Sessions, n.ended...)
	r.Observations = append(r.Observations, n.latest...)
	return r, nil
}

// ServeHTTP answers with the [Report] as JSON. Who may ask is for the caller to decide.
func (w *Watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		out.Header().Set("Allow", "GET, HEAD")
		http.Error(out, "want GET", http.StatusMethodNotAllowed)
		return
	}
	report, err := w.Report(r.Context())
	if err != nil {
		return // nobody waits any more
	}
	out.Header().Set("Content-Type", "application/json")
	out.Header().Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(report) // nobody waits any more
}
