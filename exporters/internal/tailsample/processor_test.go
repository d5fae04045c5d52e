// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// none keeps only what matters.
var none = tailsample.Options{Ratio: -1}

func TestWhatMatters(t *testing.T) {
	slow := func(tool string) time.Duration {
		if tool == "slow" {
			return time.Second
		}
		return 0
	}
	called := []attribute.KeyValue{attribute.String("gen_ai.tool.name", "slow"),
		attribute.String("toolscope.outcome", "executed")}
	with := func(base []attribute.KeyValue, more ...attribute.KeyValue) []attribute.KeyValue {
		return append(base[:len(base):len(base)], more...)
	}
	for _, c := range []struct {
		name string
		span func(trace.Span)
		want bool
	}{
		{"nothing", func(trace.Span) {}, false},
		{"a status that is fine", func(s trace.Span) { s.SetStatus(codes.Ok, "") }, false},
		{"an error", func(s trace.Span) { s.SetStatus(codes.Error, "disk full") }, true},
		{"error.type", func(s trace.Span) { s.SetAttributes(attribute.String("error.type", "timeout")) }, true},
		{"a refusal", func(s trace.Span) { s.SetAttributes(attribute.String("toolscope.outcome", "refused")) }, true},
		{"a cache hit", func(s trace.Span) { s.SetAttributes(attribute.String("toolscope.outcome", "cache_hit")) }, false},
		{"a panic of a tool", func(s trace.Span) { s.SetAttributes(attribute.String("toolscope.ending", "panicked")) }, true},
		{"an exception", func(s trace.Span) { s.RecordError(errors.New("lost")) }, true},
		{"another event", func(s trace.Span) { s.AddEvent("retry") }, false},
		{"a loop", func(s trace.Span) { s.SetAttributes(attribute.String("toolscope.loop.kind", "repeat")) }, true},
		{"flagged", func(s trace.Span) { s.SetAttributes(tailsample.KeepKey.Bool(true)) }, true},
		{"flagged with no", func(s trace.Span) { s.SetAttributes(tailsample.KeepKey.Bool(false)) }, false},
		{"flagged with a text", func(s trace.Span) { s.SetAttributes(tailsample.KeepKey.String("true")) }, false},
		{"flagged by the function", func(s trace.Span) { s.SetName("checkout") }, true},
		{"the function panics", func(s trace.Span) { s.SetName("panic") }, false},
		{"slower than usual", func(
			s trace.Span) {
			s.SetAttributes(with(called, attribute.Float64("toolscope.run.duration", 1.5))...)
		}, true},
		{"slower than usual, in the background", func(s trace.Span) {
			s.SetAttributes(attribute.String("toolscope.tool.name", "slow"),
				attribute.String("toolscope.outcome", "executed"), attribute.Float64("toolscope.run.duration", 9))
		}, true},
		{"as usual", func(s trace.Span) {
			s.SetAttributes(with(called, attribute.Float64("toolscope.run.duration", 0.5))...)
		}, false},
		{"slow, and the tool is not known", func(s trace.Span) {
			s.SetAttributes(attribute.String("gen_ai.tool.name", "new"),
				attribute.String("toolscope.outcome", "executed"), attribute.Float64("toolscope.run.duration", 9))
		}, false},
		{"slow, and never ran", func(s trace.Span) {
			s.SetAttributes(attribute.String("gen_ai.tool.name", "slow"),
				attribute.String("toolscope.outcome", "cache_hit"), attribute.Float64("toolscope.run.duration", 9))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, tailsample.Options{Ratio: -1, Slow: slow, Keep: func(s sdktrace.ReadOnlySpan) bool {
				if s.Name() == "panic" {
					panic("the application's function")
				}
				return s.Name() == "checkout"
			}})
			ctx, root := h.tracer.Start(context.Background(), "turn")
			h.child(ctx)
			_, s := h.tracer.Start(ctx, "the one")
			c.span(s)
			s.End()
			h.child(ctx)
			root.End()
			if got, want := len(h.kept.Ended()), map[bool]int{true: 4}[c.want]; got != want {
				t.Errorf("got %d spans (%s), want %d of 4", got, h.names(), want)
			}
			for _, s := range h.kept.Ended() {
				if got := s.SpanContext().TraceState().String(); got != "ot=th:0" {
					t.Errorf("%s: got tracestate %q, want th:0: nothing like it was left out", s.Name(), got)
				}
			}
		})
	}
}

// A span that took long by its own times is slow, where no other time is known.
func TestSlowByTheSpansOwnTime(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1, Slow: func(string) time.Duration { return time.Second }})
	start := time.Now()
	_, s := h.tracer.Start(context.Background(), "execute_tool x", trace.WithTimestamp(start),
		trace.WithAttributes(attribute.String("toolscope.outcome", "executed")))
	s.End(trace.WithTimestamp(start.Add(2 * time.Second)))
	if h.names() != "execute_tool x" {
		t.Errorf("got %q, want the slow call", h.names())
	}
}

// An absolute limit finds calls slow that are usual for their tool.
func TestSlowerThan(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1, SlowerThan: time.Second,
		Slow: func(string) time.Duration { return time.Hour }})
	start := time.Now()
	for name, took := range map[string]time.Duration{"slow": 2 * time.Second, "fast": time.Second} {
		_, s := h.tracer.Start(context.Background(), name, trace.WithTimestamp(start),
			trace.WithAttributes(attribute.String("toolscope.outcome", "executed")))
		s.End(trace.WithTimestamp(start.Add(took)))
	}
	if h.names() != "slow" {
		t.Errorf("got %q, want the slow call", h.names())
	}
	if _, err := tailsample.New(tracetest.NewSpanRecorder(), tailsample.Options{SlowerThan: -1}); err == nil ||
		!strings.Contains(err.Error(), "Options.SlowerThan: got -1ns") {
		t.Errorf("below 0: got %v", err)
	}
}

// From the moment something matters nothing of the trace waits.
func TestKeptAtOnce(t *testing.T) {
	h := newHost(t, none)
	ctx, root := h.tracer.Start(context.Background(), "turn")
	h.child(ctx)
	if got := h.names(); got != "" {
		t.Errorf("got %q, want the first call to be held", got)
	}
	h.child(ctx, attribute.String("error.type", "timeout"))
	if got := h.names(); got != "execute_tool x, execute_tool x" {
		t.Errorf("got %q, want both calls", got)
	}
	h.child(ctx)
	if got := len(h.kept.Ended()); got != 3 {
		t.Errorf("got %d spans, want 3", got)
	}
	root.End()
	if got := h.Stats(); got.Mattered != 1 || got.SpansKept != 4 || got.Held != 0 || got.HeldBytes != 0 || got.Following != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestLate(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second []attribute.KeyValue
		want          int
	}{
		{"both fine", nil, nil, 0},
		{"the first matters", []attribute.KeyValue{tailsample.KeepKey.Bool(true)}, nil, 6},
		{"the second matters", nil, []attribute.KeyValue{tailsample.KeepKey.Bool(true)}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, none)
			ctx := trace.ContextWithSpanContext(context.Background(), h.call(c.first...))
			for _, attributes := range [][]attribute.KeyValue{c.second, nil} {
				late, s := h.tracer.Start(ctx, "late")
				h.child(late, attributes...)
				s.End()
			}
			if got := len(h.kept.Ended()); got != c.want {
				t.Errorf("got %d spans (%s), want %d", got, h.names(), c.want)
			}
			if got := h.Stats(); got.Late != 2 {
				t.Errorf("got %+v, want two that came late", got)
			}
		})
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1, MaxDecided: 2})
	first := h.call(tailsample.KeepKey.Bool(true))
	h.call()
	h.call()
	h.kept.Reset()
	h.child(trace.ContextWithSpanContext(context.Background(), first))
	if got := h.names(); got != "" {
		t.Errorf("got %q, want nothing: two later decisions took the place of the first", got)
	}
	if got := h.Stats().Late; got != 0 {
		t.Errorf("got %d late, want 0", got)
	}
}

func TestOptions(t *testing.T) {
	next := tracetest.NewSpanRecorder()
	for _, c := range []struct {
		o    tailsample.Options
		want string
	}{
		{tailsample.Options{Ratio: 1.5}, "tailsample: Options.Ratio: got 1.5, want at most 1"},
		{tailsample.Options{PerSecond: -1}, "tailsample: Options.PerSecond: got -1, want 0 or more"},
		{tailsample.Options{MaxTraces: -1}, "tailsample: Options.MaxTraces: got -1, want 0 or more"},
		{tailsample.Options{MaxAge: -1}, "tailsample: Options.MaxAge: got -1ns, want 0 or more"},
	} {
		if _, err := tailsample.New(next, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.o, err, c.want)
		}
	}
	if _, err := tailsample.New(nil, tailsample.Options{}); err == nil || !strings.Contains(err.Error(), "nil processor") {
		t.Errorf("got %v, want an error about the nil processor", err)
	}
	if got := tailsample.Head().Description(); got != "tailsample.Head" {
		t.Errorf("got %q", got)
	}
}
