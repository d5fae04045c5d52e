// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"strconv"
	"sync"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// status is what became of an operation, by the conventions' rule for a SERVER span.
type status struct {
	code      string // rpc.response.status_code; "" without a JSON-RPC error
	errorType string // "" for an operation that did not fail
}

// maxCodes bounds how many different error codes are distinguished: a peer may make
// up any.
const maxCodes = 64

// errorCodes are the codes of errors that were seen. Safe for concurrent use.
type errorCodes struct {
	mu   sync.Mutex
	seen map[int64]bool
}

// statusOf is the status of an answer that is a JSON-RPC error.
func (c *errorCodes) statusOf(e *wire.RPCError) status {
	s := status{code: strconv.FormatInt(e.Code, 10)}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.seen[e.Code]:
	case len(c.seen) >= maxCodes:
		s.code = toolkit.TypeOther
	case c.seen == nil:
		c.seen = map[int64]bool{e.Code: true}
	default:
		c.seen[e.Code] = true
	}
	switch e.Code {
	case -32700, -32600, -32601, -32602, -32002: // the request was at fault
	default:
		s.errorType = s.code
	}
	return s
}

// WireError is how an operation ended that got no answer. Its kind is error.type.
type WireError struct{ kind, Text string }

// Error is the text.
func (e *WireError) Error() string { return e.Text }

// ErrorType is error.type on spans and metrics.
func (e *WireError) ErrorType() string { return e.kind }

// NewWireError makes one of a kind.
func NewWireError(kind, text string) *WireError { return &WireError{kind, text} }

// The endings without an answer.
var (
	ErrUnanswered = &WireError{"unanswered", "the connection ended before the server answered"}
	errUnseen     = &WireError{"unseen", "the answer was not seen: too much passed at once to look at all of it"}
)
