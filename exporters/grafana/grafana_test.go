// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package grafana_test checks the dashboards in this folder against the metrics
// that the code really makes.
package grafana_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// names are metrics and their labels; histograms have their three series.
type names map[string]map[string]bool

func TestDashboards(t *testing.T) {
	for _, c := range []struct {
		file string
		made names
	}{
		{"toolscope-stats.json", statsNames(t)},
		{"toolscope-otel.json", otelNames(t)},
	} {
		t.Run(c.file, func(t *testing.T) {
			used := make(map[string]bool)
			for _, e := range expressions(t, c.file) {
				for _, metric := range checkExpression(t, e, c.made) {
					used[metric] = true
				}
			}
			if len(used) < 5 {
				t.Errorf("got %d metrics in use, want a dashboard of more", len(used))
			}
		})
	}
}

var (
	metricName = regexp.MustCompile(`\b(?:toolscope|gen_ai|mcp)_[a-z_]+\b`)
	selector   = regexp.MustCompile(`\b((?:toolscope|gen_ai|mcp)_[a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!=|!~|=)`)
	grouping   = regexp.MustCompile(`by \(([^)]*)\)`)
	labelsOnly = regexp.MustCompile(`label_values\(([a-z_]+), ([a-z_]+)\)`)
)

// checkExpression checks that the metrics of an expression are made and have the
// labels that it asks of them, and returns their names.
func checkExpression(t *testing.T, expr string, made names) []string {
	t.Helper()
	if m := labelsOnly.FindStringSubmatch(expr); m != nil {
		if !made[m[1]][m[2]] {
			t.Errorf("%s: got label %s of %s, which it does not have", expr, m[2], m[1])
		}
		return nil
	}
	var labels []string
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(g[1], ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
	}
	for _, s := range selector.FindAllStringSubmatch(expr, -1) {
		for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
			if !made[s[1]][m[1]] {
				t.Errorf("%s: got label %s of %s, which it does not have", expr, m[1], s[1])
			}
		}
	}
	var metrics []string
	bare := selector.ReplaceAllString(grouping.ReplaceAllString(expr, ""), "$1")
	for _, name := range metricName.FindAllString(bare, -1) {
		has, ok := made[name]
		if !ok {
			t.Errorf("%s: got metric %s, which no code makes", expr, name)
			continue
		}
		metrics = append(metrics, name)
		for _, l := range labels {
			if !has[l] && l != "instance" { // instance is Prometheus's own
				t.Errorf("%s: got label %s of %s, which it does not have", expr, l, name)
			}
		}
	}
	if len(metrics) == 0 {
		t.Errorf("%s: got none of toolscope's metrics", expr)
	}
	return metrics
}

// expressions are all that a dashboard asks, and checks its form on the way.
func expressions(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title, UID string
		Panels     []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.UID == "" {
		t.Error("got no title or uid")
	}
	var all []string
	seen := make(map[int]bool)
	for _, p := range board.Panels {
		if seen[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.W == 0 {
			t.Errorf("panel %d %q: got an id twice, no title, or a place beyond the grid", p.ID, p.Title)
		}
		seen[p.ID] = true
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	for _, v := range board.Templating.List {
		if v.Definition != "" {
			all = append(all, v.Definition)
		}
	}
	return all
}

// gathered are the names of what a registry holds.
func gathered(t *testing.T, g prometheus.Gatherer) names {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	made := make(names)
	for _, f := range families {
		series := []string{f.GetName()}
		if f.GetMetric()[0].GetHistogram() != nil {
			series = []string{f.GetName() + "_bucket", f.GetName() + "_sum", f.GetName() + "_count"}
		}
		for _, s := range series {
			made[s] = map[string]bool{}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					made[s][l.GetName()] = true
				}
			}
			if strings.HasSuffix(s, "_bucket") {
				made[s]["le"] = true
			}
		}
	}
	return made
}

var bash = &toolkit.Definition{Name: "bash", Cost: 1}

// aCall runs one failing call that has everything there is to count.
func aCall(t *testing.T, observer toolkit.Observer) {
	t.Helper()
	execute := toolkit.Observe(func(string) *toolkit.Definition { return bash }, observer)(
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Record.Note(func(s *toolkit.Disposition) {
				s.Attempts, s.Repeat = 2, 1
				s.Tags = []toolkit.Tag{{Key: "cache", Value: "miss"}}
				s.Queue, s.Approval, s.Backoff = time.Second, time.Second, time.Second
			})
			if call.Arguments != nil {
				return toolkit.Result{}, nil
			}
			return toolkit.Result{}, errors.New("failed")
		})
	ctx := context.Background()
	if o, ok := observer.(*tracing.Observer); ok {
		with, run := o.StartAgent(ctx, tracing.Agent{Name: "planner"})
		run.InferenceCall()
		defer run.End(nil)
		ctx = with
	}
	_, _ = execute(ctx, toolkit.Call{Name: "bash"})                                   // fails, as it should
	_, _ = execute(ctx, toolkit.Call{Name: "bash", Arguments: json.RawMessage(`{}`)}) // gives nothing
}

func statsNames(t *testing.T) names {
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	aCall(t, r)
	r.AddContent(bash, 1, 1)
	c, err := statsprom.NewCollector(r)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	return gathered(t, registry)
}

func otelNames(t *testing.T) names {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		t.Fatal(err)
	}
	provider := metric.NewMeterProvider(metric.WithReader(exporter))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	o, err := tracing.New(tracing.Options{MeterProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	aCall(t, o)
	made := gathered(t, registry)
	// MCP's are made by mcp/toolmcp, by the conventions' names.
	for _, side := range []string{"client", "server"} {
		labels := []string{"mcp_method_name", "gen_ai_tool_name", "gen_ai_operation_name", "error_type", "toolscope_outcome"}
		if side == "server" {
			labels = append(labels, "toolscope_side")
		}
		for _, series := range []string{"bucket", "count"} {
			has := map[string]bool{"le": series == "bucket"}
			for _, l := range labels {
				has[l] = true
			}
			made["mcp_"+side+"_operation_duration_seconds_"+series] = has
		}
	}
	return made
}
