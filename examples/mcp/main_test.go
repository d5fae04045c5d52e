// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain makes the test's binary the child process that it starts.
func TestMain(m *testing.M) {
	if os.Getenv("MCP_EXAMPLE") == "server" {
		if err := serveWeather(context.Background()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	for _, name := range []string{
		"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED",
	} {
		t.Setenv(name, "")
	}
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"weather__forecast → rain in Oslo", "execute_tool weather__forecast  cache_hit",
		"execute_tool notes__write", "tools/call write", "[REDACTED:",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", &out, want)
		}
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("got\n%s\nwant no password", &out)
	}
}
