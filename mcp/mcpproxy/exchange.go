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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

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
func (s *session) newCaller() caller { return govern(s.adapter(), s.w.scope.Policies()) }

// govern is the caller of some middlewares.
func govern(adapter toolkit.Adapter[*exchange, reply], middlewares ...toolkit.Middleware) caller {
	run := func(ctx context.Context, x *exchange) reply { return x.run(ctx) }
	governed, err := toolkit.GovernFunc(run, adapter, middlewares...)
	if err != nil { // the adapter lacks nothing
		panic(err)
	}
	return governed
}

// adapter shows policies the calls of a session.
func (s *session) adapter() toolkit.Adapter[*exchange, reply] {
	return toolkit.Adapter[*exchange, reply]{
		Tools: toolkit.Lookup(s.tools.lookup),
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
	r.raw, _ = json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Result  jsontext.Value `json:"result"`
	}{"2.0", x.id, result}) // both values are JSON
	return r
}

// run sends the request on, with the arguments that policies made of it.
func (x *exchange) run(ctx context.Context) reply {
	w := x.op.s.w
	if w.options.ClientSpans {
		var child trace.Span
		attrs := append(x.op.attributes(), keyOperation.String(executeTool), keyToolName.String(x.op.label()))
		ctx, child = w.tracer.Start(ctx, methodCallTool+" "+x.op.label(), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
		defer child.End()
		r := x.exchange(ctx)
		if err := r.failure(); err != nil {
			child.SetAttributes(keyErrorType.String(w.scope.Tracing().Protocol().ErrorType(toolkit.TypeOf(err))))
			child.SetStatus(codes.Error, "")
		}
		return r
	}
	return x.exchange(ctx)
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
	hung := time.AfterFunc(x.op.s.w.options.HungAfter, x.op.hangs)
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
	if w := x.op.s.w; w.options.InjectContext {
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
// that they have let through: that one's span goes on.
func (s *session) govern(ctx context.Context, call caller, x *exchange) reply {
	w := s.w
	x.op.tool = s.tools.lookup(x.params.Name)
	x.rules = w.scope.Settings()
	pinned := w.options.PinTools && !w.options.Baseline.has(x.params.Name)
	rounds, _ := s.roundsOf()
	if n := rounds.take(&x.params); n != nil && !pinned && holds(n.rules, x.rules) {
		ended, cancel := x.carryOn(ctx, n)
		defer cancel()
		return s.ended(x, x.guarded(ended, s.laterCaller(x.rules)))
	} else if n != nil {
		endAll([]*round{n})
	}
	ctx = w.extract(ctx, x.params.Meta)
	ctx = toolkit.WithSession(ctx, toolkit.Session{ID: s.called().id})
	if listed, has := s.tools.known(x.params.Name); listed && !has {
		w.notes.add(note{kind: noteUnknownTool, session: s, text: x.params.Name})
	}
	ctx = spans.With(ctx, &spans.Spec{
		Operation: methodCallTool, Side: tracing.SideProxy, Kind: trace.SpanKindServer,
		Attributes: x.op.attributes(), End: x.op.end,
	})
	if !w.scope.Off() {
		ctx, x.op.running = toolkit.BeginAt(ctx, x.op.began, toolkit.Call{Name: x.params.Name, Arguments: x.args}, x.op.tool, w.observers...)
	}
	x.op.ctx = ctx
	if pinned {
		return s.ended(x, x.refused())
	}
	if x.params.carriesMore() && !x.rules.Off && !slices.Contains(x.rules.ToolsOff, x.params.Name) {
		call = s.inputCaller(x.rules.Policies)
	}
	return s.ended(x, x.guarded(ctx, call))
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
func (s *session) ended(x *exchange, r reply) reply {
	if rounds, shared := s.roundsOf(); r.asks && r.sent != nil && r.sent.op == x.op && rounds.put(r.sent, r.state, shared) {
		return r
	}
	x.op.becomesTask(x.op.ctx, r.task)
	if x.op.rounds > 0 {
		x.op.extra = append(x.op.extra, keyRounds.Int(x.op.rounds+1))
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
	err := &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: x.params.Name, Message: "the tool is not what was accepted: somebody has to look at it, and accept it, before it can be used"}
	record := x.op.running.Record()
	record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	record.Tag("mcp.definition", "not_accepted")
	return x.answered(toolkit.Failure(err), err)
}
