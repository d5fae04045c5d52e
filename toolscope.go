// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// New makes a scope. The error names the field of o or the environment variable that is wrong, what it
// got and what it wants.
func New(o Options) (*Scope, error) {
	c, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Scope{options: c}
	s.rules.Store(c.Settings.rules())
	if !c.NoStats {
		if err := s.makeStats(); err != nil {
			return nil, err
		}
	}
	if err := s.requireAskers(); err != nil {
		return nil, err
	}
	if !c.NoTracing || !c.NoMetrics {
		if err := s.makeTracing(); err != nil {
			return nil, err
		}
	}
	s.observers = append(s.observers, c.Observers...)
	return s, nil
}

func (s *Scope) makeStats() (err error) {
	c := s.options
	o := c.Stats
	if o.Redactor == nil {
		o.Redactor = c.Redactor
	}
	if s.recorder, err = stats.New(o); err != nil {
		return err
	}
	if err := s.checkHTTP(); err != nil {
		return err
	}
	s.observers = append(s.observers, s.recorder)
	return nil
}

// makeTracing puts the tracer after the statistics, so that it is the one nearest
// to the tool: its span's times are the call's.
func (s *Scope) makeTracing() (err error) {
	s.tracer, err = tracing.New(s.options.tracing(s.count))
	if err != nil {
		return err
	}
	s.tracer.SetContent(!s.options.Settings.NoContent)
	if err := s.watchSelf(); err != nil {
		return fmt.Errorf("toolscope: %w", err)
	}
	s.observers = append(s.observers, s.tracer)
	return nil
}

// count tells the statistics what redaction and truncation did to a call's content.
func (s *Scope) count(t tracing.ContentReport) {
	s.self.note(t.Findings)
	if s.recorder == nil {
		return
	}
	truncations := 0
	for _, cut := range []bool{t.ArgumentsTruncated, t.ResultTruncated} {
		if cut {
			truncations++
		}
	}
	s.recorder.AddContent(t.Tool, t.Findings.Count(), truncations)
}

// Wrap returns h observed and governed by the scope. tools are the registered tools: the
// statistics learn from them which are never used. Nil tools, and [toolkit.NoTools], are not
// known: then no name reaches a span name or a label. A nil h refuses each call with an error
// that says so.
func (s *Scope) Wrap(h toolkit.Handler, tools toolkit.Tools) toolkit.Handler {
	if s == nil {
		return toolkit.Chain(h)
	}
	if tools == nil {
		tools = toolkit.NoTools
	}
	s.registerTools(tools)
	return toolkit.Chain(h, s.middleware(tools.Lookup))
}

// A Registry is what [Scope.WrapRegistry] wraps: a [toolkit.Registry] is one.
type Registry interface {
	toolkit.Tools
	Handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error)
}

// WrapRegistry is [Scope.Wrap] of the registry's Handle and tools. A nil registry refuses each
// call with an error that says so.
func (s *Scope) WrapRegistry(r Registry) toolkit.Handler {
	if r == nil {
		return s.Wrap(nil, nil)
	}
	return s.Wrap(r.Handle, r)
}

// Observers are the scope's observers, for [toolkit.ObserveFunc], [toolkit.Observe] and
// [toolkit.Begin]. Policies do not apply to what they observe: use [WrapFunc], [Scope.Wrap] or
// [Scope.Callbacks] where those should be checked. The slice is the caller's.
func (s *Scope) Observers() []toolkit.Observer {
	if s == nil {
		return nil
	}
	return append([]toolkit.Observer(nil), s.observers...)
}

// StartAgent opens a span of an agent's run, under which its calls appear (see
// [tracing.Observer.StartAgent]). A scope without tracing and metrics returns ctx
// with the agent's session, and a nil run, which works.
func (s *Scope) StartAgent(ctx context.Context, a tracing.Agent) (context.Context, *tracing.AgentRun) {
	if s == nil || s.tracer == nil {
		return toolkit.WithSession(ctx, a.InSession(toolkit.SessionFrom(ctx))), nil
	}
	return s.tracer.StartAgent(ctx, a)
}

// Tracing is the scope's observer of spans and OpenTelemetry metrics; nil for a scope
// without both. Packages that watch a protocol take from it where spans go and what
// everything passes before it leaves.
func (s *Scope) Tracing() *tracing.Observer {
	if s == nil {
		return nil
	}
	return s.tracer
}

// Off reports whether the scope passes all calls on, as [Settings].Off says; a nil scope
// does.
func (s *Scope) Off() bool { return s == nil || s.rules.Load().off }

// Shutdown closes what the scope keeps open, its policies included, and returns when that is
// done or ctx is over; the application's providers stay. It may be called more than once, and calls made after it still
// work and are still watched.
func (s *Scope) Shutdown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.closing.Do(func() {
		var errs []error
		for _, p := range s.Settings().Policies {
			errs = append(errs, closeWithin(ctx, p))
		}
		if s.recorder != nil {
			errs = append(errs, s.recorder.Close(ctx))
		}
		if s.self.unwatch != nil {
			s.self.unwatch()
		}
		s.closeErr = errors.Join(errs...)
	})
	return s.closeErr
}
