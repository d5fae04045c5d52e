// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// policy notices unusual calls. Safe for concurrent use.
type policy struct {
	options Options
	model   *model

	learned  atomic.Bool  // something since the last save
	lastSave atomic.Int64 // in seconds since 1970
	saves    sync.WaitGroup

	signals, failed atomic.Uint64
}

var (
	_ middleware.Policy   = (*policy)(nil)
	_ middleware.Reporter = (*policy)(nil)
)

// Stage is [middleware.StageBaseline].
func (p *policy) Stage() middleware.Stage { return middleware.StageBaseline }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	next = toolkit.Chain(next)
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		session := call.Record.Session()
		if session == nil {
			session = toolkit.SessionFrom(ctx)
		}
		if session == nil || session.ID == "" {
			call.Record.Tag("baseline", "unscoped")
			return next(ctx, call)
		}
		v := p.arrive(call, session)
		for _, f := range v.found {
			call.Record.Tag(f.tag.Key, f.tag.Value)
		}
		res, err := next(p.ask(ctx, v), call)
		if ran(call, res, err) {
			many := v.agent.learn(v, &p.options, res.Size(), err == nil && res.Fault == nil)
			if many != "" {
				call.Record.Tag("baseline.size", many)
				p.signals.Add(1)
			}
			p.saveSometimes()
		}
		return res, err
	}
}

// arrive judges a call.
func (p *policy) arrive(call toolkit.Call, session *toolkit.Session) *visit {
	now := call.Record.Info().Start
	if now.IsZero() {
		now = time.Now()
	}
	now = now.UTC()
	v := &visit{tool: p.model.id('t', call.Name), day: now.Unix() / 86400, hour: now.Hour()}
	dir := ""
	if d := call.Record.Tool(); d != nil {
		dir = d.WorkDir
	}
	for _, text := range targets(call.Arguments, p.options.Targets[call.Name], dir) {
		v.targets = append(v.targets, target{p.model.id('x', text), text})
	}
	v.agent = p.model.agent(p.model.id('a', session.Tenant, session.Agent), p.options.Agents, now)
	v.agent.arrive(v, &p.options, now)
	p.signals.Add(uint64(len(v.found)))
	return v
}

// ask adds a question for the Approve policy if a signal of the call is to be asked about. What a rule asks stays.
func (p *policy) ask(ctx context.Context, v *visit) context.Context {
	var reasons []string
	for _, f := range v.found {
		if slices.Contains(p.options.Ask, f.signal) {
			reasons = append(reasons, f.reason)
		}
	}
	if len(reasons) == 0 {
		return ctx
	}
	q, asked := handoff.QuestionOf(ctx)
	if asked && !q.Settled {
		reasons = append([]string{q.Reason}, reasons...)
	} else {
		q.Rule = "baseline"
	}
	q.Settled, q.Reason = false, strings.Join(reasons, "; ")
	return handoff.WithQuestion(ctx, q)
}

// ran reports whether a call went as far as its tool: what was refused is not made usual by being tried.
func ran(call toolkit.Call, res toolkit.Result, err error) bool {
	if err == nil {
		err = res.Fault
	}
	refused := res.Suspended || err != nil && toolkit.Kind(toolkit.TypeOf(err)).Refusal()
	call.Record.Note(func(s *toolkit.Disposition) { refused = refused || s.Outcome == toolkit.OutcomeRefused })
	return !refused
}

// saveSometimes saves in a goroutine of its own, at most one at a time and one a minute.
func (p *policy) saveSometimes() {
	p.learned.Store(true)
	if p.options.File == "" {
		return
	}
	now, last := time.Now().Unix(), p.lastSave.Load()
	if last == 0 {
		p.lastSave.CompareAndSwap(0, now)
	}
	if last == 0 || now-last < int64(saveEvery/time.Second) || !p.lastSave.CompareAndSwap(last, now) {
		return
	}
	p.saves.Go(func() { _ = p.save() })
}

// save writes what was learned since the last time; a failure is counted.
func (p *policy) save() error {
	if p.options.File == "" || !p.learned.Swap(false) {
		return nil
	}
	err := p.model.save(p.options.File)
	if err != nil {
		p.learned.Store(true)
		p.failed.Add(1)
	}
	return err
}

// Close saves what was learned. Calls afterwards are judged, and what they teach may be lost.
func (p *policy) Close() error {
	p.saves.Wait()
	return p.save()
}

// Inherit takes over what the policy learned that p takes the place of. It must be called before p is in use. A policy
// with another file that has something in it keeps that.
func (p *policy) Inherit(from middleware.Policy) {
	old, ok := from.(*policy)
	if !ok || old.options.File != p.options.File && len(p.model.all()) > 0 {
		return
	}
	p.model = old.model
}

// Figures reports the agents, those of them in the warm-up, and the signals so far. save_errors is how often the file
// could not be written.
func (p *policy) Figures(report func(name string, value float64)) {
	agents, learning := p.model.all(), 0
	for _, a := range agents {
		a.mu.Lock()
		if a.Tools.Seen < uint64(p.options.Warmup) {
			learning++
		}
		a.mu.Unlock()
	}
	report("agents", float64(len(agents)))
	report("learning", float64(learning))
	report("signals", float64(p.signals.Load()))
	report("save_errors", float64(p.failed.Load()))
}
