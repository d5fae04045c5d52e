// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

func TestShutdown(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 1})
	ctx, root := h.tracer.Start(context.Background(), "turn")
	h.child(ctx)
	if err := h.ForceFlush(t.Context()); err != nil {
		t.Error(err)
	}
	if got := h.names(); got != "" {
		t.Errorf("got %q after the flush, want a trace that runs to stay undecided", got)
	}
	for range 2 {
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := h.names(); got != "execute_tool x" {
		t.Errorf("got %q, want the call that had ended", got)
	}
	root.End()
	h.call()
	if got := h.Stats(); got.AfterShutdown != 3 || got.Held != 0 || got.Following != 0 {
		t.Errorf("got %+v, want three spans after the shutdown", got)
	}
}

// next is a processor that does what the test wants.
type next struct {
	end      func()
	shutdown error
}

func (*next) OnStart(context.Context, sdktrace.ReadWriteSpan) { panic("the next processor") }
func (n *next) OnEnd(sdktrace.ReadOnlySpan)                   { n.end() }
func (*next) ForceFlush(context.Context) error                { return errors.New("flushed") }
func (n *next) Shutdown(context.Context) error                { return n.shutdown }

func TestPanicsEndHere(t *testing.T) {
	p, err := tailsample.New(&next{end: func() { panic("the next processor") }, shutdown: errors.New("broken")},
		tailsample.Options{Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p))
	_, s := provider.Tracer("test").Start(t.Context(), "turn")
	s.End()
	if got := p.Stats().Panics; got != 2 {
		t.Errorf("got %d panics, want 2", got)
	}
	if err := p.ForceFlush(t.Context()); err == nil || err.Error() != "flushed" {
		t.Errorf("got %v, want the next one's error", err)
	}
	for range 2 {
		if err := p.Shutdown(t.Context()); err == nil || err.Error() != "broken" {
			t.Errorf("got %v, want the next one's error", err)
		}
	}
}

// A next processor that blocks does not keep Shutdown beyond its deadline.
func TestShutdownHeedsItsContext(t *testing.T) {
	free := make(chan struct{})
	p, err := tailsample.New(&next{end: func() { <-free }}, tailsample.Options{Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p))
	ctx, _ := provider.Tracer("test").Start(t.Context(), "turn")
	_, s := provider.Tracer("test").Start(ctx, "child")
	s.End()
	over, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.Shutdown(over); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the time was over", err)
	}
	close(free)
}

// Everything at once: what goes in is accounted for.
func TestConcurrency(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 0.5, MaxTraces: 8, MaxSpans: 4, MaxBytes: 20_000,
		MaxAge: time.Millisecond, MaxDecided: 16})
	const workers, rounds = 8, 200
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range rounds {
				ctx, root := h.tracer.Start(context.Background(), "turn")
				for j := range 5 {
					h.child(ctx, tailsample.KeepKey.Bool(i%10 == 0 && j == 4))
				}
				root.End()
				_ = h.Stats()
			}
		})
	}
	wg.Wait()
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := h.Stats()
	if sum := got.SpansKept + got.SpansLeftOut; sum != workers*rounds*6 || got.SpansKept != uint64(len(h.kept.Ended())) {
		t.Errorf("got %+v and %d spans, want %d accounted for", got, len(h.kept.Ended()), workers*rounds*6)
	}
}
