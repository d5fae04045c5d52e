// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// policiesConfig turns everything on that the story needs.
const policiesConfig = `
policies:
  recover: {}
  loop: {signal: 3, advice: -1, stop: 5}
  validate: {}
  dedupe: {}
  cache: {}
  retry: {on: [overloaded], base_delay: 1ms}
  breaker: {consecutive: 2}
  limit: {concurrency: {tools: {slow_write: 1}}}
  timeout: {tools: {sleepy: 30ms}}
`

// told is what a span's attributes say of a call, without looking at its payload.
func told(tag func(string) string) string {
	waited, _ := strconv.ParseFloat(tag("toolscope.queue.duration"), 64)
	attempts, _ := strconv.Atoi(tag("toolscope.attempts"))
	switch outcome := tag("toolscope.outcome"); {
	case outcome != "executed" && outcome != "refused":
		return outcome
	case tag("error.type") != "":
		return tag("error.type")
	case attempts > 1:
		return "retried"
	case waited > 0:
		return "queued"
	default:
		return outcome
	}
}

// TestPoliciesInJaeger runs one turn in which policies do all they can do, and tells
// its calls apart by the attributes of one trace.
func TestPoliciesInJaeger(t *testing.T) {
	server := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "policies"})
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.OpenText("policies.yaml", []byte(policiesConfig))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	}))
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	started := make(chan struct{}, 8)
	readers, writers := make(chan struct{}), make(chan struct{})
	waiting := func(name string, readOnly toolkit.Hint, release <-chan struct{}) toolkit.Tool {
		return toolkit.ToolFunc(
			toolkit.Definition{Name: name, ReadOnly: readOnly},
			func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				started <- struct{}{}
				select {
				case <-release:
				case <-ctx.Done():
				}
				return toolkit.Result{Output: "done"}, ctx.Err()
			},
		)
	}
	overloaded := tooltest.Step{Err: &toolkit.Error{Kind: toolkit.ErrOverloaded, Message: "try again"}}
	err = registry.Register(
		tooltest.Echo(
			toolkit.Definition{
				Name:     "read",
				ReadOnly: toolkit.Yes,
				InputSchema: json.RawMessage(
					`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`,
				),
			},
		),
		waiting("slow_read", toolkit.Yes, readers),
		waiting("slow_write", toolkit.No, writers),
		tooltest.Scripted(
			toolkit.Definition{Name: "flaky", Idempotent: toolkit.Yes},
			overloaded,
			tooltest.Text("at last"),
		),
		tooltest.Slow(toolkit.Definition{Name: "sleepy"}, time.Minute),
		tooltest.Panicking(toolkit.Definition{Name: "boom"}, "no disk"),
		tooltest.Failing(toolkit.Definition{Name: "down"}, toolkit.ErrTimeout),
	)
	if err != nil {
		t.Fatal(err)
	}
	handle := scope.WrapRegistry(registry)
	turn, run := scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s1", Conversation: "c1"})
	want := map[string]string{} // by call id
	call := func(id, tool, arguments, class string) {
		want[id] = class
		_, _ = handle(turn, toolkit.Call{ID: id, Name: tool, Arguments: json.RawMessage(arguments)})
	}

	call("first", "read", `{"path":"a"}`, "executed")
	call("same", "read", `{ "path" : "\u0061" }`, "cache_hit")
	call("wrong", "read", `{"paht":"a"}`, "invalid_arguments")
	call("unknown", "no_such_tool", `{}`, "unknown_tool")
	call("flaky", "flaky", `{}`, "retried")
	call("sleepy", "sleepy", `{}`, "timeout")
	call("boom", "boom", `{}`, "panic")
	call("down1", "down", `{"n":1}`, "timeout")
	call("down2", "down", `{"n":2}`, "timeout")
	call("down3", "down", `{"n":3}`, "circuit_open")
	for i := range 5 { // a model in a loop; the answers are stored, the model is not stopped before the fifth
		class := "cache_hit"
		if i == 0 {
			class = "executed"
		} else if i == 4 {
			class = "loop_detected"
		}
		call("loop"+strconv.Itoa(i), "read", `{"path":"again"}`, class)
	}
	// Duplicates at the same time, and two calls for one slot.
	var calls sync.WaitGroup
	later := func(id, tool, arguments, class string) {
		want[id] = class
		calls.Go(func() {
			_, _ = handle(turn, toolkit.Call{ID: id, Name: tool, Arguments: json.RawMessage(arguments)})
		})
	}
	both := func() {
		for scope.Stats().Summary(stats.Window{}).Overall.InFlight < 2 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	later("leader", "slow_read", `{}`, "executed")
	<-started
	later("duplicate", "slow_read", `{}`, "coalesced")
	both()
	time.Sleep(100 * time.Millisecond) // in flight is counted before the duplicate joins its leader; nothing reports the joining
	close(readers)
	calls.Wait()
	later("holder", "slow_write", `{"n":1}`, "executed")
	<-started
	later("waiter", "slow_write", `{"n":2}`, "queued")
	both()
	time.Sleep(100 * time.Millisecond) // in flight is counted before the waiter queues; nothing reports the queueing
	close(writers)
	calls.Wait()
	// A batch in which a model says the same twice.
	batch := toolkit.Executor{Handler: handle, Parallel: 1}
	want["once"], want["twice"] = "executed", "repeated"
	batch.Execute(turn, toolkit.Call{ID: "once", Name: "read", Arguments: json.RawMessage(`{"path":"batch"}`)},
		toolkit.Call{ID: "twice", Name: "read", Arguments: json.RawMessage(`{"path":"batch"}`)})
	run.End(nil)
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}

	traces, _, err := server.Spans(ctx, "policies", len(want)+1)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 {
		t.Fatalf("got %d traces, want one of the whole turn", len(traces))
	}
	checkPolicies(t, traces[0], want)
	checkPolicyCounts(t, scope, want)
	if err := scope.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// checkPolicies compares what the spans tell with what happened.
func checkPolicies(t *testing.T, trace jaeger.Trace, want map[string]string) {
	t.Helper()
	byID := map[string]*jaeger.Span{}
	attempts := 0
	for i := range trace.Spans {
		s := &trace.Spans[i]
		if id, ok := s.Tag("gen_ai.tool.call.id"); ok {
			byID[id] = s
		}
		if s.OperationName == "toolscope.attempt" {
			attempts++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		s := byID[id]
		if s == nil {
			t.Errorf("%s: there is no span", id)
			continue
		}
		if got := told(func(key string) string { v, _ := s.Tag(key); return v }); got != want[id] {
			t.Errorf("%s: the span tells %q, want %q: %v", id, got, want[id], s.Tags)
		}
	}
	if attempts != 2 {
		t.Errorf("got %d spans of attempts, want the 2 of the call that was retried", attempts)
	}
	// Who was answered by another's run is linked to it.
	for duplicate, leader := range map[string]string{"duplicate": "leader", "twice": "once", "same": "first"} {
		if byID[duplicate] == nil || byID[leader] == nil {
			continue
		}
		linked := slices.ContainsFunc(
			byID[duplicate].References,
			func(r jaeger.Reference) bool { return r.SpanID == byID[leader].SpanID && r.RefType == "FOLLOWS_FROM" },
		)
		if !linked {
			t.Errorf("%s: not linked to %s: %v", duplicate, leader, byID[duplicate].References)
		}
	}
	if kind, _ := byID["loop4"].Tag("toolscope.loop.kind"); kind != "repeat" {
		t.Errorf("the loop that was stopped is of kind %q, want repeat", kind)
	}
	if started, ran := byID["waiter"].Duration, byID["holder"].Duration; started > ran+1_000_000 {
		t.Errorf("the waiter took %d µs, the holder %d", started, ran)
	}
}

// checkPolicyCounts compares the statistics with what happened.
func checkPolicyCounts(t *testing.T, scope *toolscope.Scope, want map[string]string) {
	t.Helper()
	classes := map[string]uint64{}
	for _, class := range want {
		classes[class]++
	}
	all := scope.Stats().Summary(stats.Window{}).Overall
	refused := classes["invalid_arguments"] + classes["unknown_tool"] + classes["circuit_open"] + classes["loop_detected"]
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"calls", all.Calls, uint64(len(want))},
		{"hits", all.CacheHits, classes["cache_hit"]},
		{"coalesced", all.Coalesced, classes["coalesced"]},
		{"repeated", all.Repeated, classes["repeated"]},
		{"refused", all.Refused, refused},
	} {
		if c.got != c.want {
			t.Errorf("%s: the statistics have %d, want %d", c.name, c.got, c.want)
		}
	}
}
