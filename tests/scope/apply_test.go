// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// closing counts the calls it sees and whether it was closed.
type closing struct {
	calls, closed atomic.Int64
	err           error
}

func (c *closing) Stage() middleware.Stage { return middleware.StageCache }
func (c *closing) Wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		c.calls.Add(1)
		return next(ctx, call)
	}
}
func (c *closing) Close() error { c.closed.Add(1); return c.err }

// switched is a scope over a recorder of spans, with a tool wrapped in three ways.
type switched struct {
	*toolscope.Scope
	spans *tracetest.SpanRecorder
	calls map[string]func(context.Context) (string, error)
}

func newSwitched(t *testing.T, o toolscope.Options) *switched {
	t.Helper()
	s := &switched{spans: tracetest.NewSpanRecorder()}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(s.spans))
	var err error
	o.TracerProvider, o.Content = provider, cmp.Or(o.Content, tracing.ContentOn)
	s.Scope, err = toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	def := toolkit.Definition{Name: "echo"}
	echo := tooltest.Echo(def)
	lookup := toolkit.Lookup(func(string) *toolkit.Definition { return &def })
	adapter := toolkit.Adapter[toolkit.Call, toolkit.Result]{
		Tools:  lookup,
		Call:   func(c toolkit.Call) toolkit.Call { return c },
		Result: func(r toolkit.Result, _ error) toolkit.Result { return r },
		Answer: func(_ toolkit.Call, r toolkit.Result, _ error) toolkit.Result { return r },
		With:   func(c toolkit.Call, a json.RawMessage) toolkit.Call { c.Arguments = bytes.Clone(a); return c },
	}
	wrapped := s.Wrap(echo.Handle, lookup)
	watched, err := toolscope.WrapFunc(s.Scope, echo.Handle, adapter, toolscope.ObserveOnly())
	if err != nil {
		t.Fatal(err)
	}
	soft, err := toolscope.WrapFunc(s.Scope,
		func(ctx context.Context, c toolkit.Call) toolkit.Result { r, _ := echo.Handle(ctx, c); return r }, adapter,
		toolscope.ObserveOnly())
	if err != nil {
		t.Fatal(err)
	}
	governed, err := toolscope.WrapFunc(s.Scope, echo.Handle, adapter)
	if err != nil {
		t.Fatal(err)
	}
	call := toolkit.Call{Name: "echo", Arguments: []byte(`{"a":1}`)}
	handler := func(h func(context.Context, toolkit.Call) (toolkit.Result, error)) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { r, err := h(ctx, call); return r.Output, err }
	}
	s.calls = map[string]func(context.Context) (string, error){
		"Wrap": handler(wrapped), "ObserveOnly": handler(watched), "WrapFunc": handler(governed),
		"ObserveOnly without error": func(ctx context.Context) (string, error) { return soft(ctx, call).Output, nil },
	}
	return s
}

func TestApplyTurnsAllOffAndOn(t *testing.T) {
	s := newSwitched(t, toolscope.Options{})
	for name, call := range s.calls {
		for _, off := range []bool{true, false, true} {
			if err := s.Apply(toolscope.Settings{Off: off}); err != nil {
				t.Fatal(err)
			}
			before, calls := len(s.spans.Ended()), s.Stats().Summary(stats.Window{}).Overall.Calls
			if out, err := call(t.Context()); err != nil || out != `{"a":1}` {
				t.Errorf("%s: got %q, %v", name, out, err)
			}
			want := 1
			if off {
				want = 0
			}
			if got := len(s.spans.Ended()) - before; got != want {
				t.Errorf("%s, off: %t: %d spans, want %d", name, off, got, want)
			}
			if got := s.Stats().Summary(stats.Window{}).Overall.Calls - calls; got != uint64(want) {
				t.Errorf("%s, off: %t: %d calls counted, want %d", name, off, got, want)
			}
			if got := s.Settings().Off; got != off {
				t.Errorf("Settings: got off: %t", got)
			}
		}
	}
}

func TestApplyHidesContent(t *testing.T) {
	s := newSwitched(t, toolscope.Options{})
	has := func() bool {
		if _, err := s.calls["Wrap"](t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := s.spans.Ended()
		for _, a := range ended[len(ended)-1].Attributes() {
			if a.Key == "gen_ai.tool.call.arguments" {
				return true
			}
		}
		return false
	}
	for _, hidden := range []bool{false, true, false} {
		if err := s.Apply(toolscope.Settings{NoContent: hidden}); err != nil {
			t.Fatal(err)
		}
		if has() == hidden || s.Settings().NoContent != hidden {
			t.Errorf("hidden: %t: the span has arguments: %t", hidden, !hidden)
		}
	}
	never := newSwitched(t, toolscope.Options{Content: tracing.ContentOff})
	if err := never.Apply(toolscope.Settings{}); err != nil {
		t.Fatal(err)
	}
	s = never
	if has() {
		t.Error("Apply turned on what Options.Content had turned off")
	}
}

func TestApplyTurnsToolsOff(t *testing.T) {
	s := newSwitched(t, toolscope.Options{})
	if err := s.Apply(toolscope.Settings{ToolsOff: []string{"echo", "other"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Wrap", "WrapFunc"} {
		if _, err := s.calls[name](t.Context()); !errors.Is(err, toolkit.ErrPermissionDenied) {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
	if _, err := s.calls["ObserveOnly"](t.Context()); err != nil {
		t.Errorf("an observed call is not governed: got %v", err)
	}
}

func TestApplyExchangesPolicies(t *testing.T) {
	kept, gone, came := &closing{}, &closing{err: errors.New("disk")}, &closing{}
	s := newSwitched(t, toolscope.Options{Policies: []middleware.Policy{kept, gone}})
	call := func() {
		t.Helper()
		for _, name := range []string{"Wrap", "WrapFunc"} {
			if _, err := s.calls[name](t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	call()
	if err := s.Apply(toolscope.Settings{Policies: []middleware.Policy{nil}}); err == nil || gone.closed.Load() != 0 {
		t.Errorf("a nil policy: got %v", err)
	}
	if err := s.Apply(toolscope.Settings{Policies: []middleware.Policy{came, kept}}); err == nil ||
		!strings.Contains(err.Error(), "disk") {
		t.Errorf("got %v, want what Close returned", err)
	}
	call()
	if k, g, c := kept.calls.Load(), gone.calls.Load(), came.calls.Load(); k != 4 || g != 2 || c != 2 {
		t.Errorf("kept saw %d calls, gone %d, came %d; want 4, 2, 2", k, g, c)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept.closed.Load() != 1 || gone.closed.Load() != 1 || came.closed.Load() != 1 {
		t.Error("each policy is closed once")
	}
}

// No call is dropped or refused while settings change under it.
func TestApplyUnderLoad(t *testing.T) {
	s := newSwitched(t, toolscope.Options{})
	var wg sync.WaitGroup
	done := make(chan struct{})
	for _, call := range s.calls {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if out, err := call(t.Context()); err != nil || out == "" {
					t.Errorf("got %q, %v", out, err)
					return
				}
			}
		})
	}
	for i := range 300 {
		if err := s.Apply(toolscope.Settings{Off: i%3 == 0, NoContent: i%2 == 0,
			Policies: []middleware.Policy{&closing{}}}); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	wg.Wait()
}
