// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/tree"
)

func tracerInto(p sdktrace.SpanProcessor) trace.Tracer {
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p)).Tracer("test/tree")
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

// spansOf are the spans that f makes, in the order in which they end.
func spansOf(f func(trace.Tracer)) []sdktrace.ReadOnlySpan {
	var c collected
	f(tracerInto(&c))
	return c
}

type collected []sdktrace.ReadOnlySpan

func (c *collected) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (c *collected) OnEnd(s sdktrace.ReadOnlySpan)                   { *c = append(*c, s) }
func (c *collected) ForceFlush(context.Context) error                { return nil }
func (c *collected) Shutdown(context.Context) error                  { return nil }

// drawn is what a console drew, without the traces' ids.
func drawn(out *bytes.Buffer) string {
	var lines []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "trace ") {
			line = "trace\n"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

func TestConsole(t *testing.T) {
	spans := spansOf(func(tracer trace.Tracer) {
		ctx, a := tracer.Start(context.Background(), "a")
		family(tracer, "b", 1) // another trace, in between
		_, child := tracer.Start(ctx, "a.1")
		child.End()
		_, late := tracer.Start(ctx, "a.late")
		a.End()
		late.End()
	})
	var out bytes.Buffer
	console := tree.NewConsole(&out, tree.Options{NoTimes: true})
	for _, s := range spans { // a batch each
		if err := console.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{s}); err != nil {
			t.Fatal(err)
		}
	}
	want := "trace\nb\n└─ b0\n" + "trace\na\n└─ a.1\n"
	if got := drawn(&out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := console.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	want += "trace\na.late  (parent not here)\n"
	if got := drawn(&out); got != want {
		t.Errorf("after Shutdown: got\n%s\nwant\n%s", got, want)
	}
	if err := console.ExportSpans(t.Context(), spans); err != nil || drawn(&out) != want || console.Shutdown(t.Context()) != nil {
		t.Error("after Shutdown a console draws nothing")
	}
}

// TestConsoleRemote: two requests of one trace, each drawn when it has ended.
func TestConsoleRemote(t *testing.T) {
	remote := trace.NewSpanContext(
		trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true})
	spans := spansOf(func(tracer trace.Tracer) {
		from := trace.ContextWithRemoteSpanContext(context.Background(), remote)
		ctx1, one := tracer.Start(from, "one")
		ctx2, two := tracer.Start(from, "two")
		for _, ctx := range []context.Context{ctx1, ctx2} {
			_, child := tracer.Start(ctx, "child")
			child.End()
		}
		two.End()
		one.End()
	})
	var out bytes.Buffer
	if err := tree.NewConsole(&out, tree.Options{NoTimes: true}).ExportSpans(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	want := "trace\ntwo  (remote parent)\n└─ child\ntrace\none  (remote parent)\n└─ child\n"
	if got := drawn(&out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestConsoleBounds(t *testing.T) {
	spans := spansOf(func(tracer trace.Tracer) {
		ctx, _ := tracer.Start(context.Background(), "never ends")
		for range tree.MaxWaiting + 5 {
			_, child := tracer.Start(ctx, "child")
			child.End()
		}
	})
	var out bytes.Buffer
	console := tree.NewConsole(&out, tree.Options{NoTimes: true})
	if err := console.ExportSpans(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "child"); n != 5 {
		t.Errorf("got %d spans drawn, want the 5 oldest", n)
	}
	if err := tree.NewConsole(failing{}, tree.Options{}).ExportSpans(t.Context(), spans); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
	if err := tree.NewConsole(nil, tree.Options{}).ExportSpans(t.Context(), spans); err != nil {
		t.Error(err)
	}
}
