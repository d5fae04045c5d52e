// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters/internal/guard"
)

// maxMessage is what gRPC servers take.
const maxMessage = 4 << 20

const bad = "a\xffb"

// TestOneBadByte: without the guard one byte costs a whole batch.
func TestOneBadByte(t *testing.T) {
	c, exporter := connect(t)
	batch := spans(usual(), tracetest.SpanStub{Name: "cut in the middle: \xe2\x82"}, usual())
	if err := exporter.ExportSpans(t.Context(), batch); err == nil {
		t.Error("the exporter took a name that is not valid UTF-8: then this package is not needed")
	}
	if got, _, _ := c.takeSpans(); len(got) != 0 {
		t.Errorf("got %d spans without the guard", len(got))
	}
	g := newGuard(t, exporter, guard.Limits{})
	if err := g.ExportSpans(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	got, _, _ := c.takeSpans()
	if len(got) != 3 || got[1].Name != "cut in the middle: \uFFFD" {
		t.Errorf("got %d spans, the second %v", len(got), got[1])
	}
	if s := g.Stats(); s != (guard.Stats{Mended: 1, Invalid: 1}) {
		t.Errorf("got %+v, want one span mended", s)
	}
}

func TestMending(t *testing.T) {
	long := strings.Repeat("é", 1000)
	many := make([]attribute.KeyValue, 20)
	for i := range many {
		many[i] = attribute.Int(fmt.Sprint("key", i), i)
	}
	deep := attribute.StringValue("bottom")
	for range 200 {
		deep = attribute.SliceValue(deep)
	}
	res := resource.NewSchemaless(attribute.String("service.name", bad), attribute.String(bad, "x"))
	for _, x := range []struct {
		name  string
		span  tracetest.SpanStub
		check func(*testing.T, sdktrace.ReadOnlySpan)
	}{
		{"status", tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: bad + long}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if d := s.Status().Description; len(d) > 100 || !strings.HasPrefix(d, "a\uFFFDbé") ||
					!strings.HasSuffix(d, "é") || !strings.Contains(d, "bytes cut]") {
					t.Errorf("got %q", d)
				}
			}},
		{"event", tracetest.SpanStub{Events: []sdktrace.Event{{Name: bad, Attributes: many}, {Name: "fine"}}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				e := s.Events()
				if len(e) != 2 || e[0].Name != "a\uFFFDb" || len(e[0].Attributes) != 16 ||
					e[0].DroppedAttributeCount != 4 || e[1].Name != "fine" {
					t.Errorf("got %+v", e)
				}
			}},
		{"events", tracetest.SpanStub{Events: make([]sdktrace.Event, 20), DroppedEvents: 1},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if len(s.Events()) != 16 || s.DroppedEvents() != 5 {
					t.Errorf("got %d events and %d dropped", len(s.Events()), s.DroppedEvents())
				}
			}},
		{"link", tracetest.SpanStub{
			Links: []sdktrace.Link{{Attributes: []attribute.KeyValue{attribute.String("k", bad)}}}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if got := s.Links()[0].Attributes[0].Value.AsString(); got != "a\uFFFDb" {
					t.Errorf("got %q", got)
				}
			}},
		{"links", tracetest.SpanStub{Links: make([]sdktrace.Link, 20)}, func(t *testing.T, s sdktrace.ReadOnlySpan) {
			if len(s.Links()) != 16 || s.DroppedLinks() != 4 {
				t.Errorf("got %d links and %d dropped", len(s.Links()), s.DroppedLinks())
			}
		}},
		{"attributes", tracetest.SpanStub{Attributes: many, DroppedAttributes: 3}, func(t *testing.T, s sdktrace.ReadOnlySpan) {
			if got := s.Attributes(); len(got) != 16 || got[15].Key != "key15" || s.DroppedAttributes() != 7 {
				t.Errorf("got %d attributes and %d dropped", len(got), s.DroppedAttributes())
			}
		}},
		{"key", tracetest.SpanStub{Attributes: []attribute.KeyValue{attribute.Int(bad+long, 1)}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if got := s.Attributes()[0]; len(got.Key) > 80 || !utf8.ValidString(string(got.Key)) || got.Value.AsInt64() != 1 {
					t.Errorf("got %q", got.Key)
				}
			}},
		{"lists", tracetest.SpanStub{Attributes: []attribute.KeyValue{
			attribute.StringSlice("texts", []string{bad, long, "never reached"}),
			attribute.Int64Slice("numbers", make([]int64, 1000)),
			attribute.Float64Slice("floats", []float64{math.NaN(), 1}), attribute.BoolSlice("truths", make([]bool, 1000)),
		}}, func(t *testing.T, s sdktrace.ReadOnlySpan) {
			a := s.Attributes()
			if texts := a[0].Value.AsStringSlice(); len(texts) != 1 || texts[0] != "a\uFFFDb" {
				t.Errorf("got %q", texts)
			}
			if n := len(a[1].Value.AsInt64Slice()); n == 0 || n > 8 {
				t.Errorf("got %d numbers", n)
			}
			if n := len(a[2].Value.AsFloat64Slice()); n != 2 {
				t.Errorf("got %d floats", n)
			}
		}},
		{"deep", tracetest.SpanStub{Attributes: []attribute.KeyValue{{Key: "deep", Value: deep}}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if got := s.Attributes()[0].Value.String(); len(got) > 200 {
					t.Errorf("got %q", got)
				}
			}},
		{"map", tracetest.SpanStub{
			Attributes: []attribute.KeyValue{
				{Key: "m", Value: attribute.MapValue(attribute.String(bad, bad), attribute.Int("n", 1))}}},
			func(t *testing.T, s sdktrace.ReadOnlySpan) {
				if got := s.Attributes()[0].Value.AsMap(); len(got) != 2 ||
					!utf8.ValidString(string(got[0].Key)+string(got[1].Key)) {
					t.Errorf("got %v", got)
				}
			}},
		{"scope", tracetest.SpanStub{
			InstrumentationScope: instrumentation.Scope{Name: bad, Version: bad, SchemaURL: bad,
				Attributes: attribute.NewSet(attribute.String("k", bad))}}, func(t *testing.T, s sdktrace.ReadOnlySpan) {
			if got := s.InstrumentationScope(); got.Name != "a\uFFFDb" || got.Version != "a\uFFFDb" ||
				got.SchemaURL != "a\uFFFDb" || got.Attributes.Len() != 1 {
				t.Errorf("got %+v", got)
			}
		}},
		{"resource", tracetest.SpanStub{Resource: res}, func(t *testing.T, s sdktrace.ReadOnlySpan) {
			if got := s.Resource().String(); !utf8.ValidString(got) || !strings.Contains(got, "service.name=a\uFFFDb") {
				t.Errorf("got %q", got)
			}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, otlp := connect(t)
			memory := tracetest.NewInMemoryExporter()
			var got []sdktrace.ReadOnlySpan
			limits := guard.Limits{Value: 100, Name: 80, Count: 16}
			if err := newGuard(t, tee{memory, otlp, &got}, limits).ExportSpans(t.Context(),
				spans(usual(), x.span, usual())); err != nil {
				t.Fatal(err)
			}
			if len(got) != 3 {
				t.Fatalf("got %d spans, want 3", len(got))
			}
			x.check(t, got[1])
			if arrived, _, _ := c.takeSpans(); len(arrived) != 3 {
				t.Errorf("%d spans arrived, want 3", len(arrived))
			}
			again := newGuard(t, memory, limits)
			if err := again.ExportSpans(t.Context(), got); err != nil || again.Stats() != (guard.Stats{}) {
				t.Errorf("mended again: %v, %+v: want what fits to be left alone", err, again.Stats())
			}
		})
	}
}

// tee sends to both and keeps what it was given.
type tee struct {
	a, b sdktrace.SpanExporter
	got  *[]sdktrace.ReadOnlySpan
}

func (x tee) ExportSpans(ctx context.Context, s []sdktrace.ReadOnlySpan) error {
	*x.got = append(*x.got, s...)
	return errors.Join(x.a.ExportSpans(ctx, s), x.b.ExportSpans(ctx, s))
}
func (x tee) Shutdown(context.Context) error { return nil }

// TestLarge: however large a batch is, all of it arrives, in parts that the server takes.
func TestLarge(t *testing.T) {
	huge := tracetest.SpanStub{Name: "huge"}
	for i := range 200 {
		huge.Attributes = append(huge.Attributes, attribute.String(fmt.Sprint("k", i), strings.Repeat("x", 1<<20)))
	}
	for range 3000 {
		huge.Events = append(huge.Events, sdktrace.Event{Name: strings.Repeat("n", 1000)})
	}
	large := usual()
	large.Attributes = append(large.Attributes, attribute.String("body", strings.Repeat("y", 60_000)))
	large.Resource = resource.NewSchemaless(attribute.String("service.name", "large"),
		attribute.String("of a size", strings.Repeat("r", 60_000)))
	for name, batch := range map[string][]sdktrace.ReadOnlySpan{
		"a huge span among others": spans(usual(), huge, usual(), huge, huge, huge, huge, huge, huge, huge, huge, usual()),
		"many large ones":          spans(make200(large)...),
	} {
		t.Run(name, func(t *testing.T) {
			c, exporter := connect(t)
			g := newGuard(t, exporter, guard.Limits{})
			if err := g.ExportSpans(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			got, requests, _ := c.takeSpans()
			if len(got) != len(batch) || len(requests) < 2 || uint64(len(requests)) != g.Stats().Parts+1 {
				t.Errorf("got %d spans of %d in %d requests, %+v", len(got), len(batch), len(requests), g.Stats())
			}
			for _, n := range requests {
				if n > maxMessage-maxMessage/8 {
					t.Errorf("got a request of %d bytes, want at most 3.5 MiB", n)
				}
			}
			for i, s := range got {
				if s.Name != batch[i].Name() {
					t.Errorf("span %d: got %q, want %q", i, s.Name, batch[i].Name())
				}
				if s.Name == "huge" && (len(s.Attributes) != 200 && s.DroppedAttributesCount == 0 ||
					len(s.Events)+int(s.DroppedEventsCount) != 3000) {
					t.Errorf("got %d attributes, %d events, %d and %d dropped", len(s.Attributes), len(s.Events),
						s.DroppedAttributesCount, s.DroppedEventsCount)
				}
			}
		})
	}
}

func make200(s tracetest.SpanStub) []tracetest.SpanStub {
	all := make([]tracetest.SpanStub, 200)
	for i := range all {
		all[i] = s
	}
	return all
}

// TestPartsFail: a part that cannot be sent does not take the others with it.
func TestPartsFail(t *testing.T) {
	large := usual()
	large.Attributes = append(large.Attributes, attribute.String("body", strings.Repeat("y", 60_000)))
	next := &failing{}
	g := newGuard(t, next, guard.Limits{})
	err := g.ExportSpans(t.Context(), spans(make200(large)...))
	if err == nil || strings.Count(err.Error(), "part") != next.calls || next.calls < 3 || next.spans != 200 {
		t.Errorf("got %v after %d calls with %d spans, want an error of each", err, next.calls, next.spans)
	}
	if err := g.Shutdown(t.Context()); err == nil || err.Error() != "shut" {
		t.Errorf("got %v, want the exporter's own error", err)
	}
}

type failing struct{ calls, spans int }

func (f *failing) ExportSpans(_ context.Context, s []sdktrace.ReadOnlySpan) error {
	f.calls++
	f.spans += len(s)
	return errors.New("part")
}
func (*failing) Shutdown(context.Context) error { return errors.New("shut") }

// TestCleanCostsNothing: what needs no mending is passed on as it is.
func TestCleanCostsNothing(t *testing.T) {
	batch := spans(make200(usual())...)
	var got []sdktrace.ReadOnlySpan
	g := newGuard(t, same{&got}, guard.Limits{})
	if n := testing.AllocsPerRun(100, func() {
		if err := g.ExportSpans(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("got %v allocations for a clean batch, want none", n)
	}
	if len(got) != len(batch) || &got[0] != &batch[0] {
		t.Error("the batch was copied")
	}
}

type same struct{ got *[]sdktrace.ReadOnlySpan }

func (s same) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	*s.got = spans
	return nil
}
func (same) Shutdown(context.Context) error { return nil }

func TestLimits(t *testing.T) {
	next := tracetest.NewInMemoryExporter()
	for _, c := range []struct {
		l    guard.Limits
		want string
	}{
		{guard.Limits{Value: -1}, "guard: Limits.Value: got -1, want 64 or more"},
		{guard.Limits{Name: 3}, "guard: Limits.Name: got 3, want 64 or more"},
		{guard.Limits{Span: 1}, "guard: Limits.Span: got 1, want 16384 or more"},
		{guard.Limits{Span: 4 << 20}, "guard: Limits.Batch: got 3670016, want at least 4718592: Span and 512 KiB"},
	} {
		if _, err := guard.New(next, c.l); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.l, err, c.want)
		}
	}
	if _, err := guard.New(nil, guard.Limits{}); err == nil {
		t.Error("a nil exporter: want an error")
	}
}

// TestRandomBatchesArrive: whatever spans hold, a real server takes all of them from the real
// exporter.
func TestRandomBatchesArrive(t *testing.T) {
	c, exporter := connect(t)
	limits := guard.Limits{Value: 16 << 10, Span: 64 << 10, Batch: 600 << 10}
	g := newGuard(t, exporter, limits)
	random := rand.New(rand.NewPCG(20, 26))
	for i := range 6 {
		var stubs []tracetest.SpanStub
		for range 20 + random.IntN(20) {
			data := make([]byte, random.IntN(4000))
			for j := range data {
				data[j] = byte(random.Uint32() >> random.IntN(24)) // small ones more often
			}
			stubs = append(stubs, (&reader{data}).spans()...)
		}
		batch := spans(stubs...)
		if err := g.ExportSpans(t.Context(), batch); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		got, requests, _ := c.takeSpans()
		if len(got) != len(batch) {
			t.Fatalf("batch %d: %d spans arrived, want %d", i, len(got), len(batch))
		}
		for _, n := range requests {
			if n > limits.Batch {
				t.Errorf("batch %d: got a request of %d bytes", i, n)
			}
		}
	}
	if s := g.Stats(); s.Mended == 0 || s.Parts == 0 || s.Cut == 0 || s.Invalid == 0 {
		t.Errorf("got %+v: want batches that need everything", s)
	}
}
