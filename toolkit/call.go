// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
)

// A Call is one proposal of a model to use a tool. It travels inward by value: a middleware passes
// on the call it was given, changed where it wants to change it.
type Call struct {
	// ID is the model's id of the call; "" if it gave none.
	ID string `json:"id,omitempty"`
	// Name is the tool's name as the model wrote it. It may be anything.
	Name string `json:"name"`
	// Arguments is the JSON text of the arguments as the model wrote it, valid
	// or not; nil and empty mean no arguments. It is read-only: a
	// middleware that changes arguments puts another slice here.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Intent is the model's stated reason for the call, for those who look at it later;
	// "" if it gave none. It is no part of the call's identity: policies do not look
	// at it. Like Arguments, it is exported only redacted, and as content.
	Intent string `json:"intent,omitempty"`
	// Attempt counts from 1 under a retry policy, else it is 0.
	Attempt uint16 `json:"-"`
	// Record is what this call is and how it goes. The zero Record works and
	// remembers nothing.
	Record Record `json:"-"`

	foreign foreignCall // the call of another registry that this stands for; nil for none
}

// A Handler answers a call. Handlers must be safe for concurrent use.
//
// A tool that failed returns a Result with a Fault, or an error; an error
// from a middleware means that a policy or the transport, not the tool, ended
// the call.
type Handler func(ctx context.Context, call Call) (Result, error)

// A Middleware wraps a handler in another. A middleware must keep the laws of
// [Handler] and must not start goroutines that outlive the call, unless it
// documents so and bounds them.
type Middleware func(next Handler) Handler

// Chain wraps h in middlewares so that the first one listed runs first:
// Chain(h, a, b) is a(b(h)). Nil middlewares are passed over. With a nil h, or a
// middleware that makes one, each call is refused with an error that says so.
func Chain(h Handler, middlewares ...Middleware) Handler {
	if h == nil {
		h = nilHandler
	}
	for i := len(middlewares) - 1; i >= 0; i-- {
		if middlewares[i] == nil {
			continue
		}
		if h = middlewares[i](h); h == nil {
			h = nilHandler
		}
	}
	return h
}

// nilHandler stands for a handler that is nil.
func nilHandler(_ context.Context, call Call) (Result, error) {
	call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
	return Result{}, &Error{
		Kind: ErrUnknownTool, Tool: call.Name,
		Message: "the handler is nil: got no function to run, want a toolkit.Handler",
	}
}

// Format prints name, id and size, whatever the verb, never the arguments.
func (c Call) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.summary()) }

// LogValue gives name, id and size, never the arguments.
func (c Call) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("name", clip(c.Name)),
		slog.String("id", clip(c.ID)),
		slog.Int("arguments_bytes", len(c.Arguments)))
}

func (c Call) summary() string {
	return "Call{name:" + quote(c.Name) + " id:" + quote(c.ID) + " arguments:" + strconv.Itoa(len(c.Arguments)) + "B}"
}
