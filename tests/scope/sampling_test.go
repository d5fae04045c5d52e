// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// TestSampledStatisticsAreComplete: of calls of which nothing is kept but what matters, the
// statistics know all; and what matters are the failed, the refused, the panicking and the
// unusually slow ones.
func TestSampledStatisticsAreComplete(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	providers, err := exporters.Setup(t.Context(), exporters.Options{
		RingSpans: -1, Exporters: []sdktrace.SpanExporter{kept}, TailSampling: &exporters.TailSampling{Ratio: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	spans := func() tracetest.SpanStubs {
		if err := providers.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		return kept.GetSpans()
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(exporters.HeadSampler()),
		sdktrace.WithSpanProcessor(providers.SpanProcessor()))
	scope, err := toolscope.New(toolscope.Options{TracerProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	providers.SetSlow(scope.Stats().SlowerThan)
	tool := &toolkit.Definition{Name: "lookup"}
	execute := scope.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		switch call.ID {
		case "soft":
			return toolkit.Result{Fault: errors.New("no such row")}, nil
		case "hard":
			return toolkit.Result{}, errors.New("no connection")
		case "slow":
			time.Sleep(100 * time.Millisecond) // a slow call beside calls of microseconds, on the real clock
		case "panic":
			panic("lookup")
		}
		return toolkit.Result{Output: "row"}, nil
	}, toolkit.Lookup(func(name string) *toolkit.Definition {
		if name == tool.Name {
			return tool
		}
		return nil
	}))
	call := func(name, id string) {
		defer func() { _ = recover() }()
		_, _ = execute(context.Background(), toolkit.Call{ID: id, Name: name})
	}
	const usual = 1000
	for range usual {
		call("lookup", "usual")
	}
	for deadline := time.Now().Add(time.Minute); scope.Stats().SlowerThan("lookup") == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the statistics have no limit for slow calls yet")
		}
	}
	before := len(spans())
	for _, id := range []string{"soft", "hard", "panic", "slow"} {
		call("lookup", id)
	}
	var got []string
	for _, s := range spans()[before:] {
		for _, kv := range s.Attributes {
			if kv.Key == "gen_ai.tool.call.id" {
				got = append(got, kv.Value.AsString())
			}
		}
	}
	if len(got) != 4 {
		t.Errorf("got %q kept, want soft, hard, panic and slow", got)
	}
	if all := scope.Stats().Summary(stats.Window{}).Overall; all.Calls != usual+4 || all.Errors != 3 {
		t.Errorf("got %d calls and %d errors, want %d and 3", all.Calls, all.Errors, usual+4)
	}
	if err := errors.Join(scope.Shutdown(t.Context()), provider.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}
