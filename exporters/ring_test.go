// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
)

func tracerInto(p sdktrace.SpanProcessor) trace.Tracer {
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p)).Tracer("test/ring")
}

// names are the names of the traces' roots, or first spans, and how many spans each has.
func names(r *exporters.Ring) string {
	var all []string
	for _, t := range r.Traces() {
		all = append(all, fmt.Sprint(t.Spans[0].Name(), ":", len(t.Spans)))
	}
	return strings.Join(all, " ")
}

// family makes a trace of a root and n children.
func family(tracer trace.Tracer, name string, n int) {
	ctx, root := tracer.Start(context.Background(), name)
	for i := range n {
		_, child := tracer.Start(ctx, fmt.Sprint(name, i))
		child.End()
	}
	root.End()
}

func TestRingKeepsWholeTraces(t *testing.T) {
	r := exporters.NewRing(10)
	tracer := tracerInto(r)
	for _, name := range []string{"a", "b", "c"} {
		family(tracer, name, 3)
	}
	if got, want := names(r), "b:4 c:4"; got != want {
		t.Errorf("got %q, want %q: the oldest trace goes as a whole", got, want)
	}
	if got := r.State(); got.Traces != 2 || got.Spans != 8 || got.Dropped != 4 {
		t.Errorf("got %+v, want 2 traces, 8 spans, 4 dropped", got)
	}
	family(tracer, "big", 20)
	traces := r.Traces()
	if len(traces) != 1 || len(traces[0].Spans) != 10 || traces[0].Dropped != 11 || traces[0].Spans[0].Name() != "big" {
		t.Errorf("got %q, dropped %d: want one trace that lost its 11 oldest spans", names(r), traces[0].Dropped)
	}
}

// TestRingQuietest: a trace that is still at work stays, though it began first.
func TestRingQuietest(t *testing.T) {
	r := exporters.NewRing(3)
	tracer := tracerInto(r)
	ctx, root := tracer.Start(context.Background(), "long")
	step := func(name string) { _, s := tracer.Start(ctx, name); s.End() }
	step("one")
	family(tracer, "short", 0)
	step("two")
	family(tracer, "other", 0)
	root.End()
	if got, want := names(r), "long:3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRingBoundsBytes(t *testing.T) {
	const limit = 64 << 10
	r := exporters.NewRingOf(1000, limit)
	tracer := tracerInto(r)
	for range 100 {
		_, s := tracer.Start(context.Background(), "wide")
		s.SetAttributes(attribute.String("text", strings.Repeat("x", 4<<10)), attribute.StringSlice("list", []string{"a", "b"}))
		s.End()
	}
	if got := r.State(); got.Bytes > limit || got.Spans < 10 || uint64(got.Spans)+got.Dropped != 100 {
		t.Errorf("got %+v, want at most %d bytes and 100 spans accounted for", got, limit)
	}
	_, s := tracer.Start(context.Background(), "huge")
	s.SetAttributes(attribute.String("text", strings.Repeat("x", limit)))
	before := r.State()
	s.End()
	if got := r.State(); got.Spans != before.Spans || got.Dropped != before.Dropped+1 {
		t.Errorf("got %+v after %+v: a span larger than the ring is counted and not kept", got, before)
	}
}

// TestRingBoundsBytesBySpans: how many bytes a ring holds depends on how many spans it may.
func TestRingBoundsBytesBySpans(t *testing.T) {
	const each = 256 << 10
	text := strings.Repeat("x", each)
	for _, c := range []struct{ spans, want int }{{0, 1}, {4, 3}, {512, 3}, {1024, 7}, {4096, 31}, {1 << 30, 127}} {
		r := exporters.NewRing(c.spans)
		tracer := tracerInto(r)
		for range 130 {
			_, s := tracer.Start(context.Background(), "wide")
			s.SetAttributes(attribute.String("text", text))
			s.End()
		}
		if got := r.State(); got.Spans != c.want || got.Bytes < c.want*each || got.Bytes > (c.want+1)*each {
			t.Errorf("a ring of %d spans: got %+v, want %d spans of %d bytes and more", c.spans, got, c.want, each)
		}
	}
}

func TestRingView(t *testing.T) {
	r := exporters.NewRing(10)
	tracer := tracerInto(r)
	start := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	remote := trace.NewSpanContext(
		trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true})
	link := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{3}, SpanID: trace.SpanID{4}})
	_, s := tracer.Start(trace.ContextWithRemoteSpanContext(context.Background(), remote), "served", trace.WithTimestamp(start),
		trace.WithSpanKind(trace.SpanKindServer), trace.WithLinks(trace.Link{SpanContext: link}),
		trace.WithAttributes(attribute.Int("n", 42), attribute.Bool("yes", true),
			attribute.StringSlice("list", []string{"a", "b"})))
	s.AddEvent("happened", trace.WithTimestamp(start), trace.WithAttributes(attribute.Float64("x", 0.5)))
	s.SetStatus(codes.Error, "it failed")
	s.End(trace.WithTimestamp(start.Add(time.Second)))

	got, ok := r.Trace(strings.ToUpper(remote.TraceID().String()))
	if !ok || len(got.Spans) != 1 {
		t.Fatalf("got %+v, %v", got, ok)
	}
	span := got.Spans[0]
	if span.Name() != "served" || span.SpanContext().SpanID() != s.SpanContext().SpanID() || !span.Parent().Equal(remote) ||
		span.SpanKind() != trace.SpanKindServer || span.InstrumentationScope().Name != "test/ring" ||
		!span.StartTime().Equal(start) || !span.EndTime().Equal(start.Add(time.Second)) || len(span.Events()) != 1 ||
		len(span.Links()) != 1 {
		t.Errorf("got %+v, want the span as it ended", span)
	}
	if v, ok := r.Source().Trace(got.ID); !ok || len(v) != 1 || v[0].Name != "served" || !v[0].Failed ||
		len(v[0].Attributes) != 3 {
		t.Errorf("Source: got %+v, %v", v, ok)
	}
	for _, id := range []string{"", "01", strings.Repeat("f", 32), strings.Repeat("x", 32)} {
		if _, ok := r.Trace(id); ok {
			t.Errorf("Trace(%q): got one, want none", id)
		}
	}
}

func TestRingConcurrent(t *testing.T) {
	r := exporters.NewRing(100)
	tracer := tracerInto(r)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					for _, trace := range r.Traces() {
						_, _ = r.Trace(trace.ID)
					}
				}
			}
		})
	}
	for i := range 8 {
		writers.Go(func() {
			for range 50 {
				family(tracer, fmt.Sprint("w", i), 3)
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if got := r.State(); got.Spans > 100 || uint64(got.Spans)+got.Dropped != 8*50*4 {
		t.Errorf("got %+v, want at most 100 spans and 1600 accounted for", got)
	}
}
