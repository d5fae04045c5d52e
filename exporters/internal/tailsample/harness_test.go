// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seeded makes ids that are the same in every run.
type seeded struct {
	mu   sync.Mutex
	from *rand.Rand
}

func newSeeded(seed uint64) *seeded { return &seeded{from: rand.New(rand.NewPCG(seed, 10))} }

func (g *seeded) NewIDs(context.Context) (id trace.TraceID, span trace.SpanID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	binary.BigEndian.PutUint64(id[:8], g.from.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.from.Uint64())
	binary.BigEndian.PutUint64(span[:], g.from.Uint64())
	return id, span
}

func (g *seeded) NewSpanID(context.Context, trace.TraceID) (span trace.SpanID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	binary.BigEndian.PutUint64(span[:], g.from.Uint64())
	return span
}

// host is a program with a sampler.
type host struct {
	*tailsample.Processor
	tracer trace.Tracer
	kept   *tracetest.SpanRecorder
}

func newHost(t testing.TB, o tailsample.Options, options ...sdktrace.TracerProviderOption) *host {
	t.Helper()
	h := &host{kept: tracetest.NewSpanRecorder()}
	var err error
	if h.Processor, err = tailsample.New(h.kept, o); err != nil {
		t.Fatal(err)
	}
	options = append([]sdktrace.TracerProviderOption{
		sdktrace.WithSampler(tailsample.Head()), sdktrace.WithSpanProcessor(h.Processor), sdktrace.WithIDGenerator(newSeeded(1)),
	}, options...)
	provider := sdktrace.NewTracerProvider(options...)
	h.tracer = provider.Tracer("test")
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	return h
}

// call is a trace of a root with a tool call below it.
func (h *host) call(attributes ...attribute.KeyValue) trace.SpanContext {
	ctx, root := h.tracer.Start(context.Background(), "turn")
	h.child(ctx, attributes...)
	root.End()
	return root.SpanContext()
}

// child is a span of a tool's call.
func (h *host) child(ctx context.Context, attributes ...attribute.KeyValue) {
	_, s := h.tracer.Start(ctx, "execute_tool x")
	s.SetAttributes(attributes...)
	s.End()
}

// names are the names of the spans kept, in the order in which they were passed on.
func (h *host) names() string {
	var names []string
	for _, s := range h.kept.Ended() {
		names = append(names, s.Name())
	}
	return strings.Join(names, ", ")
}

// remote is a context with a parent in another process.
func remote(t testing.TB, id trace.TraceID, sampled bool, state string) context.Context {
	t.Helper()
	parsed, err := trace.ParseTraceState(state)
	if err != nil {
		t.Fatal(err)
	}
	return trace.ContextWithRemoteSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: id, SpanID: trace.SpanID{1}, TraceFlags: trace.TraceFlags(0).WithSampled(sampled), TraceState: parsed,
	}))
}

// idOf is a trace id with that randomness.
func idOf(randomness uint64) (id trace.TraceID) {
	id[0] = 1
	binary.BigEndian.PutUint64(id[8:], randomness)
	return id
}
