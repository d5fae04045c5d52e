// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// exchange is one tools/call on its way: the call type that the scope governs.
type exchange struct {
	watcher *watcher
	request request
	req     mcp.Request
	next    mcp.MethodHandler
	name    string
	args    json.RawMessage
	known   bool       // whether args says what the arguments are
	tools   *toolTable // the peer's, on the client
	fault   error      // why the call must not run, on the server

	elsewhere bool           // whether the statistics count the call where it was sent
	rounds    bool           // whether the call may have rounds
	prior     *round         // the one before
	kept      *toolkit.Ended // how this one ended, if it was suspended
}

// reply is how an exchange ended: the result type that the scope governs.
type reply struct {
	res   *mcp.CallToolResult
	raw   mcp.Result // a result of another type, of another middleware
	err   error
	fault error // what more is known of a failure than that there was one
}

// result is the reply as a method handler returns it.
func (r reply) result() (mcp.Result, error) {
	if r.res == nil {
		return r.raw, r.err
	}
	return r.res, r.err
}

// failure is what went wrong, nil if nothing did.
func (r reply) failure() error {
	switch {
	case r.fault != nil:
		return r.fault
	case r.err != nil:
		return r.err
	case r.res == nil || !r.res.IsError || suspended(r.res): // what waits for input has not failed
		return nil
	}
	if err := r.res.GetError(); err != nil && toolkit.TypeOf(err) != string(toolkit.ErrTool) {
		return err
	}
	return toolkit.SoftError(true, textOf(r.res))
}

type caller func(ctx context.Context, x *exchange) reply

// clone copies what the SDK, or the caller whose it is, may write to.
func (r reply) clone() reply {
	if r.res != nil {
		c := *r.res
		c.Content, c.StructuredContent = slices.Clone(c.Content), cloneJSON(c.StructuredContent)
		c.Meta = cloneMeta(c.Meta)
		r.res = &c
	}
	return r
}
