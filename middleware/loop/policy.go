// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/internal/workflowagent"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

var _ middleware.Policy = (*policy)(nil)

// Stage is [middleware.StageLoop].
func (p *policy) Stage() middleware.Stage { return middleware.StageLoop }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	next = toolkit.Chain(next)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		session := call.Record.Session()
		if session == nil {
			session = toolkit.SessionFrom(ctx)
		}
		who, ok := agentOf(session)
		if !ok {
			call.Record.Tag("loop", "unscoped")
			return next(ctx, call)
		}
		now := call.Record.Info().Start // cheaper than another look at the clock
		if now.IsZero() {
			now = time.Now()
		}
		return p.watch(ctx, call, next, p.histories.Get(who, now), who)
	}
}

// watch runs one call of the agent whose history h is.
func (p *policy) watch(
	ctx context.Context, call toolkit.Call, next toolkit.Handler, h *history, who agent,
) (res toolkit.Result, err error) {
	s := p.passage(call, who, h)
	print, printOfTool := p.callPrints(call)
	v := h.beginAt(ctx, s, print, printOfTool)
	if v.times > 1 {
		call.Record.Note(func(s *toolkit.Disposition) { s.Repeat = v.times - 1 })
	}
	tool := call.Record.Tool()
	if tool == nil && p.lookup != nil {
		tool = p.lookup(call.Name)
	}
	r := p.rules(call.Name, tool)
	if l := r.before(&v); l.Kind != "" {
		h.stopAt(ctx, s, v)
		p.reportLoop(ctx, call, l)
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrLoopDetected, Message: l.refusal()})
	}
	returned := false
	defer func() {
		if !returned { // a panic, or the end of the goroutine, each like the other
			h.endAt(ctx, s, &v, 1, true, false)
			p.reportLoop(ctx, call, r.after(&v).only(Signal))
		}
	}()
	res, err = next(ctx, call)
	returned = true
	came, failed := p.resultPrint(call, res, err)
	h.endAt(ctx, s, &v, came, failed, r.progress != "" && res.Size() > 0)
	l := r.after(&v)
	if l.Action == Advice {
		advised := false
		if !workflowagent.Is(who.name) { // advice in a result that a workflow reads would spoil its JSON
			res, err, advised = l.advise(res, err)
		}
		if !advised {
			l = l.only(Signal)
		}
	}
	p.reportLoop(ctx, call, l)
	return res, err
}
