// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/funcs"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A FuncOption changes how a function is wrapped.
type FuncOption func(*funcOptions)

type funcOptions struct{ observeOnly bool }

// ObserveOnly states that policies and disabled tools do not apply to this function.
func ObserveOnly() FuncOption { return func(o *funcOptions) { o.observeOnly = true } }

// WrapFunc returns next, observed and governed by the scope, with the same type. It is an error
// if the adapter lacks what the scope needs: always Call and Tools; Result for functions without
// an error; Result, With and Answer if the scope has policies or disabled tools, unless
// [ObserveOnly] says that they do not apply. A function that was wrapped without those makes
// [Scope.Apply] refuse policies and disabled tools.
//
// A result that is a stream (the adapter has Stream) can only be governed by policies that decide
// before the tool runs: Inject, Loop, Validate, Permit and Approve. Others are an error.
//
// A call with a nil context runs with [context.Background] if policies govern it; otherwise the
// function gets what the observers make of nil.
//
// While the scope is off, only next is called, and nothing of the adapter. A nil Scope returns
// next.
func WrapFunc[F toolkit.Func[C, R], C, R any](s *Scope, next F, a toolkit.Adapter[C, R], options ...FuncOption) (F, error) {
	if s == nil {
		return next, nil
	}
	w, err := newFuncWrapper[F](s, "WrapFunc", a, options)
	if err != nil {
		var none F
		return none, err
	}
	return w.wrap(next)
}

// FuncMiddleware is [WrapFunc] for frameworks whose middlewares cannot return an error:
// everything is checked here, once. F is given, C and R are inferred. The middleware returns a
// nil next as it is.
func FuncMiddleware[F toolkit.Func[C, R], C, R any](s *Scope, a toolkit.Adapter[C, R],
	options ...FuncOption) (func(next F) F, error) {
	if s == nil {
		return func(next F) F { return next }, nil
	}
	w, err := newFuncWrapper[F](s, "FuncMiddleware", a, options)
	if err != nil {
		return nil, err
	}
	return func(next F) F {
		wrapped, err := w.wrap(next)
		if err != nil { // next is nil: all else has been checked
			return next
		}
		return wrapped
	}, nil
}

// funcWrapper wraps functions of one type with one adapter. It has what it needs of a scope, but not
// the scope: the linker keeps all methods of the types in a generic type, here those of net/http's requests.
type funcWrapper[F toolkit.Func[C, R], C, R any] struct {
	observers   []toolkit.Observer
	rules       *atomic.Pointer[rules] // in force
	govern      toolkit.Middleware
	operation   string // for errors
	adapter     toolkit.Adapter[C, R]
	observeOnly bool
	governable  bool
}

func newFuncWrapper[F toolkit.Func[C, R], C, R any](s *Scope, operation string, a toolkit.Adapter[C, R],
	options []FuncOption) (*funcWrapper[F, C, R], error) {
	operation = "toolscope: " + operation
	var o funcOptions
	for _, option := range options {
		if option != nil {
			option(&o)
		}
	}
	w := &funcWrapper[F, C, R]{observers: s.observers, rules: &s.rules, govern: s.govern, operation: operation,
		adapter: a, observeOnly: o.observeOnly}
	probe := funcs.Join[F](func(context.Context, C) (r R, err error) { return r, err })
	if _, err := toolkit.ObserveFunc(probe, a); err != nil {
		return nil, funcs.Renamed(operation, err)
	}
	_, lacks := toolkit.GovernFunc(probe, a)
	w.governable = lacks == nil && !o.observeOnly
	if !o.observeOnly {
		path := wrapped{name: funcs.Describe[F](), stream: a.Stream != nil, lacks: funcs.Renamed(operation, lacks)}
		if err := s.register(path); err != nil {
			return nil, err
		}
	}
	s.registerTools(a.Tools)
	return w, nil
}

func (w *funcWrapper[F, C, R]) wrap(next F) (F, error) {
	plain := funcs.Split[F, C, R](next)
	joined, err := toolkit.ObserveFunc(next, w.adapter, w.observers...)
	if err != nil {
		return next, funcs.Renamed(w.operation, err)
	}
	observed := funcs.Split[F, C, R](joined)
	if !w.governable {
		return funcs.Join[F](func(ctx context.Context, c C) (R, error) {
			if w.rules.Load().off {
				return plain(ctx, c)
			}
			makeRoom()
			return observed(ctx, c)
		}), nil
	}
	joined, err = toolkit.GovernFunc(next, w.adapter, toolkit.Observe(w.adapter.Tools.Lookup, w.observers...), w.govern)
	if err != nil {
		return next, funcs.Renamed(w.operation, err)
	}
	governed := funcs.Split[F, C, R](joined)
	return funcs.Join[F](func(ctx context.Context, c C) (R, error) {
		r := w.rules.Load()
		if r.off {
			return plain(ctx, c)
		}
		makeRoom()
		if r.none() {
			return observed(ctx, c)
		}
		return governed(ctx, c)
	}), nil
}

// wrapped is a way of wrapping that policies apply to, or should.
type wrapped struct {
	name   string
	stream bool
	lacks  error // why policies cannot apply; nil if they can
}

// check returns an error if the rules cannot apply.
func (w wrapped) check(r *rules) error {
	if r.none() {
		return nil
	}
	if w.lacks != nil {
		return fmt.Errorf("%w; or wrap with ObserveOnly if policies and disabled tools are not to apply", w.lacks)
	}
	if !w.stream {
		return nil
	}
	for _, p := range r.policies {
		if !p.Stage().BeforeTool() {
			return fmt.Errorf("toolscope: %s returns a stream: got the policy %s, want only those that decide before the tool runs: %s",
				w.name, p.Stage(), stagesBeforeTool())
		}
	}
	return nil
}

func stagesBeforeTool() string {
	var names []string
	for _, s := range middleware.Stages() {
		if s.BeforeTool() {
			names = append(names, s.String())
		}
	}
	return strings.Join(names, ", ")
}

// register remembers a way of wrapping, so that Apply refuses rules that cannot apply to it. It
// is an error if those in use cannot. Ways that accept all rules are not kept; there are as many
// others as the program has types of functions.
func (s *Scope) register(w wrapped) error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if err := w.check(s.rules.Load()); err != nil {
		return err
	}
	if w.lacks == nil && !w.stream {
		return nil
	}
	if s.wrapped == nil {
		s.wrapped = map[string]wrapped{}
	}
	if before, ok := s.wrapped[w.name]; ok { // of two adapters for one type, what either lacks
		w.stream = w.stream || before.stream
		if w.lacks == nil {
			w.lacks = before.lacks
		}
	}
	s.wrapped[w.name] = w
	return nil
}

// registerTools tells the statistics which tools there are, and so which are never used. Lists
// that cannot be read are ignored.
func (s *Scope) registerTools(tools toolkit.Tools) {
	if _, unreadable := tools.(toolkit.Lookup); unreadable || tools == nil {
		return
	}
	if recorder := s.Stats(); recorder != nil {
		recorder.Register(tools)
	}
}
