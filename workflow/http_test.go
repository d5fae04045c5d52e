// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/workflow"
)

// GET /api/v1/workflows lists the workflows by name with their runs, failed ones included, without content.
func TestWorkflowsOverHTTP(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	set := b.load(t, map[string]workflow.Definition{
		"w":    {Description: "Writes", Steps: []workflow.Step{undoable("a")}},
		"bad":  {Steps: []workflow.Step{undoable("a"), {ID: "b", Call: "fail", With: map[string]any{"v": "$input.v"}}}},
		"idle": {Steps: []workflow.Step{echo("a", 1)}},
		"pure": {Steps: []workflow.Step{{Set: map[string]any{"x": 1}}}},
	})
	secret := rand.Text()
	for _, name := range []string{"w", "bad", "w"} {
		set.Run(t.Context(), name, []byte(`{"v": "`+secret+`"}`))
	}
	get := func(o statshttp.Options, method string) (int, string) {
		h, err := statshttp.NewHandler(b.scope.Stats(), o)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(h)
		defer server.Close()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/workflows", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	code, body := get(statshttp.Options{Workflows: set}, http.MethodGet)
	var answer struct {
		Data struct {
			Workflows []stats.Workflow `json:"workflows"`
		} `json:"data"`
		Workflows []stats.Workflow `json:"workflows"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		t.Fatalf("got %d %s, %v", code, body, err)
	}
	list := append(answer.Workflows, answer.Data.Workflows...)
	if len(list) != 4 || list[0].Name != "bad" || list[1].Name != "idle" || list[2].Name != "pure" || list[3].Name != "w" {
		t.Fatalf("got %s", body)
	}
	if strings.Contains(body, "null") { // of a workflow that calls no tools, or has not run
		t.Errorf("got %s, want empty lists", body)
	}
	bad, idle, good := list[0], list[1], list[3]
	if bad.Runs != 1 || bad.Failed != 1 || bad.LastRuns[0].FailedStep != "b" || bad.LastRuns[0].Undone[0] != "a" ||
		bad.LastRuns[0].Calls != 3 || len(bad.LastRuns[0].Log) != 3 || bad.ReadOnly || !strings.Contains(bad.Graph, "flowchart") {
		t.Errorf("bad: got %+v", bad)
	}
	if idle.Runs != 0 || !idle.ReadOnly || good.Runs != 2 || good.Failed != 0 || good.Description != "Writes" ||
		good.LastRuns[0].Started.Before(good.LastRuns[1].Started) {
		t.Errorf("got %+v and %+v", idle, good)
	}
	if strings.Contains(body, secret) {
		t.Error("the answer has an argument")
	}
	code, body = get(statshttp.Options{}, http.MethodGet)
	if code != http.StatusNotFound || !strings.Contains(body, "Options.Workflows") {
		t.Errorf("without workflows: got %d %s", code, body)
	}
	if code, _ := get(statshttp.Options{Workflows: set}, http.MethodPost); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", code)
	}
}
