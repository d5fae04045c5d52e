// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A link is what lies beneath a session: a child process, or HTTP.
type link interface {
	abort()                // ends it at once
	close()                // ends it in good order
	gone() <-chan struct{} // closed when it has ended by itself; nil if that is the session's matter
	why() error            // what is known of its end once it was closed, nil if nothing is
	pid() int              // of the child, 0 without one
}

// A connection is one session with a server, from its beginning to its end.
type connection struct {
	server  string
	session *mcp.ClientSession
	link    link
	lists   lists
	lost    chan struct{} // closed when the session or the link has ended

	ctx    context.Context // of all requests of the session
	cancel context.CancelCauseFunc

	active atomic.Int64 // requests that wait for an answer
	cut    atomic.Bool  // some were ended with ctx
}
