// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	if os.Getenv(victimEnv) != "" {
		victim()
		return
	}
	goleak.VerifyTestMain(m)
}

// destination is a client that keeps the names of what it takes, and answers what the test wants
// to.
type destination struct {
	mu       sync.Mutex
	taken    []string // in order
	requests int
	answer   func(ctx context.Context, names []string) error // nil takes everything
	stopped  int
}

func (d *destination) Start(context.Context) error { return nil }

func (d *destination) Stop(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped++
	return nil
}

func (d *destination) UploadTraces(ctx context.Context, all []*tracepb.ResourceSpans) error {
	var names []string
	each(all, func(s *tracepb.Span) { names = append(names, s.GetName()) })
	d.mu.Lock()
	d.requests++
	answer := d.answer
	d.mu.Unlock()
	var err error
	if answer != nil {
		err = answer(ctx, names)
	}
	if err == nil || strings.HasPrefix(err.Error(), partialSuccess) {
		d.mu.Lock()
		d.taken = append(d.taken, names...)
		d.mu.Unlock()
	}
	return err
}

// set changes the answer.
func (d *destination) set(answer func(context.Context, []string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = answer
}

func (d *destination) names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.taken)
}

func (d *destination) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.requests
}

var errDown = errors.New("connection refused")

func down(context.Context, []string) error { return errDown }

// stubs are spans of these names; a name that begins with ! is a failed one's.
func stubs(names ...string) []sdktrace.ReadOnlySpan {
	all := make(tracetest.SpanStubs, len(names))
	for i, name := range names {
		all[i] = tracetest.SpanStub{
			Name: name,
			SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{1, byte(i)}, SpanID: trace.SpanID{1, byte(i)},
					TraceFlags: trace.FlagsSampled}),
			StartTime: time.Unix(1, 0), EndTime: time.Unix(2, 0),
			Attributes: []attribute.KeyValue{attribute.String("gen_ai.tool.name", "search")},
		}
		if strings.HasPrefix(name, "!") {
			all[i].Status = sdktrace.Status{Code: codes.Error, Description: "failed"}
		}
	}
	return all.Snapshots()
}

// numbered are n names with a prefix.
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}

// quick are options for tests in real time.
func quick(o Options) Options {
	if o.MinBackoff == 0 {
		o.MinBackoff, o.MaxBackoff = time.Millisecond, 5*time.Millisecond
	}
	if o.Patience == 0 {
		o.Patience = 20 * time.Millisecond
	}
	return o
}

// open makes a spool that is shut down with the test.
func open(t testing.TB, dir string, d *destination, o Options) *Spool {
	t.Helper()
	s, err := New(dir, d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, s) })
	return s
}

func shut(t testing.TB, s *Spool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func export(t testing.TB, s *Spool, names ...string) {
	t.Helper()
	if err := s.ExportSpans(t.Context(), stubs(names...)); err != nil {
		t.Fatalf("ExportSpans(%q): %v", names, err)
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 20 s", what)
		}
	}
}

// expect waits until the destination has taken just these, in this order.
func (d *destination) expect(t testing.TB, want []string) {
	t.Helper()
	eventually(t, "the spans arrive", func() bool { return len(d.names()) >= len(want) })
	if got := d.names(); !slices.Equal(got, want) {
		t.Fatalf("taken: got %d spans %.300q, want %d %.300q", len(got), got, len(want), want)
	}
}
