// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
)

// rates holds the limits on calls that begin. A call asks up to three windows, of all
// calls, of its tool and of its key, and begins if all allow it: then, and only then, it
// counts in all.
type rates struct {
	options Rate
	keyOf   func(context.Context, toolkit.Call) id
	lookup  toolkit.Lookup
	began   time.Time // what times are measured from, by the monotonic clock

	health shared.Health // of the store that processes share

	mu      sync.Mutex
	global  *window // nil: no limit
	tools   *sessions.Table[string, *window]
	keys    *sessions.Table[id, *window]
	waiting int
}

// never is when the windows of tools are forgotten for being idle: they are few.
const never = 1 << 62

func newRates(o Rate, keyOf func(context.Context, toolkit.Call) id, lookup toolkit.Lookup) *rates {
	r := &rates{options: o, keyOf: keyOf, lookup: lookup, began: time.Now()}
	if o.Global.MaxCalls > 0 {
		r.global = &window{scope: ScopeGlobal}
		r.global.set(o.Global, maxLog)
	}
	r.tools = sessions.New[string](0, never, func() *window { return &window{scope: ScopeTool} })
	// A key that no caller asked for so long has no waiter and an empty log: nothing is lost.
	idle := o.PerKey.Window + o.MaxWait
	if idle < 0 { // more than a time.Duration holds
		idle = never
	}
	r.keys = sessions.New[id](o.MaxKeys, max(idle, time.Minute), func() *window { return &window{scope: ScopeKey} })
	return r
}

func (r *rates) wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		limit := r.limitOf(call)
		if limit.MaxCalls <= 0 && r.global == nil && r.options.PerKey.MaxCalls <= 0 {
			return next(ctx, call)
		}
		if end := r.admit(ctx, call, limit); end != nil {
			return end()
		}
		return next(ctx, call)
	}
}

// limitOf is the limit of the call's tool.
func (r *rates) limitOf(call toolkit.Call) toolkit.RateLimit {
	if len(r.options.Tools) > 0 {
		if l, ok := r.options.Tools[call.Name]; ok {
			return l
		}
	}
	if r.options.IgnoreDefinitions {
		return toolkit.RateLimit{}
	}
	tool := call.Record.Tool()
	if tool == nil && r.lookup != nil {
		tool = r.lookup(call.Name)
	}
	if tool != nil && tool.RateLimit.Window > 0 {
		return tool.RateLimit
	}
	return toolkit.RateLimit{}
}

// admit lets a call begin; else end is how it ends.
func (r *rates) admit(ctx context.Context, call toolkit.Call, limit toolkit.RateLimit) (end func() (toolkit.Result, error)) {
	var key id
	if r.options.PerKey.MaxCalls > 0 {
		key = r.keyOf(ctx, call)
	}
	if r.options.Store != nil {
		if end, decided := r.admitShared(ctx, call, limit, key); decided {
			return end
		}
	}
	r.mu.Lock()
	now := time.Now()
	ws := r.windowsOf(call, limit, key, now)
	blocking, wait := ws.try(now.Sub(r.began), nil)
	if blocking == nil {
		r.mu.Unlock()
		return nil
	}
	cause := blocking.refusal(wait)
	t := r.join(ctx, now, ws, blocking, wait)
	r.mu.Unlock()
	tell(call, "rate", cause.Scope)
	if t != nil {
		began := time.Now()
		cause = t.wait(ctx)
		waited := time.Since(began)
		call.Record.Note(func(n *toolkit.Disposition) { n.Queue += waited })
		if cause == nil {
			return nil
		}
	}
	if t != nil && ctx.Err() != nil {
		return func() (toolkit.Result, error) { return gaveUp(ctx, call) }
	}
	return func() (toolkit.Result, error) { return refuse(call, toolkit.ErrRateLimited, cause) }
}

func (r *rates) figures(f *figures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.waiting += r.waiting
	f.forgotten = r.keys.Forgotten()
}

// windowsOf are the windows of a call. The caller holds the lock.
func (r *rates) windowsOf(call toolkit.Call, limit toolkit.RateLimit, key id, now time.Time) windows {
	ws := windows{r.global, nil, nil}
	if limit.MaxCalls > 0 {
		ws[1] = r.tools.Get(call.Name, now)
		ws[1].set(limit, maxLog)
	}
	if key.name != "" {
		ws[2] = r.keys.Get(key, now)
		ws[2].set(r.options.PerKey, maxKeyLog)
	}
	return ws
}
