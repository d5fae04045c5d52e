// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// The tests begin with an environment without OTEL_*, on every machine.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_") {
			os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m)
}

// newScope is a scope over the real SDK, with its spans.
func newScope(t testing.TB, o toolscope.Options) (*toolscope.Scope, *tracetest.SpanRecorder) {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	o.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	o.MeterProvider = sdkmetric.NewMeterProvider()
	scope, err := toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return scope, spans
}

func echo(t testing.TB) *toolkit.Registry {
	t.Helper()
	r := new(toolkit.Registry)
	err := r.Register(toolkit.ToolFunc(toolkit.Definition{Name: "echo"},
		func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: string(c.Arguments)}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// get asks the scope's handler as a browser on this machine would.
func get(t testing.TB, scope *toolscope.Scope, path string) *http.Response {
	t.Helper()
	server := httptest.NewServer(scope.HTTPHandler())
	defer server.Close()
	res, err := server.Client().Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	server.Client().CloseIdleConnections()
	return res
}

func TestTenThousandConcurrentCallsAreCountedExactly(t *testing.T) {
	scope, spans := newScope(t, toolscope.Options{})
	execute := scope.Wrap(echo(t).Handle, echo(t))
	const workers, each = 100, 100
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range each {
				name := "echo"
				if i%10 == 0 {
					name = "made_up"
				}
				_, _ = execute(context.Background(), toolkit.Call{Name: name, Arguments: []byte(`{}`)})
			}
		})
	}
	wg.Wait()
	if got := len(spans.Ended()); got != workers*each {
		t.Errorf("got %d spans, want %d", got, workers*each)
	}
	total := scope.Stats().Summary(stats.Window{}).Overall
	if total.Calls != workers*each || total.Errors != workers*each/10 {
		t.Errorf("got %d calls, %d errors, want %d, %d", total.Calls, total.Errors, workers*each, workers*each/10)
	}
}

// A scope that wraps a registry knows which of its tools are never used.
func TestWrapRegistryNamesToolsNeverUsed(t *testing.T) {
	scope, spans := newScope(t, toolscope.Options{})
	registry := echo(t)
	idle := func(context.Context, struct{}) (string, error) { return "", nil }
	if err := registry.Register(toolkit.NewTool(toolkit.Definition{Name: "idle"}, idle)); err != nil {
		t.Fatal(err)
	}
	execute := scope.WrapRegistry(registry)
	if res, err := execute(context.Background(), toolkit.Call{Name: "echo", Arguments: []byte(`{}`)}); err != nil ||
		res.Output != "{}" {
		t.Errorf("got %v, %v, want the tool's answer", res, err)
	}
	if got := scope.Stats().Health(stats.Window{}).Unused; len(got) != 1 || got[0] != "idle" {
		t.Errorf("never used: got %q, want idle", got)
	}
	if len(spans.Ended()) != 1 {
		t.Errorf("got %d spans, want 1", len(spans.Ended()))
	}
	var none *toolscope.Scope
	if res, err := none.WrapRegistry(registry)(context.Background(), toolkit.Call{Name: "echo"}); err != nil || res.Fault != nil {
		t.Errorf("a nil scope: got %v, %v, want the tool's answer", res, err)
	}
	if res, err := scope.WrapRegistry(nil)(context.Background(), toolkit.Call{Name: "echo"}); err == nil && res.Fault == nil {
		t.Error("a nil registry: got an answer, want a refusal")
	}
}

func TestCallsAfterShutdownStillWork(t *testing.T) {
	scope, spans := newScope(t, toolscope.Options{})
	r := echo(t)
	execute := scope.Wrap(r.Handle, r)
	for range 2 {
		if err := scope.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	res, err := execute(context.Background(), toolkit.Call{Name: "echo", Arguments: []byte(`{"a":1}`)})
	if err != nil || res.Output != `{"a":1}` {
		t.Errorf("got %v, %v, want the echo", res.Output, err)
	}
	if len(spans.Ended()) != 1 {
		t.Errorf("got %d spans, want 1: the application's provider goes on", len(spans.Ended()))
	}
}

func TestGlobalsStayAsTheyWere(t *testing.T) {
	tracers, meters, propagator := otel.GetTracerProvider(), otel.GetMeterProvider(), otel.GetTextMapPropagator()
	scope, _ := newScope(t, toolscope.Options{})
	_ = scope.Shutdown(context.Background())
	if otel.GetTracerProvider() != tracers || otel.GetMeterProvider() != meters || otel.GetTextMapPropagator() != propagator {
		t.Error("a global provider was replaced")
	}
}

func TestNilAndOffHandBackWhatTheyAreGiven(t *testing.T) {
	off, err := toolscope.New(toolscope.Options{NoTracing: true, NoMetrics: true, NoStats: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, scope := range map[string]*toolscope.Scope{"nil": nil, "off": off} {
		t.Run(name, func(t *testing.T) {
			r := echo(t)
			execute := scope.Wrap(r.Handle, r)
			call := toolkit.Call{Name: "echo", Arguments: []byte(`{}`)}
			bare := testing.AllocsPerRun(100, func() { _, _ = r.Handle(context.Background(), call) })
			wrapped := testing.AllocsPerRun(100, func() { _, _ = execute(context.Background(), call) })
			if wrapped != bare {
				t.Errorf("wrapped allocates %v times, bare %v: want the same", wrapped, bare)
			}
			ctx, run := scope.StartAgent(context.Background(), tracing.Agent{Name: "a"})
			run.End(nil)
			if s := toolkit.SessionFrom(ctx); s == nil || s.Agent != "a" {
				t.Errorf("got session %+v, want the agent's", s)
			}
			callbacks, err := scope.Callbacks(nil)
			if err != nil {
				t.Fatal(err)
			}
			_, running := callbacks.Begin(ctx, call)
			running.End(toolkit.Result{}, nil)
			if res := get(t, scope, "/"); res.StatusCode != http.StatusNotFound {
				t.Errorf("got status %d, want 404", res.StatusCode)
			}
			if scope.Stats() != nil || scope.Shutdown(context.Background()) != nil {
				t.Error("want no recorder and a shutdown without error")
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	scope, spans := newScope(t, toolscope.Options{})
	r := echo(t)
	execute := scope.Wrap(r.Handle, r)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	huge := bytes.Repeat([]byte("x"), 50<<20)
	tests := []struct {
		name      string
		ctx       context.Context
		call      toolkit.Call
		errorType string
	}{
		{"no arguments", context.Background(), toolkit.Call{Name: "echo"}, ""},
		{"invalid JSON", context.Background(), toolkit.Call{Name: "echo", Arguments: []byte(`{"a":`)}, ""},
		{"50 MiB", context.Background(), toolkit.Call{Name: "echo", Arguments: huge}, ""},
		{"no name", context.Background(), toolkit.Call{}, "unknown_tool"},
		{"a name of 1 MiB with control characters", context.Background(),
			toolkit.Call{Name: strings.Repeat("\x1b[2J\x00", 1<<18)}, "unknown_tool"},
		{"cancelled", canceled, toolkit.Call{Name: "echo"}, "canceled"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := execute(tt.ctx, tt.call)
			if err != nil || toolkit.TypeOf(res.Fault) != tt.errorType {
				t.Errorf("got error %v, fault %q, want fault %q", err, toolkit.TypeOf(res.Fault), tt.errorType)
			}
			if tt.errorType == "" && res.Output != string(tt.call.Arguments) {
				t.Error("the result is not the tool's")
			}
			span := spans.Ended()[i]
			for _, kv := range span.Attributes() {
				if len(kv.Value.String()) > 5000 {
					t.Errorf("%s has %d bytes", kv.Key, len(kv.Value.String()))
				}
			}
			if len(span.Name()) > 100 {
				t.Errorf("the span's name has %d bytes", len(span.Name()))
			}
		})
	}
	for name, h := range map[string]toolkit.Handler{"nil handler": scope.Wrap(nil, nil),
		"nil registry": scope.Wrap((*toolkit.Registry)(nil).Handle, (*toolkit.Registry)(nil))} {
		res, err := h(context.Background(), toolkit.Call{Name: "x"})
		if err == nil {
			err = res.Fault
		}
		if !errors.Is(err, toolkit.ErrUnknownTool) {
			t.Errorf("%s: got %v, want unknown_tool", name, err)
		}
	}
	_, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{nil}})
	if err == nil || !strings.Contains(err.Error(), "Options.Policies[0]: got a nil") {
		t.Errorf("got %v, want an error that names Options.Policies", err)
	}
}

func TestWrappingAddsNoGoroutine(t *testing.T) {
	scope, _ := newScope(t, toolscope.Options{})
	var inside int
	r := new(toolkit.Registry)
	_ = r.Register(toolkit.ToolFunc(toolkit.Definition{Name: "count"}, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		inside = goroutines()
		return toolkit.Result{}, nil
	}))
	handle := scope.Wrap(r.Handle, r)
	var before, after int
	// A goroutine that an earlier test started may end meanwhile.
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		before = goroutines()
		_, _ = handle(context.Background(), toolkit.Call{Name: "count"})
		if after = goroutines(); inside == before && after == before {
			return
		}
	}
	t.Errorf("got %d goroutines before, %d inside, %d after", before, inside, after)
}

func goroutines() int { return runtime.NumGoroutine() }
