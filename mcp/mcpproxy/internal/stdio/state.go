// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// Governor stands between a client and a server over pipes, and lets the scope's policies
// govern the calls. All other frames pass as they are.
type Governor struct {
	govern.Calls
	caller govern.Caller
	client *FrameWriter
	Server *FrameWriter

	ctx    context.Context // over when the connection is
	cancel context.CancelCauseFunc

	relay
	turn   atomic.Pointer[governedCall] // the call whose turn it is, or was
	timing atomic.Bool                  // a timer will look at it
	turns  chan *clientReader           // for goroutines that wait for their turn to read
	idle   atomic.Int32                 // how many do
	ends   atomic.Int64                 // bytes of answers whose observers learn of them later

	Mu      sync.Mutex
	running map[string]*governedCall // by the client's id
	Bytes   int                      // of them
	waiting map[string]waiter        // by the id that was sent on
	ended   map[string]bool          // ids of calls that are answered, of which the latest are kept
	gone    bool                     // the server will answer nothing more
	texts   bool                     // the client has ids that are strings with a number, or batches: "7" is not 7 to it
	ending  sync.WaitGroup           // calls that run
	sending sync.WaitGroup           // calls that may still be sent on
}

// governedCall is a call that runs.
type governedCall struct {
	id      string // the client's
	message wire.Message
	text    []byte
	at      time.Time
	ctx     context.Context
	cancel  context.CancelFunc

	passTurn func()      // has the frames behind the call read
	passed   atomic.Bool // they are, or will be
	back     atomic.Bool // the server has answered
	more     bool        // frames behind it have been read

	// These are guarded by the governor's lock.
	sent    bool // to the server, once at least
	wanted  bool // ReadServer may rest with the answer
	given   bool // the client gave it up, and wants no answer. It is not sent any more.
	pending bool // it may still be sent, so that the server's end stays open
}

// pass has the frames behind the call read, once.
func (c *governedCall) pass() {
	if c.passed.CompareAndSwap(false, true) {
		c.passTurn()
	}
}

// waiter is a call that waits for the answer to a request.
type waiter struct {
	answered chan *answer
	call     *governedCall
}

// answer is what the server answered.
type answer struct {
	raw    []byte
	m      *wire.Message
	passed bool // it went to the client already, since it was too long to be kept
	failed bool
	gone   bool // there will be none
}

// maxEnded is how many ended calls are remembered, to recognize answers that come too late.
const maxEnded = 1024

// forget has an answer that comes from now on be late.
func (g *Governor) forget(key string) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	delete(g.waiting, key)
	g.endedWith(key)
}

// endedWith remembers that an id needs no answer any more; the caller holds the lock.
func (g *Governor) endedWith(key string) {
	for old := range g.ended {
		if len(g.ended) < maxEnded {
			break
		}
		delete(g.ended, old)
	}
	g.ended[key] = true
}
