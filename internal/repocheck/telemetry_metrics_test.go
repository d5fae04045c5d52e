// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/stats"
)

// The attributes of instruments, which no call that creates one names.
const (
	toolLabels      = "gen_ai.tool.name gen_ai.tool.type gen_ai.agent.name toolscope.side toolscope.outcome error.type"
	agentLabels     = "gen_ai.agent.name gen_ai.request.model error.type"
	sessionLabels   = "mcp.protocol.version network.transport network.protocol.name"
	operationLabels = "mcp.method.name gen_ai.operation.name gen_ai.tool.name gen_ai.prompt.name toolscope.outcome " +
		"error.type rpc.response.status_code " + sessionLabels
	componentLabels = "otel.component.type otel.component.name"
)

var metricAttributes = map[string]string{
	"gen_ai.execute_tool.duration":           toolLabels,
	"toolscope.tool.run.duration":            toolLabels,
	"gen_ai.invoke_agent.duration":           agentLabels,
	"gen_ai.invoke_workflow.duration":        "gen_ai.workflow.name error.type",
	"gen_ai.invoke_agent.tool_calls":         "gen_ai.agent.name",
	"gen_ai.invoke_agent.inference_calls":    "gen_ai.agent.name",
	"mcp.client.operation.duration":          operationLabels + " server.address server.port",
	"mcp.server.operation.duration":          operationLabels + " toolscope.side",
	"mcp.client.session.duration":            sessionLabels + " error.type server.address server.port",
	"mcp.server.session.duration":            sessionLabels + " error.type toolscope.side",
	"toolscope.mcp.observations":             "toolscope.mcp.observation",
	"toolscope.self.redaction.withheld":      "",
	"toolscope.self.observer.panics":         "",
	"toolscope.self.adapter.panics":          "",
	"toolscope.self.recorder.overflows":      "toolscope.self.bound",
	"toolscope.self.settings.applied":        "",
	"toolscope.self.sampler.spans":           "toolscope.self.decision error.type",
	"toolscope.self.sampler.held":            "",
	"toolscope.self.guard.mended":            componentLabels,
	"toolscope.self.scrub.spans":             componentLabels,
	"toolscope.self.spool.size":              "",
	"toolscope.self.spool.waiting":           "",
	"toolscope.self.spool.dropped":           "toolscope.self.reason",
	"toolscope.self.ledger.spans":            componentLabels + " toolscope.self.account",
	"toolscope.self.ledger.dropped":          componentLabels + " toolscope.self.reason",
	"otel.sdk.exporter.operation.duration":   componentLabels + " error.type",
	"otel.sdk.exporter.span.exported":        componentLabels + " error.type",
	"otel.sdk.exporter.span.inflight":        componentLabels,
	"otel.sdk.processor.span.processed":      componentLabels + " error.type",
	"otel.sdk.processor.span.queue.capacity": componentLabels,
	"otel.sdk.processor.span.queue.size":     componentLabels,
}

var instrument = regexp.MustCompile(`^(Int64|Float64)(Observable)?(Counter|UpDownCounter|Histogram|Gauge)$`)

// instrumentKind is the kind of an instrument in words; "" for the name of another function.
func instrumentKind(function string) string {
	m := instrument.FindStringSubmatch(function)
	if m == nil {
		return ""
	}
	return map[string]string{"Counter": "counter", "UpDownCounter": "up-down counter", "Histogram": "histogram",
		"Gauge": "gauge"}[m[3]] +
		map[string]string{"Int64": ", int", "Float64": ", double"}[m[1]]
}

// metrics lists the instruments and the Prometheus series.
func (r *reference) metrics() string {
	rows, at := map[string][]string{}, map[string]string{}
	add := func(s *source, n ast.Node, name, kind, unit, description string) {
		if name == "" || unit == "" || description == "" {
			r.t.Errorf("%s: instrument %q: got the unit %q and the description %q, want all three as constants", s.position(n),
				name, unit, description)
		}
		labels := strings.Fields(metricAttributes[name])
		slices.Sort(labels)
		for i, label := range labels {
			if !r.known[label] {
				r.t.Errorf("internal/repocheck: %s: attribute %q: the code does not set it", name, label)
			}
			labels[i] = code(label)
		}
		row := []string{code(name), kind, unit, stability(name), strings.Join(labels, ", "), strings.TrimSuffix(description, ".")}
		if old := rows[name]; old != nil && !slices.Equal(old, row) {
			r.t.Errorf("%s: instrument %q: is not as at %s", s.position(n), name, at[name])
		}
		rows[name], at[name] = row, s.position(n)
	}
	var series [][]string
	for _, s := range r.packages {
		s.calls(func(qualifier, name string, call *ast.CallExpr) {
			switch kind := instrumentKind(name); {
			case kind != "" && len(call.Args) > 0:
				unit, description := "", ""
				for _, arg := range call.Args[1:] {
					if option, ok := arg.(*ast.CallExpr); ok && isSelector(option.Fun, "metric", "WithUnit") {
						unit = s.text(option.Args[0])
					} else if ok && isSelector(option.Fun, "metric", "WithDescription") {
						description = s.text(option.Args[0])
					}
				}
				add(s, call, s.text(call.Args[0]), kind, unit, description)
			case qualifier == "otelconv" && strings.HasPrefix(name, "New"):
				kind, texts := r.convention(name)
				add(s, call, texts["Name"], kind, texts["Unit"], texts["Description"])
			}
		})
		if strings.HasSuffix(s.dir, "statsprom") {
			series = r.series(s)
		}
	}
	r.bothWays("instrument", "in metricAttributes of internal/repocheck", at, slices.Sorted(maps.Keys(metricAttributes)))
	return section(2, "Metrics", "Instruments of the OpenTelemetry API. An attribute that has no value for a "+
		"measurement is left out.",
		[]string{"metric", "kind", "unit", "stability", "attributes", "meaning"}, slices.Collect(maps.Values(rows))) +
		section(3, "Prometheus series", "Package `exporters/statsprom` serves them. All are experimental.",
			[]string{"series", "type", "labels", "meaning"}, series)
}

// convention is the kind of an instrument that a function of package otelconv creates, and what its methods return.
func (r *reference) convention(function string) (kind string, texts map[string]string) {
	texts = map[string]string{}
	name := strings.TrimPrefix(function, "New")
	for _, file := range r.otelconv.files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Name.Name != function && receiver(f) != name {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && f.Name.Name == function && instrumentKind(sel.Sel.Name) != "" {
						kind = instrumentKind(sel.Sel.Name)
					}
				case *ast.ReturnStmt:
					if len(n.Results) == 1 {
						texts[f.Name.Name] = r.otelconv.text(n.Results[0])
					}
				}
				return true
			})
		}
	}
	return kind, texts
}

// series lists what the functions desc, counter and gauge of package statsprom make, and the columns
// of package stats that have a metric.
func (r *reference) series(s *source) (rows [][]string) {
	gauges := map[string]bool{}
	s.calls(func(_, name string, call *ast.CallExpr) {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "gauge" && len(call.Args) > 1 {
			if d, ok := call.Args[0].(*ast.Ident); ok {
				gauges[d.Name] = true
			}
		}
	})
	if len(gauges) == 0 {
		r.t.Error("no call of the method gauge of package statsprom was found")
	}
	for _, file := range s.files {
		for _, v := range values(file) {
			call, ok := v.value.(*ast.CallExpr)
			if !ok {
				continue
			}
			if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "desc" {
				continue
			}
			name, help := s.text(call.Args[0]), s.text(call.Args[1])
			if help == "" {
				r.t.Errorf("%s: series %q: got no help", s.position(call), name)
			}
			var labels []string
			for _, l := range call.Args[2:] {
				labels = append(labels, code(s.text(l)))
			}
			typ := "histogram, classic and native"
			if strings.HasSuffix(name, "_total") {
				typ = "counter"
			} else if gauges[v.name.Name] {
				typ = "gauge"
			}
			rows = append(rows, []string{code("toolscope_" + name), typ, strings.Join(labels, ", "), strings.TrimSuffix(help, ".")})
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[stats.Counters]()) {
		name, help := f.Tag.Get("metric"), f.Tag.Get("help")
		if name != "" && help == "" {
			r.t.Errorf("stats.Counters.%s: series %q: got no help", f.Name, name)
		}
		if name != "" {
			rows = append(rows, []string{code("toolscope_" + name), "counter", code("tool"), strings.TrimSuffix(help, ".")})
		}
	}
	return rows
}
