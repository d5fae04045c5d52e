// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package grafana_test checks the dashboards in this folder against the metrics
// that docs/telemetry-metrics.md lists. TestPanels of e2e evaluates their queries.
package grafana_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
)

// names are metrics and their labels; histograms have their three series.
type names map[string]map[string]bool

func TestDashboards(t *testing.T) {
	made := documented(t)
	for _, file := range []string{"toolscope-stats.json", "toolscope-otel.json"} {
		t.Run(file, func(t *testing.T) {
			used := make(map[string]bool)
			for _, e := range expressions(t, file) {
				for _, metric := range checkExpression(t, e, made) {
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
	metricName = regexp.MustCompile(`\b(?:toolscope|gen_ai|mcp|otel)_[a-z_]+\b`)
	selector   = regexp.MustCompile(`\b((?:toolscope|gen_ai|mcp|otel)_[a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!=|!~|=)`)
	grouping   = regexp.MustCompile(`by \(([^)]*)\)`)
	labelsOnly = regexp.MustCompile(`label_values\(([a-z_]+)(?:\{[^}]*\})?, ([a-z_]+)\)`)
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
			if !has[l] && !(l == "le" && made[name+"_bucket"] != nil) { // the native form of a histogram
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
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Annotations struct {
			List []struct{ Expr string }
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
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %d %q: got no query", p.ID, p.Title)
		}
	}
	for _, a := range board.Annotations.List {
		all = append(all, a.Expr)
	}
	for _, v := range board.Templating.List {
		if v.Definition != "" {
			all = append(all, v.Definition)
		}
	}
	return all
}

// documented are the names that docs/telemetry-metrics.md lists, which a test keeps as the code makes them, in
// the form that Prometheus stores: name, kind, unit, attributes.
func documented(t *testing.T) names {
	t.Helper()
	text, err := os.ReadFile("../../docs/telemetry-metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	made := names{"target_info": {"instance": true}}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		switch {
		case len(cells) == 6 && strings.Contains(cells[1], ","): // an instrument of OpenTelemetry
			name := strings.ReplaceAll(strings.Trim(cells[0], "| `"), ".", "_")
			name += map[string]string{"s": "_seconds", "By": "_bytes"}[cells[2]]
			made.record(name, cells[1], strings.ReplaceAll(cells[4], ".", "_"))
		case len(cells) == 4 && strings.HasPrefix(line, "| `toolscope_"): // a series of statsprom
			made.record(strings.TrimSuffix(strings.Trim(cells[0], "| `"), "_total"), cells[1], cells[2])
		}
	}
	// An MCP server knows no agent: its calls are those of "All", and of none that is chosen.
	for _, series := range []string{"_count", "_bucket"} {
		made["mcp_server_operation_duration_seconds"+series]["gen_ai_agent_name"] = true
	}
	return made
}

func (n names) record(name, kind, labels string) {
	has := map[string]bool{"instance": true} // Prometheus's own
	for l := range strings.SplitSeq(labels, ", ") {
		has[strings.Trim(l, "`")] = true
	}
	switch {
	case strings.HasPrefix(kind, "histogram"):
		n[name], n[name+"_sum"], n[name+"_count"] = has, has, has
		n[name+"_bucket"] = maps.Clone(has)
		n[name+"_bucket"]["le"] = true
	case strings.HasPrefix(kind, "counter"):
		n[name+"_total"] = has
	default:
		n[name] = has
	}
}
