// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// examples are the spans of example calls.
type examples struct {
	spans []toolkit.SpanRef
	asked int
}

func (e *examples) ExampleSpans() []toolkit.SpanRef {
	e.asked++
	return e.spans
}

// keeping is a ring that keeps the traces of examples.
func keeping(t *testing.T, spans int) (*exporters.Ring, trace.Tracer, *examples) {
	t.Helper()
	ring, known := exporters.NewRing(spans), new(examples)
	source := ring.Source().(interface {
		KeepExamplesOf(interface{ ExampleSpans() []toolkit.SpanRef })
	})
	source.KeepExamplesOf(known)
	source.KeepExamplesOf(known) // as each handler does
	return ring, tracerInto(ring), known
}

// fail makes a span that failed below the one of t, with a span below it.
func fail(t *testing.T, tracer trace.Tracer, parent trace.Span, name string) toolkit.SpanRef {
	ctx, span := tracer.Start(trace.ContextWithSpan(t.Context(), parent), name)
	span.SetAttributes(attribute.String("gen_ai.tool.call.arguments", `{"path": "`+name+`"}`))
	span.SetStatus(codes.Error, "it failed")
	_, below := tracer.Start(ctx, name+"/request")
	below.End()
	span.End()
	c := span.SpanContext()
	return toolkit.SpanRef{TraceID: c.TraceID(), SpanID: c.SpanID(), Sampled: true}
}

// TestRingKeepsExamples: traces of example calls stay whole, however many traces end after them, until they are no
// examples any more.
func TestRingKeepsExamples(t *testing.T) {
	ring, tracer, known := keeping(t, 64)
	turn := func(name string) toolkit.SpanRef {
		_, root := tracer.Start(t.Context(), "turn "+name)
		_, other := tracer.Start(trace.ContextWithSpan(t.Context(), root), "other "+name)
		other.End()
		ref := fail(t, tracer, root, name)
		root.End()
		return ref
	}
	first, second := turn("first"), turn("second")
	turn("not an example")
	known.spans = []toolkit.SpanRef{first, second}
	has := func(ref toolkit.SpanRef) int {
		found, _ := ring.Trace(fmt.Sprintf("%x", ref.TraceID))
		return len(found.Spans)
	}
	for range 1000 {
		turn("later")
		family(tracer, "success", 1)
	}
	if a, b := has(first), has(second); a != 4 || b != 4 {
		t.Errorf("got %d and %d spans of the examples, want 4 each", a, b)
	}
	if s := ring.State(); s.Held != 2 || s.Spans > 64 || s.Traces > 30 || uint64(s.Spans)+s.Dropped != 12+6000 {
		t.Errorf("got %+v, want 2 traces held, 64 spans at most, all of them accounted for", s)
	}
	if known.asked > 6000/16 { // a quarter of the ring
		t.Errorf("got %d questions for examples, want a few in each filling of the ring", known.asked)
	}

	third := turn("third")
	known.spans = []toolkit.SpanRef{second, third}
	for range 100 {
		turn("later")
	}
	if a, b, c := has(first), has(second), has(third); a != 0 || b != 4 || c != 4 {
		t.Errorf("got %d, %d and %d spans, want those of the examples there are now", a, b, c)
	}
	if traces := ring.Traces(); len(traces) != ring.State().Traces || traces[0].Spans[0].Name() != "turn second" {
		t.Errorf("got %d traces, the first of %q, want the held ones first", len(traces), traces[0].Spans[0].Name())
	}
	known.spans = nil
	for range 100 {
		turn("later")
	}
	if s := ring.State(); s.Held != 0 || s.Spans != 64 {
		t.Errorf("got %+v, want nothing held without examples", s)
	}
}

// TestRingKeepsExamplesOfALongTrace: of a trace that fills the ring, the example call stays, with what is
// directly below it and above.
func TestRingKeepsExamplesOfALongTrace(t *testing.T) {
	ring, tracer, known := keeping(t, 256)
	_, root := tracer.Start(t.Context(), "session")
	rooted := trace.ContextWithSpan(t.Context(), root)
	agentContext, agent := tracer.Start(rooted, "agent")
	_ = agentContext
	known.spans = []toolkit.SpanRef{fail(t, tracer, agent, "example")}
	fail(t, tracer, agent, "other")
	agent.End()
	for range 5000 {
		_, s := tracer.Start(rooted, "call")
		s.End()
	}
	root.End()
	found, _ := ring.Trace(root.SpanContext().TraceID().String())
	var names []string
	for _, s := range found.Spans {
		if s.Name() != "call" {
			names = append(names, s.Name())
		}
	}
	if got := strings.Join(names, ", "); got != "session, agent, example, example/request" {
		t.Errorf("got %q, want the example, what is above and below it", got)
	}
	if len(found.Spans) != 256 || found.Dropped != 5006-256 {
		t.Errorf("got %d spans and %d dropped, want all %d", len(found.Spans), found.Dropped, 5006)
	}
}

// TestRingBoundsExamples: traces of examples take half of a ring at most, those kept for longest go first.
func TestRingBoundsExamples(t *testing.T) {
	ring, tracer, known := keeping(t, 40)
	for i := range 50 {
		_, root := tracer.Start(t.Context(), "turn")
		known.spans = append(known.spans, fail(t, tracer, root, fmt.Sprint("tool ", i)))
		root.End()
	}
	for range 50 {
		family(tracer, "success", 1)
	}
	if s := ring.State(); s.Held != 6 || s.Spans != 40 || uint64(s.Spans)+s.Dropped != 250 {
		t.Errorf("got %+v, want 6 traces of 3 spans held, in half of the ring", s)
	}
	for i := range 50 {
		if got, _ := ring.Trace(fmt.Sprintf("%x", known.spans[i].TraceID)); (len(got.Spans) == 3) != (i >= 44) {
			t.Errorf("got %d spans of example %d", len(got.Spans), i)
		}
	}

	// A span that needs the room of held ones gets it.
	_, huge := tracer.Start(t.Context(), "huge")
	huge.SetAttributes(attribute.String("text", strings.Repeat("x", 1<<20-4<<10)))
	huge.End()
	if s := ring.State(); s.Bytes > 1<<20 || len(ring.Traces()) == 0 || uint64(s.Spans)+s.Dropped != 251 {
		t.Errorf("got %+v, want at most a mebibyte, with the huge span", s)
	}
	// A ring of one span has no room for examples.
	ring, tracer, known = keeping(t, 1)
	_, root := tracer.Start(t.Context(), "turn")
	known.spans = append(known.spans, fail(t, tracer, root, "tool"))
	root.End()
	if s := ring.State(); s.Spans != 1 || s.Held != 0 || s.Dropped != 2 {
		t.Errorf("got %+v, want the latest span", s)
	}
}

// TestRingForgetsExamples: held traces of a session are removed with it.
func TestRingForgetsExamples(t *testing.T) {
	ring, tracer, known := keeping(t, 16)
	_, root := tracer.Start(t.Context(), "turn")
	root.SetAttributes(attribute.String("toolscope.session.id", "s-1"))
	known.spans = append(known.spans, fail(t, tracer, root, "tool"))
	root.End()
	for range 50 {
		family(tracer, "success", 1)
	}
	if n := ring.Forget("s-1", ""); n != 3 || ring.State().Held != 0 || ring.State().Spans != 13 && ring.State().Spans != 12 {
		t.Errorf("got %d removed and %+v, want the 3 held spans", n, ring.State())
	}
}
