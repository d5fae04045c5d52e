// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package conventions_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/exporters"
)

var (
	section = regexp.MustCompile(`(?m)^## `)
	export  = regexp.MustCompile(`(?m)^export ([A-Z_]+)=(.*)$`)
)

// environments are the variables of each section of the page about backends.
func environments(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/backends.md")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]string)
	for _, text := range section.Split(string(page), -1) {
		name, _, _ := strings.Cut(text, "\n")
		for _, m := range export.FindAllStringSubmatch(text, -1) {
			if all[name] == nil {
				all[name] = make(map[string]string)
			}
			all[name][m[1]] = m[2]
		}
	}
	return all
}

// TestBackendsEnvironment: with the environment of each section a span arrives at the path that the backend has, with
// the headers it needs.
func TestBackendsEnvironment(t *testing.T) {
	want := map[string]struct {
		path   string
		header map[string]string
	}{
		"Jaeger":  {"/v1/traces", nil},
		"Phoenix": {"/v1/traces", nil},
		"Langfuse": {"/api/public/otel/v1/traces",
			map[string]string{"Authorization": "Basic AUTH", "X-Langfuse-Ingestion-Version": "4"}},
		"Datadog":   {"/v1/traces", map[string]string{"Dd-Api-Key": "KEY", "Dd-Otlp-Source": "llmobs"}},
		"LangSmith": {"/otel/v1/traces", map[string]string{"X-Api-Key": "KEY", "Langsmith-Project": "agents"}},
		"MLflow":    {"/v1/traces", map[string]string{"X-Mlflow-Experiment-Id": "1"}},
		"Grafana":   {"/otlp/v1/traces", map[string]string{"Authorization": "Basic AUTH"}},
	}
	all := environments(t)
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("the page has environments of %q, want one of each backend", got)
	}
	for backend, variables := range all {
		t.Run(backend, func(t *testing.T) {
			var mu sync.Mutex
			got := make(map[string]http.Header)
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				got[r.URL.Path] = r.Header
			}))
			defer server.Close()
			for name, value := range variables {
				if strings.HasSuffix(name, "ENDPOINT") {
					u, err := url.Parse(value)
					if err != nil {
						t.Fatal(err)
					}
					value = server.URL + u.Path
				}
				t.Setenv(name, value)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p, err := exporters.Setup(ctx, exporters.Options{RingSpans: -1})
			if err != nil {
				t.Fatal(err)
			}
			_, span := p.TracerProvider.Tracer("test").Start(ctx, "work")
			span.End()
			if err := p.Shutdown(ctx); err != nil {
				t.Fatal(err)
			}
			header := got[want[backend].path]
			if header == nil || header.Get("Content-Type") != "application/x-protobuf" {
				t.Fatalf("got requests to %q, want one of protobuf to %s", slices.Collect(maps.Keys(got)), want[backend].path)
			}
			for key, value := range want[backend].header {
				if header.Get(key) != value {
					t.Errorf("%s: got %q, want %q", key, header.Get(key), value)
				}
			}
		})
	}
}
