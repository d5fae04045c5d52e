// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"crypto/rand"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/toolscope/toolscope/internal/revision"
)

// side is who sent a message.
type side uint8

const (
	fromClient side = iota
	fromServer
)

// connection is what operations know of their session. It is safe for concurrent use.
type connection struct {
	w      *engine
	http   bool
	named  atomic.Pointer[sessionName]
	agreed atomic.Uint32 // the revision
	tools  *toolTable
}

// sessionName is how a session is called.
type sessionName struct {
	id       string // for statistics: the protocol's, or made up where that has none
	protocol string // the protocol's id, "" without one
}

// setName gives a session the protocol's id, "" for none.
func (s *connection) setName(protocolID string) { s.named.Store(&sessionName{protocolID, protocolID}) }

// called is how the session is called. One that has no id gets one when it is asked for.
func (s *connection) called() sessionName {
	n := s.named.Load()
	for n.id == "" {
		s.named.CompareAndSwap(n, &sessionName{id: rand.Text()})
		n = s.named.Load()
	}
	return *n
}

// version is the revision that the peers agreed on, Unknown until then.
func (s *connection) version() revision.Revision { return revision.Revision(s.agreed.Load()) }

// versionOf is the revision that a request declares, as each does from the revision without sessions on; else the
// one that the peers agreed on.
func (s *connection) versionOf(p *params) revision.Revision {
	if v := revision.Parse(p.Meta.Get(mcp.MetaKeyProtocolVersion)); v != revision.Unknown {
		return v
	}
	return s.version()
}
