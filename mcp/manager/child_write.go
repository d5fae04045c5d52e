// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A write is a message on its way to the process.
type write struct {
	ctx   context.Context
	data  []byte
	state atomic.Int32 // 0, or what came first: 1 it is being written, 2 it is not wanted any more
	done  chan error
}

// Write sends a message. If ctx ends before the writing has begun, it is not sent.
func (c *child) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	w := &write{ctx: ctx, data: append(data, '\n'), done: make(chan error, 1)}
	select {
	case c.writes <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.dead:
		return io.ErrClosedPipe
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		w.state.CompareAndSwap(0, 2)
		return ctx.Err()
	case <-c.dead:
		return io.ErrClosedPipe
	}
}

// writeAll writes one message after the other: a process that does not read holds up
// this goroutine, not the callers.
func (c *child) writeAll() {
	for {
		select {
		case w := <-c.writes:
			if !w.state.CompareAndSwap(0, 1) {
				continue
			}
			begun(w.ctx)
			_, err := c.in.Write(w.data)
			if err != nil {
				c.broken.Store(true)
			}
			w.done <- err
		case <-c.dead:
			return
		}
	}
}
