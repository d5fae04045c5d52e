// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"crypto/rand"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// Side is who sent a message.
type Side uint8

const (
	FromClient Side = iota // the client
	FromServer             // the server
)

// Connection is what operations know of their session. It is safe for concurrent use.
type Connection struct {
	Engine *Engine
	http   bool
	Named  atomic.Pointer[sessionName]
	agreed atomic.Uint32 // the revision
	Tools  *ToolTable
}

// sessionName is how a session is called.
type sessionName struct {
	ID       string // for statistics: the protocol's, or made up where that has none
	Protocol string // the protocol's id, "" without one
}

// SetName gives a session the protocol's id, "" for none.
func (s *Connection) SetName(protocolID string) { s.Named.Store(&sessionName{protocolID, protocolID}) }

// Called is how the session is called. One that has no id gets one when it is asked for.
func (s *Connection) Called() sessionName {
	n := s.Named.Load()
	for n.ID == "" {
		s.Named.CompareAndSwap(n, &sessionName{ID: rand.Text()})
		n = s.Named.Load()
	}
	return *n
}

// version is the revision that the peers agreed on, Unknown until then.
func (s *Connection) version() revision.Revision { return revision.Revision(s.agreed.Load()) }

// versionOf is the revision that a request declares, as each does from the revision without sessions on; else the
// one that the peers agreed on.
func (s *Connection) versionOf(p *wire.Params) revision.Revision {
	if v := revision.Parse(p.Meta.Get(mcp.MetaKeyProtocolVersion)); v != revision.Unknown {
		return v
	}
	return s.version()
}
