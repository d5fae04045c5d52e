// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package govern

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// Calls governs the tools/call requests of a session.
type Calls struct {
	Watcher *watch.Watcher
	Session *watch.Session
}

// NewCalls governs the calls of a session.
func NewCalls(w *watch.Watcher, s *watch.Session) Calls { return Calls{w, s} }

// Exchange is one tools/call that policies govern: the call type of the scope's. It is made
// for each call, and copied when a policy changes the arguments.
type Exchange struct {
	Raw    []byte // the request as the client sent it, without the newline
	ID     jsontext.Value
	Params wire.Params
	Args   []byte
	Op     *watch.Operation
	rules  toolscope.Settings // that held when it began
	Send   sender
}

// sender sends a request on and returns the answer as it came, without the newline. An
// error is one of how it ended without an answer. The id is the request's; changed are the arguments that
// policies made of the client's, nil for those.
type sender func(ctx context.Context, id jsontext.Value, raw, changed []byte) (Reply, error)

// Reply is the answer to an exchange: the result type of the scope's.
type Reply struct {
	Raw    []byte // as it goes to the client; nil if nothing goes there
	ID     jsontext.Value
	Passed bool  // it has gone to the client already, since it was too long to be kept
	fault  error // of a policy
	Ended  error // a policy's error, which is no result
	err    error // how it ended without an answer, or the JSON-RPC error
	Result toolkit.Result

	asks  bool   // the server asks for input, and then
	state string // for this to be sent with it
	task  string // that the call became; "" for none
	sent  *Exchange
	end   func()
}

// Observe tells the observers how the call ended. The caller calls it once.
func (r *Reply) Observe() {
	if r.end != nil {
		r.end()
	}
}

// Caller governs exchanges.
type Caller func(ctx context.Context, x *Exchange) Reply

// NewCaller is what governs the calls of a session.
func (c *Calls) NewCaller() Caller { return govern(c.adapter(), c.Watcher.Scope.Policies()) }

// govern is the caller of some middlewares.
func govern(adapter toolkit.Adapter[*Exchange, Reply], middlewares ...toolkit.Middleware) Caller {
	run := func(ctx context.Context, x *Exchange) Reply { return x.forward(ctx) }
	governed, err := toolkit.GovernFunc(run, adapter, middlewares...)
	if err != nil { // the adapter lacks nothing
		panic(err)
	}
	return governed
}

// adapter shows policies the calls of a session.
func (c *Calls) adapter() toolkit.Adapter[*Exchange, Reply] {
	return toolkit.Adapter[*Exchange, Reply]{
		Tools: toolkit.Lookup(c.Session.Tools.Lookup),
		Call: func(x *Exchange) toolkit.Call {
			return toolkit.Call{Name: x.Params.Name, Arguments: stdjson.RawMessage(x.Args), Record: x.Op.Running.Record()}
		},
		Result: func(r Reply, _ error) toolkit.Result {
			res := r.Result // suspended if it has been passed on: policies must not store or repeat it
			res.Fault = r.Failure()
			return res
		},
		With:   (*Exchange).with,
		Answer: func(x *Exchange, res toolkit.Result, err error) Reply { return x.answered(res, err) },
		Copy:   func(r Reply, x *Exchange) Reply { return r.stampedFor(x.ID) },
	}
}

// with returns a copy of the exchange with other arguments.
func (x *Exchange) with(args stdjson.RawMessage) *Exchange {
	c := *x
	c.Raw, c.ID, c.Args = slices.Clone(x.Raw), x.ID.Clone(), slices.Clone(args)
	c.Params.Arguments = slices.Clone(x.Params.Arguments)
	return &c
}

// Failure is what went wrong, nil if nothing did.
func (r Reply) Failure() error {
	switch {
	case r.fault != nil:
		return r.fault
	case r.err != nil:
		return r.err
	}
	return r.Result.Fault
}

// stampedFor is the reply with another request's id.
func (r Reply) stampedFor(id jsontext.Value) Reply {
	if r.Raw == nil || string(r.ID) == string(id) {
		return r
	}
	raw, err := wire.Splice(r.Raw, id, "id")
	if err != nil { // it has been read
		return r
	}
	r.Raw, r.ID = raw, id
	return r
}

// answered is a policy's answer.
func (x *Exchange) answered(res toolkit.Result, err error) Reply {
	r := Reply{ID: x.ID, fault: res.Fault, Ended: err, Result: res}
	cause := err
	if cause == nil {
		cause = res.Fault
	}
	if gone := (*watch.WireError)(nil); errors.As(cause, &gone) || errors.Is(cause, context.Canceled) {
		return r // no client waits for an answer
	}
	result, err := stdjson.Marshal(toolmcp.CallToolResultOf(res))
	if err != nil {
		result = []byte(`{"isError":true,"content":[]}`)
	}
	r.Raw = wire.AnswerWith(x.ID, result)
	return r
}

// forward sends the request on, with the arguments that policies made of it.
func (x *Exchange) forward(ctx context.Context) Reply {
	w := x.Op.Engine
	if !w.ClientSpans {
		return x.exchange(ctx)
	}
	ctx, child := x.Op.StartChild(ctx)
	defer child.End()
	r := x.exchange(ctx)
	if err := r.Failure(); err != nil {
		child.SetAttributes(keys.ErrorType.String(w.Scope.Tracing().Protocol().ErrorType(toolkit.TypeOf(err))))
		child.SetStatus(codes.Error, "")
	}
	return r
}

func (x *Exchange) exchange(ctx context.Context) Reply {
	raw, id, err := x.outgoing(ctx)
	if err != nil {
		return Reply{ID: x.ID, err: err}
	}
	changed := x.Args
	if string(changed) == string(x.Params.Arguments) {
		changed = nil
	}
	hung := time.AfterFunc(x.Op.Engine.HungAfter, x.Op.Hangs)
	if before := x.Op.Engine.BeforeForward; before != nil {
		before()
	}
	r, err := x.Send(ctx, id, raw, changed)
	hung.Stop()
	if err != nil {
		return Reply{ID: x.ID, err: err}
	}
	r.sent = x
	return r.stampedFor(x.ID)
}

// outgoing is the request as it goes on: as it came, unless a policy or an option changes
// it.
func (x *Exchange) outgoing(ctx context.Context) (raw []byte, id jsontext.Value, err error) {
	raw, id = x.Raw, x.ID
	if string(x.Args) != string(x.Params.Arguments) {
		if raw, err = wire.Splice(raw, x.Args, "params", "arguments"); err != nil {
			return nil, nil, err
		}
	}
	if n := x.Op.Attempts.Add(1); n > 1 { // an id is used once
		id = jsontext.Value(wire.Quoted(fmt.Sprintf("toolscope-%d-%s", n, wire.Unquoted(string(x.ID)))))
		if raw, err = wire.Splice(raw, id, "id"); err != nil {
			return nil, nil, err
		}
	}
	if w := x.Op.Engine; w.InjectContext {
		carrier := propagation.MapCarrier{}
		w.Propagator.Inject(ctx, carrier)
		for _, key := range []string{"traceparent", "tracestate"} { // baggage stays: it may carry users' data
			if v := carrier[key]; v != "" {
				if with, err := wire.Splice(raw, []byte(wire.Quoted(v)), "params", "_meta", key); err == nil { // else _meta is no object
					raw = with
				}
			}
		}
	}
	return raw, id, nil
}

// ReadReply makes a reply of an answer. raw is the caller's to give away.
func ReadReply(raw []byte, m *wire.Message) Reply {
	r := Reply{Raw: raw, ID: m.ID}
	if m.Error != nil {
		r.err = m.Error
		return r
	}
	r.Result = watch.ResultOf(m.Result)
	a := m.ReadResult()
	r.asks, r.state = a.AsksForInput(), a.RequestState
	r.Result.Suspended = r.asks // also of a result that the SDK does not read
	if r.asks {
		r.Result.Fault = nil // what waits for input has not failed
	}
	r.task = a.TaskID()
	return r
}

// NotLookedAt stands in the place of an answer that is too long, or that is in another form than MCP has.
const NotLookedAt = "[an answer that was passed on and not looked at]"

// MaxGoverned is how long a frame may be to be governed. A longer request to call a tool is
// refused; a longer answer is passed on as it comes.
const MaxGoverned = 16 << 20
