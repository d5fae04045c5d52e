// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/keys"

	"github.com/go-json-experiment/json/jsontext"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// calls governs the tools/call requests of a session.
type calls struct {
	w *watcher
	s *session
}

// newCalls governs the calls of a session.
func newCalls(w *watcher, s *session) calls { return calls{w, s} }

// exchange is one tools/call that policies govern: the call type of the scope's. It is made
// for each call, and copied when a policy changes the arguments.
type exchange struct {
	raw    []byte // the request as the client sent it, without the newline
	id     jsontext.Value
	params params
	args   []byte
	op     *operation
	rules  toolscope.Settings // that held when it began
	send   sender
}

// sender sends a request on and returns the answer as it came, without the newline. An
// error is one of how it ended without an answer. The id is the request's; changed are the arguments that
// policies made of the client's, nil for those.
type sender func(ctx context.Context, id jsontext.Value, raw, changed []byte) (reply, error)

// reply is the answer to an exchange: the result type of the scope's.
type reply struct {
	raw    []byte // as it goes to the client; nil if nothing goes there
	id     jsontext.Value
	passed bool  // it has gone to the client already, since it was too long to be kept
	fault  error // of a policy
	ended  error // a policy's error, which is no result
	err    error // how it ended without an answer, or the JSON-RPC error
	result toolkit.Result

	asks  bool   // the server asks for input, and then
	state string // for this to be sent with it
	task  string // that the call became; "" for none
	sent  *exchange
}

// caller governs exchanges.
type caller func(ctx context.Context, x *exchange) reply

// newCaller is what governs the calls of a session.
func (c *calls) newCaller() caller { return govern(c.adapter(), c.w.scope.Policies()) }

// govern is the caller of some middlewares.
func govern(adapter toolkit.Adapter[*exchange, reply], middlewares ...toolkit.Middleware) caller {
	run := func(ctx context.Context, x *exchange) reply { return x.forward(ctx) }
	governed, err := toolkit.GovernFunc(run, adapter, middlewares...)
	if err != nil { // the adapter lacks nothing
		panic(err)
	}
	return governed
}

// adapter shows policies the calls of a session.
func (c *calls) adapter() toolkit.Adapter[*exchange, reply] {
	return toolkit.Adapter[*exchange, reply]{
		Tools: toolkit.Lookup(c.s.tools.lookup),
		Call: func(x *exchange) toolkit.Call {
			return toolkit.Call{Name: x.params.Name, Arguments: stdjson.RawMessage(x.args), Record: x.op.running.Record()}
		},
		Result: func(r reply, _ error) toolkit.Result {
			res := r.result // suspended if it has been passed on: policies must not store or repeat it
			res.Fault = r.failure()
			return res
		},
		With:   (*exchange).with,
		Answer: func(x *exchange, res toolkit.Result, err error) reply { return x.answered(res, err) },
		Copy:   func(r reply, x *exchange) reply { return r.stampedFor(x.id) },
	}
}

// with returns a copy of the exchange with other arguments.
func (x *exchange) with(args stdjson.RawMessage) *exchange {
	c := *x
	c.raw, c.id, c.args = slices.Clone(x.raw), x.id.Clone(), slices.Clone(args)
	c.params.Arguments = slices.Clone(x.params.Arguments)
	return &c
}

// failure is what went wrong, nil if nothing did.
func (r reply) failure() error {
	switch {
	case r.fault != nil:
		return r.fault
	case r.err != nil:
		return r.err
	}
	return r.result.Fault
}

// stampedFor is the reply with another request's id.
func (r reply) stampedFor(id jsontext.Value) reply {
	if r.raw == nil || string(r.id) == string(id) {
		return r
	}
	raw, err := splice(r.raw, id, "id")
	if err != nil { // it has been read
		return r
	}
	r.raw, r.id = raw, id
	return r
}

// answered is a policy's answer.
func (x *exchange) answered(res toolkit.Result, err error) reply {
	r := reply{id: x.id, fault: res.Fault, ended: err, result: res}
	cause := err
	if cause == nil {
		cause = res.Fault
	}
	if gone := (*wireError)(nil); errors.As(cause, &gone) || errors.Is(cause, context.Canceled) {
		return r // nobody waits for an answer
	}
	result, err := stdjson.Marshal(toolmcp.CallToolResultOf(res))
	if err != nil {
		result = []byte(`{"isError":true,"content":[]}`)
	}
	r.raw = answerWith(x.id, result)
	return r
}

// forward sends the request on, with the arguments that policies made of it.
func (x *exchange) forward(ctx context.Context) reply {
	w := x.op.w
	if !w.clientSpans {
		return x.exchange(ctx)
	}
	ctx, child := x.op.startChild(ctx)
	defer child.End()
	r := x.exchange(ctx)
	if err := r.failure(); err != nil {
		child.SetAttributes(keys.ErrorType.String(w.scope.Tracing().ErrorType(toolkit.TypeOf(err))))
		child.SetStatus(codes.Error, "")
	}
	return r
}

func (x *exchange) exchange(ctx context.Context) reply {
	raw, id, err := x.outgoing(ctx)
	if err != nil {
		return reply{id: x.id, err: err}
	}
	changed := x.args
	if string(changed) == string(x.params.Arguments) {
		changed = nil
	}
	hung := time.AfterFunc(x.op.w.hungAfter, x.op.hangs)
	r, err := x.send(ctx, id, raw, changed)
	hung.Stop()
	if err != nil {
		return reply{id: x.id, err: err}
	}
	r.sent = x
	return r.stampedFor(x.id)
}

// outgoing is the request as it goes on: as it came, unless a policy or an option changes
// it.
func (x *exchange) outgoing(ctx context.Context) (raw []byte, id jsontext.Value, err error) {
	raw, id = x.raw, x.id
	if string(x.args) != string(x.params.Arguments) {
		if raw, err = splice(raw, x.args, "params", "arguments"); err != nil {
			return nil, nil, err
		}
	}
	if n := x.op.attempts.Add(1); n > 1 { // an id is used once
		id = jsontext.Value(quoted(fmt.Sprintf("toolscope-%d-%s", n, unquoted(string(x.id)))))
		if raw, err = splice(raw, id, "id"); err != nil {
			return nil, nil, err
		}
	}
	if w := x.op.w; w.injectContext {
		carrier := propagation.MapCarrier{}
		w.propagator.Inject(ctx, carrier)
		for _, key := range []string{"traceparent", "tracestate"} { // baggage stays: it may carry users' data
			if v := carrier[key]; v != "" {
				if with, err := splice(raw, []byte(quoted(v)), "params", "_meta", key); err == nil { // else _meta is no object
					raw = with
				}
			}
		}
	}
	return raw, id, nil
}

// read makes a reply of an answer. raw is the caller's to give away.
func read(raw []byte, m *message) reply {
	r := reply{raw: raw, id: m.ID}
	if m.Error != nil {
		r.err = m.Error
		return r
	}
	r.result = resultOf(m.Result)
	a := m.answered()
	r.asks, r.state = a.suspended(), a.RequestState
	r.result.Suspended = r.asks // also of a result that the SDK does not read
	if r.asks {
		r.result.Fault = nil // what waits for input has not failed
	}
	r.task = a.taskID()
	return r
}

// govern runs an exchange through the policies, in a span of its own, unless it is the next round of one
// that they have let through: then it continues the span of that one.
func (c *calls) govern(ctx context.Context, call caller, x *exchange) reply {
	w := c.w
	x.rules = w.scope.Settings()
	pinned := w.pinTools && !w.baseline.has(x.params.Name)
	if x.params.carriesInput() {
		rounds, _ := c.rounds()
		n := rounds.take(governedKey(&x.params, x.params.RequestState))
		if n != nil && !pinned && holds(n.rules, x.rules) {
			ended, cancel := x.carryOn(ctx, n)
			defer cancel()
			return c.ended(x, x.guarded(ended, c.laterCaller(x.rules)))
		}
		if n != nil {
			endRounds([]*round{n})
		}
	}
	x.op.setTool()
	ctx = x.op.callContext(w.extract(ctx, x.params.Meta))
	if !w.scope.Off() {
		asked := toolkit.Call{Name: x.params.Name, Arguments: x.args}
		ctx, x.op.running = toolkit.BeginAt(ctx, x.op.began, asked, x.op.tool, w.observers...)
	}
	x.op.ctx = ctx
	if pinned {
		return c.ended(x, x.refused())
	}
	if x.params.carriesMore() && !x.rules.Off && !slices.Contains(x.rules.ToolsOff, x.params.Name) {
		call = c.inputCaller(x.rules.Policies)
	}
	return c.ended(x, x.guarded(ctx, call))
}

// guarded runs the exchange. A policy's panic ends the call and goes on: net/http lets the others go on.
func (x *exchange) guarded(ctx context.Context, call caller) reply {
	returned := false
	defer func() {
		if !returned {
			x.op.running.End(toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrPanic, Tool: x.params.Name, Message: "a policy panicked"})
		}
	}()
	r := call(ctx, x)
	returned = true
	return r
}

// ended tells the observers how a call ended, unless its server asks for input.
func (c *calls) ended(x *exchange, r reply) reply {
	if r.asks && r.sent != nil && r.sent.op == x.op && c.keepRound(r.sent, r.state) {
		return r
	}
	x.op.becomesTask(x.op.ctx, r.task)
	if x.op.rounds > 0 {
		x.op.extra = append(x.op.extra, keys.Rounds.Int(x.op.rounds+1))
	}
	res := r.result
	if r.ended == nil && res.Fault == nil {
		res.Fault = r.failure()
	}
	res.Suspended = res.Suspended && !r.passed // policies must not store what has been passed on: see adapter
	if r.ended == nil && r.fault == nil && res.Fault != nil && x.op.tool == nil {
		res.Fault = &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: x.params.Name, Cause: res.Fault}
		x.op.running.Record().Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	}
	x.op.running.End(res, r.ended)
	return r
}

// refused is the answer to a call of a tool that nobody has accepted. No policy is asked.
func (x *exchange) refused() reply {
	err := &toolkit.Error{
		Kind: toolkit.ErrPermissionDenied, Tool: x.params.Name,
		Message: "the tool is not what was accepted: a user has to review and accept it before it can be used",
	}
	record := x.op.running.Record()
	record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	record.Tag("mcp.definition", "not_accepted")
	return x.answered(toolkit.Failure(err), err)
}

// notLookedAt stands in the place of an answer that is too long, or that is in another form than MCP has.
const notLookedAt = "[an answer that was passed on and not looked at]"

// maxGoverned is how long a frame may be to be governed. A longer request to call a tool is
// refused; a longer answer is passed on as it comes.
const maxGoverned = 16 << 20
