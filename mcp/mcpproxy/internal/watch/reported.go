// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"maps"
	"slices"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A Report is what a proxy has seen apart from calls: sessions, and what it noticed on the wire. What came from
// the peers is redacted and truncated.
type Report struct {
	Server       string            `json:"server"`         // name of the server, from the options
	Sessions     []SessionReport   `json:"sessions"`       // the open ones, then the last 32 that ended
	Total        uint64            `json:"sessions_ended"` // number of sessions that ended
	Counts       map[string]uint64 `json:"counts"`         // number of observations by kind
	Observations []Observation     `json:"observations"`   // latest observations, oldest first
	LostBytes    uint64            `json:"lost_bytes"`     // bytes forwarded without being parsed
}

// A SessionReport is one connection of a client to the server.
type SessionReport struct {
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

// A Request is one that is no call of a tool, as the peers sent it.
type Request struct {
	Method       string
	Target       string // name of the prompt, or URI of the resource, "" for none
	ID           string // of the message
	Session      string // id
	Began, Ended time.Time
	ErrorType    string // error.type, "" for a success
}

// A ListedTool is a tool as the server lists it.
type ListedTool struct {
	Name, Digest string // Digest is the SHA-256 of the definition in any spelling, in hexadecimal
	Definition   []byte // as it stands on the wire; nil if there was no room for it
	ReadOnly     bool   // the server says so
}

// reportTools tells who asked which tools there are.
func (s *Session) reportTools(list *toolList) {
	if s.Engine.OnTools == nil {
		return
	}
	tools := make([]ListedTool, 0, len(list.listed.Hashes))
	for _, name := range slices.Sorted(maps.Keys(list.listed.Hashes)) {
		t := ListedTool{Name: name, Digest: list.listed.Hashes[name], Definition: list.listed.Definitions[name]}
		if def := list.tools[name]; def != nil {
			t.ReadOnly = def.ReadOnly == toolkit.Yes
		}
		tools = append(tools, t)
	}
	s.Engine.OnTools(s.Called().ID, tools)
}

// An Observation is something that was noticed on the wire.
type Observation struct {
	Time    time.Time `json:"time"`             // when it was noticed
	Kind    string    `json:"kind"`             // kind of observation, as in toolscope.mcp.observation
	Session string    `json:"session,omitzero"` // session id
	Tool    string    `json:"tool,omitzero"`    // name of the tool
	Text    string    `json:"text,omitzero"`    // redacted and truncated text from the wire
}
