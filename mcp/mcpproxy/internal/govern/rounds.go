// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package govern

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// onceOnly reports whether a call passes a policy once, whatever its rounds: what it judges, the
// arguments, is the same in each. The other policies apply to what runs, which each round does. A
// round is not retried either: its server may accept the state that it gave only once.
func onceOnly(p middleware.Policy) bool {
	return p.Stage().BeforeTool() || p.Stage() == middleware.StageRetry
}

// laterCaller governs the next rounds of calls that policies have let through.
func (c *Calls) laterCaller(rules toolscope.Settings) Caller {
	if rules.Off {
		return govern(c.adapter())
	}
	return c.inputCaller(slices.DeleteFunc(slices.Clone(rules.Policies), func(p middleware.Policy) bool {
		return p == nil || onceOnly(p)
	}))
}

// inputCaller governs, by some policies, calls that carry more than arguments. Behind those that judge them they have no identity
// (package identity), so that none is answered with what came of the arguments alone, or answers such a call.
func (c *Calls) inputCaller(policies []middleware.Policy) Caller {
	adapter := c.adapter()
	adapter.With = func(x *Exchange, args stdjson.RawMessage) *Exchange {
		if bytes.Equal(args, unidentified(x.Args)) { // as the client sent them
			return x.with(x.Args)
		}
		return x.with(identified(args))
	}
	hide := middleware.At(middleware.StageApprove, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Arguments = unidentified(call.Arguments)
			return next(ctx, call)
		}
	})
	return govern(adapter, middleware.Middlewares(append(slices.Clone(policies), hide)...)...)
}

// twice is a member that stands twice, with which arguments have no identity. No client's have it: they are refused.
const twice = `"":0,"":0`

// unidentified are arguments with the member that stands twice.
func unidentified(args []byte) []byte {
	within := bytes.TrimPrefix(bytes.TrimSpace(args), []byte("{"))
	if len(within) == len(bytes.TrimSpace(args)) { // none, or null
		return []byte("{" + twice + "}")
	}
	comma := ","
	if bytes.HasPrefix(bytes.TrimLeft(within, " \t\r\n"), []byte("}")) {
		comma = ""
	}
	return append([]byte("{"+twice+comma), within...)
}

// identified are arguments without it.
func identified(args []byte) []byte {
	within, has := bytes.CutPrefix(args, []byte("{"+twice))
	if !has {
		return args
	}
	return append([]byte("{"), bytes.TrimPrefix(within, []byte(","))...)
}

// KeepRound keeps a call whose server has asked for input until its next round; of too many the oldest ends. It is
// false for one whose next round nothing tells from other calls, as those of clients without a session without a
// state; and where the calls that wait have [maxArguments] already, of all sessions.
func (c *Calls) KeepRound(x *Exchange, state string) bool {
	rounds, shared := c.rounds()
	if shared && state == "" || x.Op.Rounds+1 >= watch.MaxRounds {
		return false
	}
	n := &watch.Round{
		Op: x.Op, Key: watch.GovernedKey(&x.Params, state), At: time.Now(), Governed: true, Rules: x.rules,
		Held: int64(len(x.Params.Arguments)),
	}
	if string(x.Args) != string(x.Params.Arguments) {
		n.Args = x.Args
		n.Held += int64(len(x.Args))
	}
	if !n.Reserve() {
		return false
	}
	if !rounds.Keep(n) {
		n.Release()
		return false
	}
	return true
}

// holds reports whether a call that was judged by some settings need not be judged again: what refuses
// calls is the same. Of policies that cannot be compared those of one type count as the same.
func holds(then, now toolscope.Settings) bool {
	same := func(a, b middleware.Policy) bool {
		if !reflect.ValueOf(a).Comparable() || !reflect.ValueOf(b).Comparable() {
			return reflect.TypeOf(a) == reflect.TypeOf(b)
		}
		return a == b
	}
	return then.Off == now.Off && slices.Equal(then.ToolsOff, now.ToolsOff) && slices.EqualFunc(then.Policies, now.Policies, same)
}

// rounds is where the calls of the session wait; shared says that clients are indistinguishable there.
func (c *Calls) rounds() (r *watch.Waiting, shared bool) {
	if c.Session.Fleeting.Load() {
		return &c.Watcher.Shared, true
	}
	return &c.Session.Rounds, false
}

// carryOn makes the exchange the next round of a call that policies have let through. It runs in a context with the
// values of the call, which ends with that of this round.
func (x *Exchange) carryOn(ctx context.Context, n *watch.Round) (context.Context, context.CancelFunc) {
	id := x.Op.ID
	x.Op = n.Op
	x.Op.Rounds++
	x.Op.Attempts.Store(0) // this round's id is its own
	x.Op.ID = id
	if n.Args != nil {
		x.Args = n.Args
	}
	values, cancel := context.WithCancelCause(context.WithoutCancel(x.Op.Ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return values, func() { stop(); cancel(nil) }
}
