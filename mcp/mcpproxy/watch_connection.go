// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"crypto/rand"
	"slices"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	agreed atomic.Pointer[string] // the protocol's version
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

// version is what the peers agreed on, "" until then.
func (s *connection) version() string {
	if v := s.agreed.Load(); v != nil {
		return *v
	}
	return ""
}

// versionOf is the version that a request says, as each does from the revision without sessions on; else what the peers
// agreed on.
func (s *connection) versionOf(p *params) string {
	if v := supported(p.Meta.Get(mcp.MetaKeyProtocolVersion)); v != "" {
		return v
	}
	return s.version()
}

// sessionless is the first revision that has no sessions. Revisions are compared as text.
const sessionless = "2026-07-28"

// supported is the version if the SDK knows it, else "": a peer may send any.
func supported(version string) string {
	if slices.Contains(versions, version) {
		return version
	}
	return ""
}

var versions = mcp.SupportedProtocolVersions()
