// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// policy limits the running time of calls. It stands at
// [middleware.StageTimeout]. Safe for concurrent use.
type policy struct {
	otherwise *limit          // for tools without a rule and without a Timeout in their definition
	ceiling   time.Duration   // of definitions; 0 for none
	tools     map[string]rule // nil if there is none
	said      limits          // by definitions, under their ceilings
	lookup    toolkit.Lookup
	maxApart  int64
	apart     atomic.Int64 // goroutines of their own, abandoned or not
	abandoned atomic.Int64 // those abandoned
}

// A rule is what the options say of a tool.
type rule struct {
	limit   *limit        // nil for none
	fixed   bool          // whether limit is an entry of Tools, which wins over a definition
	ceiling time.Duration // of a definition's Timeout; 0 or below for none
	abandon bool
}

var _ middleware.Policy = (*policy)(nil)

// Stage is [middleware.StageTimeout].
func (p *policy) Stage() middleware.Stage { return middleware.StageTimeout }

// Figures reports how many calls were abandoned and have not ended yet.
func (p *policy) Figures(report func(name string, value float64)) {
	report("abandoned", float64(p.abandoned.Load()))
}

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	next = toolkit.Chain(next)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		r := p.rule(call)
		if r.abandon {
			return p.runApart(ctx, call, next, r.limit)
		}
		l := r.limit
		if l == nil {
			return next(ctx, call)
		}
		inner := l.attempt(ctx)
		defer inner.end()
		res, err := next(inner, call)
		if inner.Err() == nil {
			return res, err
		}
		return l.reportEnd(ctx, inner, call, res, err)
	}
}

// rule returns what applies to the call.
func (p *policy) rule(call toolkit.Call) rule {
	r, ok := rule{}, false
	if p.tools != nil {
		if r, ok = p.tools[call.Name]; r.fixed {
			return r
		}
	}
	if !ok {
		r.limit, r.ceiling = p.otherwise, p.ceiling
	}
	d := call.Record.Tool()
	if d == nil && p.lookup != nil {
		d = p.lookup(call.Name)
	}
	if d != nil && d.Timeout != 0 {
		r.limit = p.said.forDuration(capped(d.Timeout, r.ceiling))
	}
	return r
}
