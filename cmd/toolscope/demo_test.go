// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/demo"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/stats"
)

// quietEnvironment makes the session stay in the process.
func quietEnvironment(t *testing.T) {
	for _, v := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER",
		"OTEL_METRICS_EXPORTER", "OTEL_SDK_DISABLED",
	} {
		t.Setenv(v, "")
	}
}

func TestDemoOnce(t *testing.T) {
	quietEnvironment(t)
	const seed = 77
	var stdout, stderr bytes.Buffer
	if code := run([]string{"demo", "--once", "--seed", fmt.Sprint(seed)}, nil, &stdout, &stderr); code != exitOK {
		t.Fatalf("got code %d: %s", code, stderr.String())
	}
	out := stdout.String()
	for _, want := range []string{
		"One turn, as a trace:", "invoke_agent planner", "execute_tool report_export", "timeout", "panic", "unknown_tool",
		"invalid_arguments",
		"bytes cut", "shell_run", "sql_query", "payment_refund", "all calls", "P99",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	head, calls := regexp.MustCompile(
		`(?m)^(\d+) calls in \d+ turns of conversation \S+ \(\d+ by a sub-agent\)$`,
	).FindStringSubmatch(
		out,
	), regexp.MustCompile(
		`(?m)^all +(\d+) `,
	).FindStringSubmatch(
		out,
	)
	if head == nil || calls == nil || head[1] != calls[1] {
		t.Errorf("got %q above and %q in the table, want the same number of calls", head, calls)
	}
	if found := canary.Find(out+stderr.String(), canary.Secrets(seed)); found != nil {
		t.Errorf("the output shows %v", found)
	}
	if strings.Contains(out, "\x1b") {
		t.Error("colour where there is no terminal")
	}
}

func TestDemoJSON(t *testing.T) {
	quietEnvironment(t)
	var stdout, stderr bytes.Buffer
	if code := run([]string{"demo", "--once", "--json", "--calls", "200"}, nil, &stdout, &stderr); code != exitOK {
		t.Fatalf("got code %d: %s", code, stderr.String())
	}
	var got struct {
		Session demo.Summary  `json:"session"`
		Stats   stats.Summary `json:"stats"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Session.Calls < 200 || got.Stats.Overall.Calls < uint64(got.Session.Calls) {
		t.Errorf(
			"got %d calls of the session, %d counted, want 200 or more, and the sub-agent's besides",
			got.Session.Calls,
			got.Stats.Overall.Calls,
		)
	}
	if got.Stats.Overall.Errors == 0 || got.Stats.Overall.Refused == 0 || got.Stats.Overall.Redactions == 0 ||
		got.Stats.Overall.Truncations == 0 {
		t.Errorf("got %+v, want errors, refusals, redactions and truncations", got.Stats.Overall)
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{nil, exitUsage, "", "Usage: toolscope COMMAND"},
		{[]string{"help"}, exitOK, "Usage: toolscope COMMAND", ""},
		{[]string{"help", "demo"}, exitOK, "runs a real agent session", ""},
		{[]string{"demo", "--help"}, exitOK, "OTEL_EXPORTER_OTLP_ENDPOINT", ""},
		{[]string{"frobnicate"}, exitUsage, "", `got command "frobnicate"`},
		{[]string{"demo", "--calls", "3"}, exitUsage, "", "--calls: got 3, want 120"},
		{[]string{"demo", "--frobnicate"}, exitUsage, "", "frobnicate"},
		{[]string{"demo", "extra"}, exitUsage, "", `got argument "extra"`},
		{[]string{"demo", "--listen", "nowhere:99999"}, exitError, "", "--listen: listen tcp"},
		{[]string{"version"}, exitOK, "toolscope ", ""},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(tt.args, nil, &stdout, &stderr); code != tt.code {
				t.Errorf("got code %d, want %d", code, tt.code)
			}
			if !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("got stdout %.200q, stderr %.200q", stdout.String(), stderr.String())
			}
		})
	}
}
