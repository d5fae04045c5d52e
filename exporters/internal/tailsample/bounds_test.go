// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// A trace that has to make room is judged by what is known, and what comes later by
// itself.
func TestMaxSpans(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1, MaxSpans: 3})
	ctx, root := h.tracer.Start(context.Background(), "turn")
	for range 4 {
		h.child(ctx)
	}
	h.child(ctx, tailsample.KeepKey.Bool(true))
	root.End()
	got := h.Stats()
	if len(h.kept.Ended()) != 3 || got.SpansLeftOut != 3 || got.Early != 1 || got.SpansKept != 3 {
		t.Errorf("got %d spans and %+v, want the first three left out and the last three kept", len(h.kept.Ended()), got)
	}
}

func TestMaxTraces(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1, MaxTraces: 2})
	var roots []trace.Span
	for range 3 {
		ctx, root := h.tracer.Start(context.Background(), "turn")
		h.child(ctx)
		roots = append(roots, root)
	}
	if got := h.Stats(); got.Following != 2 || got.Held != 2 || got.Early != 1 {
		t.Errorf("got %+v, want the first one judged early", got)
	}
	for _, root := range roots {
		root.SetAttributes(tailsample.KeepKey.Bool(true))
		root.End()
	}
	if got := len(h.kept.Ended()); got != 5 {
		t.Errorf("got %d spans, want two whole traces and the root of the first", got)
	}
}

func TestMaxBytes(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 1, MaxBytes: 100_000})
	big := attribute.String("content", strings.Repeat("x", 30_000))
	for range 10 {
		ctx, _ := h.tracer.Start(context.Background(), "never ends")
		h.child(ctx, big)
		if got := h.Stats().HeldBytes; got > 100_000 {
			t.Fatalf("got %d bytes held, want at most 100000", got)
		}
	}
	if got := h.Stats(); got.Early != 7 || got.Held != 3 || got.SpansKept != 7 {
		t.Errorf("got %+v, want seven judged early, and three held", got)
	}
	ctx, _ := h.tracer.Start(context.Background(), "larger than all")
	h.child(ctx, attribute.String("content", strings.Repeat("x", 200_000)))
	if got := h.Stats(); got.Held != 0 || got.HeldBytes != 0 || got.SpansKept != 11 {
		t.Errorf("got %+v, want nothing held and nothing lost", got)
	}
}

func TestMaxAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tailsample.Options{Ratio: 1, MaxAge: time.Minute})
		ctx, root := h.tracer.Start(context.Background(), "turn")
		h.child(ctx)
		time.Sleep(59 * time.Second)
		h.child(ctx)
		synctest.Wait()
		if got := h.Stats(); got.Held != 2 {
			t.Errorf("after 59 s: got %+v, want two held", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := h.Stats(); got.Held != 0 || got.Early != 1 || got.SpansKept != 2 {
			t.Errorf("after 61 s: got %+v, want both judged", got)
		}
		h.child(ctx)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := h.Stats(); got.Held != 0 || got.Early != 2 {
			t.Errorf("got %+v, want the third judged an age later", got)
		}
		root.End()
		if got := len(h.kept.Ended()); got != 4 {
			t.Errorf("got %d spans, want 4", got)
		}
	})
}

// TestMemory: a host that never ends its roots holds no more than the bounds.
func TestMemory(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 0.5, MaxTraces: 100, MaxBytes: 1 << 20, MaxDecided: 100})
	for range 5000 {
		ctx, _ := h.tracer.Start(context.Background(), "never ends")
		h.child(ctx)
	}
	got := h.Stats()
	if got.Following != 100 || got.Held != 100 || got.HeldBytes > 1<<20 {
		t.Errorf("got %+v, want 100 of both", got)
	}
	if sum := got.SpansKept + got.SpansLeftOut + uint64(got.Held); sum != 5000 {
		t.Errorf("got %d spans accounted for, want 5000", sum)
	}
}

// TestManyTraces: what is remembered of traces that are over is bounded, too.
func TestManyTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a quarter of a million traces")
	}
	p, err := tailsample.New(nowhere{}, tailsample.Options{Ratio: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSampler(tailsample.Head()), sdktrace.WithSpanProcessor(p)).Tracer("test")
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 250_000 {
		_, s := tracer.Start(context.Background(), "turn")
		s.End()
	}
	if grown := int64(heap()) - int64(before); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes, want at most 8 MiB", grown)
	}
	if got := p.Stats(); got.Sampled+got.LeftOut != 250_000 || got.Following != 0 {
		t.Errorf("got %+v", got)
	}
}
