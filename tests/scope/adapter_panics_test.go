// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestPanicsOfAdaptersAreReported calls through an adapter whose function panics.
func TestPanicsOfAdaptersAreReported(t *testing.T) {
	e := newExportedBy(t)
	call, err := toolscope.WrapFunc(e.Scope, func(context.Context, string) (string, error) { return "fine", nil },
		toolkit.Adapter[string, string]{
			Tools: toolkit.NoTools, Call: func(string) toolkit.Call { return toolkit.Call{Name: "q"} },
			Result: func(string, error) toolkit.Result { panic("the adapter") },
		})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := call(t.Context(), "x"); out != "fine" || err != nil {
		t.Fatalf("got %q, %v", out, err)
	}
	texts := e.texts(t, "q")
	if !strings.Contains(texts["metrics"], "toolscope.self.adapter.panics") {
		t.Error("no metric toolscope.self.adapter.panics")
	}
	if got := texts["/healthz"]; !strings.Contains(got, `"name": "adapters"`) || !strings.Contains(got, "adapters panicked ") {
		t.Errorf("got %s, want a problem of the component adapters", got)
	}
}

// TestContentReportsGoToBoth gives a function for reports of one's own: the statistics count as well.
func TestContentReportsGoToBoth(t *testing.T) {
	reports := 0
	s := newSwitched(t, toolscope.Options{Tracing: tracing.Options{ContentReport: func(tracing.ContentReport) { reports++ }}})
	def := toolkit.Definition{Name: "q"}
	call := s.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil },
		toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
	_, _ = call(t.Context(), toolkit.Call{Name: "q", Arguments: json.RawMessage(`{"password":"hunter2seven"}`)})
	if n := s.Stats().Snapshot(stats.Window{}).Tool("q").Redactions; n != 1 || reports != 1 {
		t.Errorf("got %d redactions in the statistics and %d reports, want 1 and 1", n, reports)
	}
}
