// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// A busyProgram does all that a panel or an alert is about, ten times a second until the test ends.
type busyProgram struct {
	scope      *toolscope.Scope
	statistics string   // the address of its statistics
	otel       []string // the addresses of OpenTelemetry's metrics
	// worse makes the tool "sudden" slow, "stored" answer no call from its cache, and "dear" cost more.
	worse atomic.Bool

	tools   map[string]*toolkit.Definition
	handle  toolkit.Handler
	session *mcp.ClientSession
	spans   trace.Tracer // of the providers without a spool
	ticks   int
}

// startBusy starts the program. Its spans have no destination: one part of them waits in a spool that is too
// small, the other is lost.
func startBusy(t *testing.T) *busyProgram {
	t.Helper()
	collectComplaints(t) // there are many
	b := &busyProgram{tools: make(map[string]*toolkit.Definition)}
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + freeAddress(t), "OTEL_EXPORTER_OTLP_TIMEOUT": "300",
		"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1",
		"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_BSP_MAX_QUEUE_SIZE": "64", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "32",
	} {
		t.Setenv(name, value)
	}
	setup := func(o exporters.Options) *exporters.Providers {
		address := freeAddress(t)
		b.otel = append(b.otel, address)
		t.Setenv("OTEL_EXPORTER_PROMETHEUS_PORT", address[strings.LastIndex(address, ":")+1:])
		providers, err := exporters.Setup(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = providers.Shutdown(ctx) // what is left has no destination
		})
		return providers
	}
	kept := setup(exporters.Options{
		ServiceName: "busy", SpoolDir: t.TempDir(), Spool: exporters.SpoolOptions{MaxBytes: 256 << 10},
		TailSampling: &exporters.TailSampling{Ratio: 1},
	})
	b.spans = setup(exporters.Options{ServiceName: "busy without a spool"}).TracerProvider.Tracer("busy")

	stored, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{Limits: redact.Limits{Nesting: 4}})
	if err != nil {
		t.Fatal(err)
	}
	b.scope, err = toolscope.New(toolscope.Options{
		TracerProvider: kept.TracerProvider, MeterProvider: kept.MeterProvider, Redactor: redactor,
		Settings: toolscope.Settings{Policies: []middleware.Policy{stored}},
		HTTP:     statshttp.Options{Metrics: statsprom.NewHandler},
	})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}),
		tooltest.Failing(toolkit.Definition{Name: "down"}, toolkit.ErrTimeout),
	); err != nil {
		t.Fatal(err)
	}
	b.handle = b.scope.WrapRegistry(registry)
	b.connect(t)
	server := httptest.NewServer(b.scope.HTTPHandler())
	t.Cleanup(server.Close)
	b.statistics = strings.TrimPrefix(server.URL, "http://")

	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	b.begin("stuck") // and never ends
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-tick.C:
				b.tick(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	return b
}

// connect makes an MCP session with a server in this process.
func (b *busyProgram) connect(t *testing.T) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "balance"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "42"}}}, nil, nil
		})
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	toolmcp.Instrument(server, b.scope, toolmcp.Options{})
	toolmcp.Instrument(client, b.scope, toolmcp.Options{})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.session, err = client.Connect(t.Context(), near, nil); err != nil {
		t.Fatal(err)
	}
}

// tick does everything once.
func (b *busyProgram) tick(ctx context.Context) {
	b.ticks++
	b.calls(ctx)
	refuse := func(kind toolkit.Kind) func(*toolkit.Ended) {
		return func(e *toolkit.Ended) { e.Disposition.Outcome, e.ErrorType = toolkit.OutcomeRefused, string(kind) }
	}
	for i := range 10 { // the same times in each tick: percentiles do not depend on the window
		b.record("steady", time.Duration((i+1)*(i+1))*3*time.Millisecond, nil)
	}
	b.record("failing", time.Millisecond, nil)
	b.record("failing", time.Millisecond, func(e *toolkit.Ended) { e.ErrorType = string(toolkit.ErrTool) })
	b.record("broken", 0, refuse(toolkit.ErrCircuitOpen))
	b.record("looping", 0, refuse(toolkit.ErrLoopDetected))
	b.record("forbidden", 0, refuse(toolkit.ErrPermissionDenied))
	b.record("limited", 0, refuse(toolkit.ErrRateLimited))
	b.record("asking", 0, func(e *toolkit.Ended) {
		refuse(toolkit.ErrApprovalExpired)(e)
		e.Disposition.Approval = 10 * time.Minute
		e.Disposition.Tags = []toolkit.Tag{{Key: "approval", Value: "expired"}}
	})
	b.record("unasked", 0, func(e *toolkit.Ended) {
		refuse(toolkit.ErrApprovalDenied)(e)
		e.Disposition.Tags = []toolkit.Tag{{Key: "approval", Value: "unavailable"}}
	})
	b.record("alone", time.Millisecond, func(e *toolkit.Ended) {
		e.Disposition.Tags = []toolkit.Tag{{Key: "limit.store", Value: "away"}}
	})
	b.record("retried", time.Millisecond, func(e *toolkit.Ended) {
		e.Disposition.Attempts, e.Disposition.Repeat, e.ResultBytes = 3, 1, 0
		e.Disposition.Backoff, e.Disposition.Queue = time.Second, time.Second
	})
	b.scope.Stats().AddContent(b.tools["retried"], 1, 1)

	worse := b.worse.Load()
	sudden, price, outcome := 10*time.Millisecond, 1, toolkit.OutcomeCacheHit
	if worse {
		sudden, price, outcome = 3*time.Second, 5, toolkit.OutcomeExecuted
	}
	b.record("sudden", sudden, nil)
	for range price {
		b.record("dear", time.Millisecond, nil)
	}
	for range 10 {
		b.record("stored", time.Millisecond, func(e *toolkit.Ended) { e.Disposition.Outcome = outcome })
	}
}

// calls are real calls of an agent, as spans, metrics and over MCP, and settings that are applied.
func (b *busyProgram) calls(ctx context.Context) {
	turn, run := b.scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s"})
	run.InferenceCall()
	deep := json.RawMessage(strings.Repeat(`{"in":`, 20) +
		`{"password":"hunter ` + strconv.Itoa(b.ticks) + `"}` + strings.Repeat("}", 20))
	for _, arguments := range []json.RawMessage{json.RawMessage(`{"path":"a"}`), deep} {
		_, _ = b.handle(turn, toolkit.Call{ID: "c", Name: "read", Arguments: arguments})
	}
	_, _ = b.handle(turn, toolkit.Call{ID: "d", Name: "down"}) // fails, as it should
	_, _ = b.session.CallTool(turn, &mcp.CallToolParams{Name: "balance"})
	run.End(nil)
	for range 200 { // more than the queue holds
		_, span := b.spans.Start(ctx, "work")
		span.End()
	}
	if b.ticks%10 == 0 {
		_ = b.scope.Apply(b.scope.Settings()) // nothing can be wrong with those that are in use
	}
}

// definition is the tool of that name, which costs 1 if it is dear.
func (b *busyProgram) definition(name string) *toolkit.Definition {
	if b.tools[name] == nil {
		b.tools[name] = &toolkit.Definition{Name: name}
		if name == "dear" {
			b.tools[name].Cost = 1
		}
	}
	return b.tools[name]
}

func (b *busyProgram) begin(tool string) *toolkit.Ended {
	e := &toolkit.Ended{Call: toolkit.Call{Name: tool}, Start: time.Now(), ArgumentsBytes: 10, ResultBytes: 20}
	e.Info.Tool = b.definition(tool)
	b.scope.Stats().Begin(context.Background(), e.Call, &e.Info)
	return e
}

// record records a call that took that long, without waiting for it.
func (b *busyProgram) record(tool string, run time.Duration, change func(*toolkit.Ended)) {
	e := b.begin(tool)
	e.End = time.Now()
	e.Start = e.End.Add(-run)
	e.Disposition.Run = run
	e.Info.Span = toolkit.SpanRef{TraceID: [16]byte{1, byte(b.ticks)}, SpanID: [8]byte{1, byte(b.ticks)}, Sampled: true}
	if change != nil {
		change(e)
	}
	b.scope.Stats().End(context.Background(), e)
}
