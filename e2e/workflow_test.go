// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"crypto/rand"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/workflow"
)

// newWorkflows makes the workflow saga, which fails if its input says so, and registers its tool.
func newWorkflows(t *testing.T, o toolscope.Options) (*toolscope.Scope, *workflow.Set, toolkit.Handler) {
	t.Helper()
	registry := new(toolkit.Registry)
	if err := registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "book"}), tooltest.Echo(toolkit.Definition{Name: "unbook"}),
		tooltest.Failing(toolkit.Definition{Name: "charge"}, toolkit.ErrTimeout),
		tooltest.Echo(toolkit.Definition{Name: "look_up", ReadOnly: toolkit.Yes}),
	); err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scope.Shutdown(context.Background()) })
	handle := scope.WrapRegistry(registry)
	look := func(n int) workflow.Step { return workflow.Step{Call: "look_up", With: map[string]any{"n": n}} }
	set, err := workflow.New(workflow.Options{Handler: handle, Tools: registry, Scope: scope, Definitions: map[string]workflow.Definition{
		"saga": {Description: "Books a <b>trip</b>", Steps: []workflow.Step{
			{ID: "both", Parallel: &workflow.Parallel{Merge: workflow.All, Branches: []workflow.Step{look(1), look(2)}}},
			{ID: "room", Call: "book", With: map[string]any{"guest": "$input.guest"}, Undo: &workflow.Call{Tool: "unbook"}},
			{ID: "pay", If: "${ input.fail }", Then: &workflow.Step{ID: "card", Call: "charge"}},
		}},
		"idle": {Steps: []workflow.Step{look(1)}},
		"pure": {Output: "$var.x", Steps: []workflow.Step{{Set: map[string]any{"x": 1}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	return scope, set, handle
}

// TestWorkflowInJaeger calls a workflow as a tool, and finds its tree in Jaeger: execute_tool, invoke_workflow in it,
// and an execute_tool for each step in that, undos included.
func TestWorkflowInJaeger(t *testing.T) {
	server := startJaeger(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "workflows"})
	if err != nil {
		t.Fatal(err)
	}
	_, set, handle := newWorkflows(t, toolscope.Options{TracerProvider: providers.TracerProvider, MeterProvider: providers.MeterProvider})
	guest := rand.Text()
	res, err := handle(ctx, toolkit.Call{ID: "call_1", Name: "saga", Arguments: []byte(`{"guest": "` + guest + `", "fail": true}`)})
	if err == nil && res.Fault == nil {
		t.Fatal("the workflow succeeded")
	}
	run := set.Workflows()[2].LastRuns[0]
	if err := providers.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	traces, raw, err := server.Spans(ctx, "workflows", 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 || len(traces[0].Spans) != 7 {
		t.Fatalf("got %d traces, want one of 7 spans: %s", len(traces), raw)
	}
	want := []string{
		"execute_tool saga", "execute_tool saga > invoke_workflow saga",
		"execute_tool saga > invoke_workflow saga > execute_tool book", "execute_tool saga > invoke_workflow saga > execute_tool charge",
		"execute_tool saga > invoke_workflow saga > execute_tool look_up",
		"execute_tool saga > invoke_workflow saga > execute_tool look_up",
		"execute_tool saga > invoke_workflow saga > execute_tool unbook",
	}
	if got := paths(traces[0]); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i := range traces[0].Spans {
		s := &traces[0].Spans[i]
		if s.OperationName == "execute_tool charge" {
			if id, _ := s.Tag("gen_ai.tool.call.id"); id != run.ID+"/pay/card" {
				t.Errorf("call id: got %q, want that of the step of run %s", id, run.ID)
			}
		}
		if s.OperationName != "invoke_workflow saga" {
			continue
		}
		for key, value := range map[string]string{"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "saga",
			"error.type": "timeout", "span.kind": "internal"} {
			if got, _ := s.Tag(key); got != value {
				t.Errorf("%s: got %q, want %q", key, got, value)
			}
		}
	}
}

// paths are the names of a trace's spans, each behind those of the spans around it, sorted.
func paths(trace jaeger.Trace) (list []string) {
	byID := map[string]*jaeger.Span{}
	for i := range trace.Spans {
		byID[trace.Spans[i].SpanID] = &trace.Spans[i]
	}
	for _, s := range byID {
		path := s.OperationName
		for p := byID[s.Parent()]; p != nil; p = byID[p.Parent()] {
			path = p.OperationName + " > " + path
		}
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

// bare are workflows before one of a program that gives no lists, which are null in JSON.
type bare struct{ *workflow.Set }

func (b bare) Workflows() []stats.Workflow {
	return append([]stats.Workflow{{Name: "bare"}}, b.Set.Workflows()...)
}

// TestWorkflowsOnTheDashboard shows the view of workflows in Chromium, with a run that failed and one that did not, one of a
// workflow that calls no tools, and the trace of the run that failed as a tree.
func TestWorkflowsOnTheDashboard(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	providers, err := exporters.Setup(t.Context(), exporters.Options{ServiceName: "workflows"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = providers.Shutdown(context.Background()) })
	scope, set, _ := newWorkflows(t, toolscope.Options{TracerProvider: providers.TracerProvider})
	guest := rand.Text()
	for _, fail := range []string{"false", "true"} {
		set.Run(t.Context(), "saga", []byte(`{"guest": "`+guest+`", "fail": `+fail+`}`))
	}
	set.Run(t.Context(), "pure", nil)
	h, err := statshttp.NewHandler(scope.Stats(), statshttp.Options{Workflows: bare{set}, Traces: providers.Ring.Source()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	page := browse(t, chromium, server.URL+"/?view=workflows")
	page.shows(`document.querySelectorAll("#main section").length >= 2 || document.querySelector("#main table") !== null`)
	text := page.text(`document.getElementById("main").textContent`)
	for _, want := range []string{"saga", "idle", "Books a <b>trip</b>", "2 runs", "1 failed", "may write", "only reads",
		"It has not run yet.", "done", "timeout at pay/card", "1 step undone"} {
		if !strings.Contains(text, want) {
			t.Errorf("the view does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, guest) {
		t.Error("the view shows an argument")
	}
	page.click("#runs-3-table tbody a")
	page.shows(`document.getElementById("trace") !== null`)
	// A line of the tree is its depth and the name of its span.
	const lines = `[...document.querySelectorAll("#trace .fall > ol > li")].map(li =>
		li.style.getPropertyValue("--depth") + " " + li.querySelector(".what").textContent).join("\n")`
	want := "0 invoke_workflow saga\n1 execute_tool look_up\n1 execute_tool look_up\n1 execute_tool book\n" +
		"1 execute_tool charge\n1 execute_tool unbook"
	if got := page.text(lines); got != want {
		t.Errorf("the trace: got\n%s\nwant\n%s", got, want)
	}
	page.open(server.URL + "/?view=workflows")
	page.shows(`document.getElementById("log-3") !== null`)
	page.noFaults()
	page.text(`document.querySelectorAll("details").forEach(d => { d.open = true }), ""`)
	if log := page.text(`document.querySelector("#log-3 table").innerText`); !strings.Contains(log, "room") ||
		!strings.Contains(log, "undo") {
		t.Errorf("the steps: got %s", log)
	}
	page.open(server.URL + "/?view=workflows")
	page.shows(`document.getElementById("log-3") !== null`)
	page.text(`Map.groupBy = null, ""`) // which the view of a trace needs
	page.click("#runs-3-table tbody a")
	page.shows(`document.getElementById("problem")?.textContent.includes("A fault of this page")`)
	page.open(server.URL + "/?view=workflows")
	page.shows(`document.getElementById("log-3") !== null`)
	page.text(`document.querySelectorAll("details").forEach(d => { d.open = true }), ""`)
	page.loadAxe()
	if got := page.accessible(); got != "none" {
		t.Error(got)
	}
}
