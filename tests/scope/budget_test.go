// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestBudgets holds what a call may allocate in each mode, so that no change makes it more expensive
// unknowingly: a call with 300 bytes of arguments, two of whose members are redacted, and a
// result of 500. Of the sampled modes' allocations the SDK makes nine. What is over a budget
// is to be made cheaper, or the budget raised with the reason in the commit.
func TestBudgets(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	sampled := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(discard{}))
	unsampled := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	off, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		allocs, size float64
		options      toolscope.Options
		conversation string
	}{
		{"off", 0, 0, toolscope.Options{Settings: toolscope.Settings{Off: true}}, ""},
		{"statistics only", 0, 0, toolscope.Options{NoTracing: true, NoMetrics: true}, ""},
		{"a provider that does nothing", 0, 0, toolscope.Options{
			TracerProvider: tracenoop.NewTracerProvider(),
			MeterProvider:  metricnoop.NewMeterProvider(),
		}, ""},
		{"no provider set", 3, 240, toolscope.Options{}, ""},
		{"not sampled", 3, 400, toolscope.Options{TracerProvider: unsampled, MeterProvider: meters}, ""},
		{"not sampled, in a conversation", 3, 464, toolscope.Options{
			TracerProvider: unsampled,
			MeterProvider:  meters,
		}, "conversation-1"},
		{"sampled without content", 6, 1984, toolscope.Options{
			TracerProvider: sampled,
			MeterProvider:  meters,
			Content:        tracing.ContentOff,
		}, ""},
		{"sampled, redactor off", 10, 2960, toolscope.Options{
			TracerProvider: sampled,
			MeterProvider:  meters,
			Redactor:       off,
		}, ""},
		{"sampled", 10, 3216, toolscope.Options{TracerProvider: sampled, MeterProvider: meters}, ""},
		{"sampled without statistics", 10, 3216, toolscope.Options{
			TracerProvider: sampled,
			MeterProvider:  meters,
			NoStats:        true,
		}, ""},
	} {
		scope, err := toolscope.New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		handler := scope.Wrap(benchHandler, toolkit.Lookup(benchLookup))
		ctx := toolkit.WithSession(context.Background(), toolkit.Session{Agent: "planner", Conversation: c.conversation})
		one := func() { _, _ = handler(ctx, benchCall) }
		const runs = 2000
		allocs, size := math.Inf(1), math.Inf(1)
		// What else runs in the process allocates as well, now and then; on a busy machine, where a run takes long,
		// in most of them. What a call allocates itself is in all of them.
		for tries := 0; tries < 20 && (allocs > c.allocs || size > c.size); tries++ {
			allocs, size = min(allocs, testing.AllocsPerRun(runs, one)), min(size, bytesPerRun(runs, one))
		}
		if allocs > c.allocs || size > c.size {
			t.Errorf("%s: got %v allocations of %.0f bytes a call, want at most %v of %v", c.name, allocs, size, c.allocs, c.size)
		}
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// bytesPerRun is how many bytes f allocates, on one processor, as testing.AllocsPerRun does
// it, rounded down as that does: what the runtime allocates beside is a small part.
func bytesPerRun(runs int, f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64((after.TotalAlloc - before.TotalAlloc) / uint64(runs))
}
