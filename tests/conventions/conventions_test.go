// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package conventions_test compares what toolscope emits with the OpenTelemetry conventions, as conventions.txt has
// them.
package conventions_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

func asText(list []attribute.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, a := range list {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// TestConventions makes every kind of span, metric and event, with content capture and without, and checks names,
// kinds, units, buckets, severities and attributes by the table.
func TestConventions(t *testing.T) {
	rows := readTable(t)
	for _, content := range []bool{true, false} {
		w := newWorld(t, content)
		w.local(t)
		w.remote(t)
		spans, metrics, records := w.close(t)
		for _, s := range spans {
			checkSpan(t, rows, s, content)
			checkStatus(t, s)
		}
		for _, m := range metrics {
			checkMetric(t, rows, m)
		}
		for _, r := range records {
			i := slices.IndexFunc(rows, func(row *row) bool { return row.signal == "event" && row.names[0] == r.EventName() })
			if i < 0 {
				t.Errorf("the table has no event %q", r.EventName())
				continue
			}
			if got := rows[i].lists["severity"]; got[0] != r.Severity().String() {
				t.Errorf("event %s: got severity %v, want %s", r.EventName(), r.Severity(), got)
			}
			var list []attribute.KeyValue
			r.WalkAttributes(func(a attribute.KeyValue) bool { list = append(list, a); return true })
			rows[i].check(t, r.EventName(), list, content)
		}
	}
	for _, r := range rows {
		r.complete(t)
	}
}

func checkSpan(t *testing.T, rows []*row, s sdktrace.ReadOnlySpan, content bool) {
	t.Helper()
	attributes := asText(s.Attributes())
	for _, r := range rows {
		if r.signal == "span" && r.named(s.Name(), attributes) && slices.Contains(r.lists["kind"], s.SpanKind().String()) {
			r.check(t, s.Name(), s.Attributes(), content)
			return
		}
	}
	t.Errorf("the table has no span %q of kind %v with %v", s.Name(), s.SpanKind(), attributes)
}

// checkStatus: an instrumentation never sets the status OK, and error.type is set where the status is an error and
// nowhere else. Grafana's weavertest asks the same (policies/genai_span_validation.rego); Weaver's own live check is a
// program that no Go module or npm package gives.
func checkStatus(t *testing.T, s sdktrace.ReadOnlySpan) {
	t.Helper()
	failed := s.Status().Code == codes.Error
	if _, typed := asText(s.Attributes())["error.type"]; s.Status().Code == codes.Ok || typed != failed {
		t.Errorf("span %q: got the status %v and error.type %v, want both or neither", s.Name(), s.Status().Code, typed)
	}
}

// points are the sets of attributes of a metric's points, and its buckets.
func points(m metricdata.Metrics) (sets []attribute.Set, bounds []float64) {
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			sets, bounds = append(sets, p.Attributes), p.Bounds
		}
	case metricdata.Histogram[int64]:
		for _, p := range data.DataPoints {
			sets, bounds = append(sets, p.Attributes), p.Bounds
		}
	}
	return sets, bounds
}

func checkMetric(t *testing.T, rows []*row, m metricdata.Metrics) {
	t.Helper()
	if strings.HasPrefix(m.Name, "toolscope.self.") || m.Name == "toolscope.mcp.observations" {
		return // toolscope's own, with attributes of its own
	}
	for _, r := range rows {
		if r.signal != "metric" || r.names[0] != m.Name {
			continue
		}
		sets, bounds := points(m)
		if got := strings.Trim(fmt.Sprint(bounds), "[]"); m.Unit != r.lists["unit"][0] || got != strings.Join(r.lists["buckets"], " ") {
			t.Errorf("metric %s: got the unit %s and the buckets %s, want %s and %s", m.Name, m.Unit, got,
				r.lists["unit"], r.lists["buckets"])
		}
		for _, set := range sets {
			r.check(t, m.Name, set.ToSlice(), false)
		}
		return
	}
	t.Errorf("the table has no metric %q", m.Name)
}

// shutdown closes what the world keeps open, the last first.
func (w *world) shutdown(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, end := range slices.Backward(w.ends) {
		if err := end(ctx); err != nil {
			t.Error(err)
		}
	}
}
