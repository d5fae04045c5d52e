// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// trouble is what a host's own code does to us each time it is asked.
type trouble func()

func (t trouble) OnStart(context.Context, sdktrace.ReadWriteSpan) { t() }
func (t trouble) OnEnd(sdktrace.ReadOnlySpan)                     { t() }
func (t trouble) Shutdown(context.Context) error                  { t(); return nil }
func (t trouble) ForceFlush(context.Context) error                { t(); return nil }

func (t trouble) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	t()
	return nil //nolint:staticcheck // garbage
}
func (t trouble) Wants(context.Context) bool          { t(); return true }
func (t trouble) End(context.Context, *toolkit.Ended) { t() }
func (t trouble) ShouldSample(sdktrace.SamplingParameters) sdktrace.SamplingResult {
	t()
	return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample, Attributes: []attribute.KeyValue{{}}}
}
func (trouble) Description() string { return "trouble" }

// A store that does it as well, and answers garbage.
func (t trouble) Get(context.Context, cache.Key) (*cache.Entry, uint64, error) {
	t()
	return nil, 7, errors.New("garbage")
}
func (t trouble) Set(context.Context, cache.Key, *cache.Entry, time.Duration) error { t(); return nil }
func (t trouble) Add(context.Context, cache.Write, uint64) error                    { t(); return nil }

// troubled is a scope of which each part that a host can give is troubled.
func troubled(t *testing.T, again func() toolkit.Handler, what trouble) (*toolscope.Scope, error) {
	t.Helper()
	redactor, errR := redact.New(redact.Options{
		Callback: func(redact.Match) (redact.Action, string) { what(); return redact.Mask, "" }})
	rules, errC := permit.Compile(permit.Spec{
		Rules: []permit.Rule{{Name: "asks", Effect: permit.Ask, Tools: []string{"asked"}},
			{Name: "all", Effect: permit.Allow, Tools: []string{"*"}}}})
	gate, errP := permit.New(permit.Options{Rules: rules, Approver: true,
		OnDecision: func(context.Context, toolkit.Call, permit.Decision) { what() }})
	loops, errL := loop.New(loop.Options{OnLoop: func(context.Context, loop.Loop) { what() }})
	answers, errS := cache.New(cache.Options{Store: what})
	limits, errM := limit.New(limit.Options{Concurrency: limit.Concurrency{PerKey: 100},
		Key: func(context.Context, toolkit.Call) string { what(); return "k" }})
	circuits, errB := breaker.New(breaker.Options{Key: func(context.Context, toolkit.Call) string { what(); return "k" },
		OnChange: func(breaker.Change) { what() }})
	person, errA := approve.New(approve.Options{
		Askers: []approve.Asker{approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
			return approve.Answer{Approved: true}, nil // one that panics is a refusal: approve's own tests
		})},
		Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { what(); return "", false },
		Tell:   func(approve.Decision) { what() },
	})
	if err := errors.Join(errR, errC, errP, errL, errS, errM, errB, errA); err != nil {
		t.Fatal(err)
	}
	reader := sdkmetric.NewPeriodicReader(troubledMetrics{what})
	t.Cleanup(func() { defer func() { _ = recover() }(); _ = reader.Shutdown(context.Background()) })
	recovers, err := middleware.Recover()
	if err != nil {
		return nil, err
	}
	return toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(what), sdktrace.WithSampler(what)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		Redactor:       redactor,
		Observers:      []toolkit.Observer{what},
		Stats:          stats.Options{Registered: func() []toolkit.Definition { what(); return nil }},
		Policies:       []middleware.Policy{recovers, gate, loops, answers, limits, circuits, person},
	})
}

// troubledMetrics is an exporter of metrics.
type troubledMetrics struct{ do trouble }

func (troubledMetrics) Temporality(sdkmetric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}
func (troubledMetrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}
func (m troubledMetrics) Export(context.Context, *metricdata.ResourceMetrics) error {
	return errors.New("no")
}
func (m troubledMetrics) ForceFlush(context.Context) error { m.do(); return nil }
func (m troubledMetrics) Shutdown(context.Context) error   { return nil }

// TestTheAgentGetsItsAnswer runs calls under hosts' code that panics, ends its goroutine's
// work late, or calls back into the scope, in every place at once.
func TestTheAgentGetsItsAnswer(t *testing.T) {
	for name, what := range map[string]func(again func() toolkit.Handler) trouble{
		"panics":       func(func() toolkit.Handler) trouble { return func() { panic("host's own") } },
		"panics oddly": func(func() toolkit.Handler) trouble { return func() { panic(error(nil)) } },
		// real code blocks
		"is slow": func(func() toolkit.Handler) trouble { return func() { time.Sleep(100 * time.Microsecond) } },
		"calls the scope": func(again func() toolkit.Handler) trouble {
			busy := make(chan struct{}, 1)
			return func() {
				select {
				case busy <- struct{}{}: // once at a time: or it would never end
					defer func() { <-busy }()
					if h := again(); h != nil {
						_, _ = h(context.Background(), toolkit.Call{ID: "nested", Name: "echo", Arguments: []byte(`{"text":"inner"}`)})
					}
				default:
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var handle toolkit.Handler
			scope, err := troubled(t, func() toolkit.Handler { return handle }, what(func() toolkit.Handler { return handle }))
			if err != nil {
				t.Fatal(err)
			}
			registry := new(toolkit.Registry)
			echo := func(_ context.Context, in struct{ Text string }) (string, error) { return "echo " + in.Text, nil }
			if err := registry.Register(toolkit.NewTool(toolkit.Definition{
				Name: "echo", Description: "Echoes.",
				ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
			}, echo), toolkit.NewTool(toolkit.Definition{Name: "writes", Description: "Writes."}, echo)); err != nil {
				t.Fatal(err)
			}
			handle = scope.WrapRegistry(registry)
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
			for range 6 { // a loop, too
				for _, tool := range []string{"echo", "writes"} {
					res, err := handle(ctx, toolkit.Call{ID: "c", Name: tool, Arguments: []byte(`{"text":"password=hunter2hunter2"}`)})
					if want := "echo password=hunter2hunter2"; err != nil || len(res.Output) < len(want) || res.Output[:len(want)] != want {
						t.Errorf("%s: got %q, %v, want the tool's answer", tool, res.Output, err)
					}
				}
			}
			func() {
				defer func() {
					if v := recover(); v != nil {
						t.Errorf("Shutdown panicked: %v", v)
					}
				}()
				_ = scope.Shutdown(t.Context())
			}()
		})
	}
}
