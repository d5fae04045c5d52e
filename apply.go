// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// rules are the settings in the form that calls use; they do not change.
type rules struct {
	off         bool
	noContent   bool
	toolsOff    map[string]bool
	policies    []middleware.Policy
	middlewares []toolkit.Middleware
}

func (n Settings) rules() *rules {
	r := &rules{off: n.Off, noContent: n.NoContent, toolsOff: map[string]bool{}, policies: slices.Clone(n.Policies),
		middlewares: middleware.Middlewares(n.Policies...)}
	for _, name := range n.ToolsOff {
		r.toolsOff[name] = true
	}
	return r
}

// none reports whether no call is governed: a layer less for each.
func (r *rules) none() bool { return len(r.middlewares) == 0 && len(r.toolsOff) == 0 }

// Apply changes settings. Calls that have begun go on under the settings they began
// with, none is dropped. A policy that is not among the new ones is closed, unless it is of
// a type that cannot be compared: its presence cannot be determined. An error names what is
// wrong, and nothing is changed then, but for one that a policy's Close returned. Policies and
// disabled tools are an error if something was wrapped that they cannot apply to: see [WrapFunc]
// and [Scope.Callbacks]. Safe for concurrent use.
func (s *Scope) Apply(n Settings) error {
	if s == nil {
		return nil
	}
	if err := checkPolicies("Settings.Policies", n.Policies); err != nil {
		return err
	}
	if err := checkToolNames("Settings.ToolsOff", n.ToolsOff); err != nil {
		return err
	}
	if err := s.checkApprovals(n.Policies); err != nil {
		return err
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	after := n.rules()
	if err := s.checkWrapped(after); err != nil {
		return err
	}
	before := s.rules.Swap(after)
	s.self.applied.Add(1)
	if s.tracer != nil {
		s.tracer.SetContent(!n.NoContent)
	}
	var errs []error
	for _, p := range before.policies {
		if reflect.ValueOf(p).Comparable() && !slices.Contains(n.Policies, p) {
			errs = append(errs, closeWithin(context.Background(), p))
		}
	}
	return errors.Join(errs...)
}

// Settings are those in use.
func (s *Scope) Settings() Settings {
	if s == nil {
		return Settings{Off: true}
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	r := s.rules.Load()
	n := Settings{Off: r.off, ToolsOff: slices.Sorted(maps.Keys(r.toolsOff)), Policies: slices.Clone(r.policies)}
	n.NoContent = r.noContent
	return n
}

// closeWithin closes a policy, and returns when that is done or ctx is over. A panic of it
// is an error.
func closeWithin(ctx context.Context, p middleware.Policy) error {
	switch p.(type) {
	case io.Closer, interface{ Close() }:
	default:
		return nil
	}
	closed := make(chan error, 1)
	go func() {
		err := fmt.Errorf("toolscope: closing the policy %T panicked", p)
		defer func() { _ = recover(); closed <- err }() // also for one that ends its goroutine
		err = closePolicy(p)
	}()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-closed: // at the same time
		return err
	default:
		return fmt.Errorf("toolscope: closing the policy %T: %w", p, ctx.Err())
	}
}

func closePolicy(p middleware.Policy) error {
	switch c := p.(type) {
	case io.Closer:
		return c.Close()
	case interface{ Close() }:
		c.Close()
	}
	return nil
}

// middleware watches and governs by the rules that hold when a call begins.
func (s *Scope) middleware(tools toolkit.Lookup) toolkit.Middleware {
	observe := toolkit.Observe(tools, s.observers...)
	return func(next toolkit.Handler) toolkit.Handler {
		watched, governed := observe(next), observe(s.govern(next))
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			r := s.rules.Load()
			if r.off {
				return next(ctx, call)
			}
			makeRoom()
			if r.none() {
				return watched(ctx, call)
			}
			return governed(ctx, call)
		}
	}
}

// Policies is the middleware of the scope's policies alone, those in use when a call begins. It is for
// those who tell the observers themselves ([toolkit.BeginAt]), such as of a call that goes on after its
// handler has returned; they give the call the record of what they began. A nil scope has none.
func (s *Scope) Policies() toolkit.Middleware {
	return func(next toolkit.Handler) toolkit.Handler {
		next = toolkit.Chain(next) // a nil one refuses
		if s == nil {
			return next
		}
		governed := s.govern(next)
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if r := s.rules.Load(); r.off || r.none() {
				return next(ctx, call)
			}
			return governed(ctx, call)
		}
	}
}

// govern chains the policies before next, again whenever they have changed.
func (s *Scope) govern(next toolkit.Handler) toolkit.Handler {
	type chain struct {
		rules  *rules
		handle toolkit.Handler
	}
	var current atomic.Pointer[chain]
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if ctx == nil {
			ctx = context.Background() // policies make contexts of it
		}
		c := current.Load()
		if r := s.rules.Load(); c == nil || c.rules != r {
			c = &chain{r, toolkit.Chain(next, r.middlewares...)}
			current.Store(c)
		}
		if len(c.rules.toolsOff) > 0 && c.rules.toolsOff[call.Name] {
			call.Record.Tag("switch", "tool_off")
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied,
				Message: "the tool is turned off; go on without it"})
		}
		return c.handle(ctx, call)
	}
}

// checkWrapped returns an error if rules cannot apply to what the scope has wrapped.
func (s *Scope) checkWrapped(r *rules) error {
	for _, name := range slices.Sorted(maps.Keys(s.wrapped)) {
		if err := s.wrapped[name].check(r); err != nil {
			return err
		}
	}
	return nil
}
