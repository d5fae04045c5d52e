// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package govern

import (
	"context"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/toolkit"
)

// Govern runs an exchange through the policies, in a span of its own, unless it is the next round of one
// that they have let through: then it continues the span of that one.
func (c *Calls) Govern(ctx context.Context, call Caller, x *Exchange) Reply {
	w := c.Watcher
	x.rules = w.Scope.Settings()
	pinned := w.PinTools && !w.Baseline.Has(x.Params.Name)
	if x.Params.CarriesInput() {
		rounds, _ := c.rounds()
		n := rounds.Claim(watch.GovernedKey(&x.Params, x.Params.RequestState))
		if n != nil && !pinned && holds(n.Rules, x.rules) {
			ended, cancel := x.carryOn(ctx, n)
			defer cancel()
			return c.ended(x, x.guarded(ended, c.laterCaller(x.rules)))
		}
		if n != nil {
			watch.EndRounds([]*watch.Round{n})
		}
	}
	ctx = x.begin(ctx)
	if pinned {
		x.Op.Running.Record().Tag("mcp.definition", "not_accepted")
		return c.ended(x, x.refused("the tool is not what was accepted: a user has to review and accept it before it can be used"))
	}
	if x.Params.CarriesMore() && !x.rules.Off && !slices.Contains(x.rules.ToolsOff, x.Params.Name) {
		call = c.inputCaller(x.rules.Policies)
	}
	return c.ended(x, x.guarded(ctx, call))
}

// guarded runs the exchange. A policy's panic ends the call and goes on: net/http lets the others go on.
func (x *Exchange) guarded(ctx context.Context, call Caller) Reply {
	returned := false
	defer func() {
		if !returned {
			x.Op.Running.End(toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrPanic, Tool: x.Params.Name, Message: "a policy panicked"})
		}
	}()
	r := call(ctx, x)
	returned = true
	return r
}

// ended has the reply tell the observers how a call ended, unless its server asks for input.
func (c *Calls) ended(x *Exchange, r Reply) Reply {
	if r.asks && r.sent != nil && r.sent.Op == x.Op && c.KeepRound(r.sent, r.state) {
		return r
	}
	x.Op.BecomesTask(x.Op.Ctx, r.task)
	if x.Op.Rounds > 0 {
		x.Op.Extra = append(x.Op.Extra, keys.Rounds.Int(x.Op.Rounds+1))
	}
	res := r.Result
	if r.Ended == nil && res.Fault == nil {
		res.Fault = r.Failure()
	}
	res.Suspended = res.Suspended && !r.Passed // policies must not store what has been passed on: see adapter
	if r.Ended == nil && r.fault == nil && res.Fault != nil && x.Op.Tool == nil {
		res.Fault = &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: x.Params.Name, Cause: res.Fault}
		x.Op.Running.Record().Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	}
	at := time.Now()
	r.end = func() { x.Op.Running.EndAt(at, res, r.Ended) }
	return r
}

// begin tells the observers that a call has begun.
func (x *Exchange) begin(ctx context.Context) context.Context {
	w := x.Op.Engine
	x.Op.SetTool()
	ctx = x.Op.CallContext(w.Extract(ctx, x.Params.Meta))
	if !w.Scope.Off() {
		asked := toolkit.Call{Name: x.Params.Name, Arguments: x.Args}
		ctx, x.Op.Running = toolkit.BeginAt(ctx, x.Op.Began, asked, x.Op.Tool, w.Observers...)
	}
	x.Op.Ctx = ctx
	return ctx
}

// Refuse records a call that the transport refuses, since policies cannot govern it.
func (c *Calls) Refuse(ctx context.Context, x *Exchange, why string) {
	x.begin(ctx)
	r := c.ended(x, x.refused(why))
	r.Observe()
}

// refused is the answer to a call that does not run, for a reason that no policy is asked about.
func (x *Exchange) refused(why string) Reply {
	err := &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: x.Params.Name, Message: why}
	x.Op.Running.Record().Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	return x.answered(toolkit.Failure(err), err)
}
