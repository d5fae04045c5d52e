// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestSpecIsForOneCall checks what a spec makes of a call's span, and that a call
// inside it has its usual one.
func TestSpecIsForOneCall(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	r := registry(t)
	execute := toolkit.Observe(r.Lookup, h)(r.Handle)
	outer := toolkit.Observe(r.Lookup, h)(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		return execute(ctx, toolkit.Call{Name: "echo"})
	})
	linked := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
	ended := 0
	ctx := spans.With(t.Context(), &spans.Spec{
		Operation: "tools/call", Kind: trace.SpanKindServer,
		Attributes: []attribute.KeyValue{attribute.String("mcp.method.name", "tools/call")},
		Links:      []trace.Link{{SpanContext: linked}},
		End: func(_ context.Context, e *toolkit.Ended) spans.End {
			ended++
			return spans.End{Attributes: []attribute.KeyValue{attribute.Int("x", 1)}}
		},
	})
	if _, err := outer(ctx, toolkit.Call{Name: "fails"}); err != nil {
		t.Fatal(err)
	}
	spans := h.spans.Ended()
	if len(spans) != 2 || ended != 1 {
		t.Fatalf("got %d spans, and End asked %d times, want 2 and 1", len(spans), ended)
	}
	inner, own := spans[0], spans[1]
	if inner.Name() != "execute_tool echo" || inner.SpanKind() != trace.SpanKindInternal {
		t.Errorf("got the inner span %q of kind %v", inner.Name(), inner.SpanKind())
	}
	if own.Name() != "tools/call fails" || own.SpanKind() != trace.SpanKindServer || len(own.Links()) != 1 ||
		own.Links()[0].SpanContext.TraceID() != linked.TraceID() {
		t.Errorf("got %q of kind %v with links %v", own.Name(), own.SpanKind(), own.Links())
	}
	if a := attributes(own.Attributes()); a["mcp.method.name"] != "tools/call" || a["x"] != "1" ||
		a["gen_ai.operation.name"] != "execute_tool" {
		t.Errorf("got %v", a)
	}
	if inner.Parent().SpanID() != own.SpanContext().SpanID() {
		t.Error("the inner span is no child of the outer one")
	}
}

// TestSpanEndDecidesFailure checks that a protocol may say that a failed call's operation
// succeeded, or failed in its own words.
func TestSpanEndDecidesFailure(t *testing.T) {
	for _, c := range []struct {
		said spans.End
		want string
		code codes.Code
	}{
		{spans.End{}, "_OTHER", codes.Error},
		{spans.End{ErrorType: "-32603"}, "-32603", codes.Error},
		{spans.End{Success: true}, "", codes.Unset},
	} {
		h := newHarness(t, tracing.Options{})
		execute := toolkit.Observe(nil, h)(func(context.Context, toolkit.Call) (toolkit.Result,
			error) {
			return toolkit.Result{}, errDisk
		})
		ctx := spans.With(t.Context(), &spans.Spec{End: func(context.Context, *toolkit.Ended) spans.End { return c.said }})
		_, _ = execute(ctx, toolkit.Call{Name: "x"})
		span := h.one(t)
		if got := attributes(span.Attributes())["error.type"]; got != c.want || span.Status().Code != c.code {
			t.Errorf("%+v: got error.type %q and status %v, want %q and %v", c.said, got, span.Status().Code, c.want, c.code)
		}
	}
}

func TestOuterCallIsSharedOnRequest(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	r := registry(t)
	var found bool
	var tool *toolkit.Definition
	execute := toolkit.Observe(r.Lookup, h)(func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		var span trace.Span
		span, tool, found = spans.OuterCall(ctx)
		if found {
			span.SetAttributes(attribute.String("added", "yes"))
		}
		return toolkit.Result{}, nil
	})
	if _, _ = execute(t.Context(), toolkit.Call{Name: "echo"}); found {
		t.Error("found a call that was not shared")
	}
	h.Protocol().ShareCalls()
	_, _ = execute(t.Context(), toolkit.Call{Name: "echo"})
	if !found || tool == nil || tool.Name != "echo" {
		t.Fatalf("got %t and %v, want the call of echo", found, tool)
	}
	if a := attributes(h.spans.Ended()[1].Attributes()); a["added"] != "yes" {
		t.Errorf("got %v, want what was added", a)
	}
}

// TestSpansOfOtherProvidersAreNotAdopted: what is added to a span that goes elsewhere would be missing
// where the observer's own spans go.
func TestSpansOfOtherProvidersAreNotAdopted(t *testing.T) {
	ours, others := tracetest.NewSpanRecorder(), tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ours))
	h := newHarness(t, tracing.Options{TracerProvider: provider})
	r := registry(t)
	execute := toolkit.Observe(r.Lookup, h)(r.Handle)
	for _, c := range []struct {
		provider trace.TracerProvider
		ended    *tracetest.SpanRecorder
		want     int // spans that the observer starts
	}{{provider, ours, 0}, {sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(others)), others, 1}} {
		before := len(ours.Ended())
		ctx, native := c.provider.Tracer("x").Start(t.Context(), "native")
		if _, err := execute(spans.With(ctx, spans.Adopting(native)), toolkit.Call{Name: "echo"}); err != nil {
			t.Fatal(err)
		}
		if got := len(ours.Ended()) - before; got != c.want {
			t.Errorf("got %d spans, want %d", got, c.want)
		}
		native.End()
		ended := c.ended.Ended()
		_, adopted := attributes(ended[len(ended)-1].Attributes())["gen_ai.operation.name"]
		if adopted != (c.want == 0) {
			t.Errorf("adopted: got %t", adopted)
		}
	}
}
