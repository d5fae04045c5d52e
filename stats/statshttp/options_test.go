// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestTraceLinksFollowTheExporter(t *testing.T) {
	const all, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"nothing set", nil, ""},
		{"gRPC", map[string]string{all: "http://localhost:4317"}, "http://localhost:16686/trace/{trace_id}"},
		{"no scheme", map[string]string{all: "10.0.0.1:4317"}, "http://10.0.0.1:16686/trace/{trace_id}"},
		{"IPv6, HTTPS, path", map[string]string{all: "https://[::1]:4318/otlp"}, "http://[::1]:16686/trace/{trace_id}"},
		{"traces win", map[string]string{all: "http://a:4317", traces: "http://b:4318/v1/traces"}, "http://b:16686/trace/{trace_id}"},
		{"wrong", map[string]string{all: "http://%zz"}, ""},
		{"no host", map[string]string{all: "http://:4317"}, ""},
	} {
		if got := jaegerTemplate(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}

	t.Setenv(traces, "")
	t.Setenv(all, "http://localhost:4317")
	r := newRecorder(t)
	record(r, call(&toolkit.Definition{Name: "t"}, time.Millisecond, sampled(1)))
	const link = "http://localhost:16686/trace/01"
	if page := bodyOf(t, r, "/api/v1/view"); !strings.Contains(page, link) {
		t.Errorf("the page lacks %s", link)
	}
	if page := bodyOf(t, r, "/api/v1/view", Options{NoTraceLinks: true}); strings.Contains(page, "16686") {
		t.Error("the page has links though they were turned off")
	}
}

func TestLinksOfTheHost(t *testing.T) {
	r := newRecorder(t)
	if page := bodyOf(t, r, "/api/v1/view",
		Options{Links: []Link{{"approvals <b>", "approvals?a=1"}}}); !strings.Contains(page,
		`{"name":"approvals <b>","href":"approvals?a=1"}`) {
		t.Error("the page lacks the link")
	}
	for _, c := range [][2]string{{"", "a"}, {strings.Repeat("x", 41), "a"}, {"x", ""}, {"x", "/a"},
		{"x", "https://example.com/"}, {"x", "//example.com/a"}, {"x", "javascript:alert(1)"}} {
		if _, err := NewHandler(r, Options{Links: []Link{{c[0], c[1]}}}); err == nil ||
			!strings.Contains(err.Error(), "Options.Links[0]") {
			t.Errorf("%q: got %v", c, err)
		}
	}
}
