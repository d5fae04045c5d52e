// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// callLog writes a log and returns its name.
func callLog(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestExportWritesAFileWhenItIsWhole(t *testing.T) {
	log := callLog(t, logLine(0, "search", "s", `,"arguments":{"q":"x"}`), "broken\n", logLine(1, "read", "s", ""))
	dir := t.TempDir()
	for _, name := range []string{"calls.har", "calls.html", "calls.txt"} {
		out := filepath.Join(dir, name)
		code, stdout, stderr := invoke("export", "", "-o", out, log)
		if code != exitOK || stdout != "" || !strings.Contains(stderr, "2 calls to ") ||
			!strings.Contains(stderr, "line 2: ") {
			t.Errorf("%s: got %d %q %q", name, code, stdout, stderr)
		}
		if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), "search") {
			t.Errorf("%s: got %.100q, %v", name, text, err)
		}
		if info, err := os.Stat(out); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want a file for its owner only", name, info, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("got %v, %v, want the three files only", left, err)
	}
	if code, _, stderr := invoke("export", "", "--to", "text", "-o", log, log); code != exitError ||
		!strings.Contains(stderr, "the log itself") {
		t.Errorf("onto the log: got %d %q", code, stderr)
	}
}

func TestExportReadsStandardInput(t *testing.T) {
	code, stdout, stderr := invoke(
		"export",
		logLine(0, "search", "s", "")+logLine(1, "read", "s", ""),
		"--to",
		"text",
		"--tool",
		"se*",
		"-",
	)
	if code != exitOK || !strings.Contains(stdout, "search") || strings.Contains(stdout, "read") ||
		!strings.Contains(stderr, "1 did not pass the filter") {
		t.Errorf("got %d %q %q", code, stdout, stderr)
	}
	if code, _, stderr = invoke("export", logLine(0, "search", "s", ""), "--to", "text", "--quiet", "-"); code != exitOK ||
		stderr != "" {
		t.Errorf("quiet: got %d %q", code, stderr)
	}
	if code, _, stderr = invoke("export", "no line\nis one\n", "--to", "text", "-"); code != exitError ||
		!strings.Contains(stderr, "2 of 2 lines") {
		t.Errorf("no call at all: got %d %q", code, stderr)
	}
}

// collector takes spans over HTTP.
type collector struct {
	mu       sync.Mutex
	spans    int
	services map[string]bool
	rejects  int64
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var got collectorpb.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &got) != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range got.ResourceSpans {
		c.services[rs.Resource.Attributes[0].Value.GetStringValue()] = true
		for _, ss := range rs.ScopeSpans {
			c.spans += len(ss.Spans)
		}
	}
	answer := &collectorpb.ExportTraceServiceResponse{}
	if c.rejects > 0 {
		answer.PartialSuccess = &collectorpb.ExportTracePartialSuccess{
			RejectedSpans: c.rejects,
			ErrorMessage:  "too old",
		}
	}
	text, _ := proto.Marshal(answer)
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(text)
}

func TestExportSendsSpans(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "from-the-environment")
	c := &collector{services: make(map[string]bool)}
	server := httptest.NewServer(c)
	defer server.Close()
	var lines []string
	for i := range 1200 {
		lines = append(lines, logLine(i, fmt.Sprint("t", i%7), "s", ""))
	}
	log := callLog(t, lines...)
	code, _, stderr := invoke(
		"export",
		"",
		"--to",
		"otlp",
		"--protocol",
		"http/protobuf",
		"--endpoint",
		server.URL,
		log,
	)
	if code != exitOK || c.spans != 1200 || !c.services["from-the-environment"] ||
		!strings.Contains(stderr, "1\u2009200 calls to "+server.URL) {
		t.Errorf("got %d, %d spans of %v, stderr %q", code, c.spans, c.services, stderr)
	}
	c.rejects = 3
	code, _, stderr = invoke(
		"export",
		"",
		"--to",
		"otlp",
		"--protocol",
		"http/protobuf",
		"--endpoint",
		server.URL,
		"--service",
		"mine",
		log,
	)
	if code != exitError || !strings.Contains(stderr, "too old") || !c.services["mine"] {
		t.Errorf("spans that were not taken: got %d %q", code, stderr)
	}
	gone := server.URL
	server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	code, _, stderr = invoke("export", "", "--to", "otlp", "--protocol", "http/protobuf", "--endpoint", gone, log)
	if code != exitError || !strings.Contains(stderr, "sending calls 1 to 512") ||
		strings.Contains(stderr, "calls to "+gone) {
		t.Errorf("no collector: got %d %q", code, stderr)
	}
}

// What is not OTLP has not taken the calls, whatever its status.
func TestExportToALoginPage(t *testing.T) {
	log := callLog(t, logLine(0, "t", "s", ""))
	for _, c := range []struct{ name, media, body, want string }{
		{"a login page", "text/html; charset=utf-8", "<!DOCTYPE html><title>Sign in</title>", "text/html"},
		{"a greeting", "text/plain", "OK", "text/plain"},
		{"an answer without a type", "", "", ""},
		{"OTLP", "application/x-protobuf", "", ""},
		{"OTLP as JSON", "application/json", "{}", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = nil
			if c.media != "" {
				w.Header().Set("Content-Type", c.media)
			}
			_, _ = io.WriteString(w, c.body)
		}))
		code, _, stderr := invoke("export", "", "--to", "otlp", "--protocol", "http/protobuf", "--endpoint", server.URL, log)
		server.Close()
		switch {
		case c.want == "" && code != exitOK:
			t.Errorf("%s: got %d %q", c.name, code, stderr)
		case c.want != "" && (code != exitError || !strings.Contains(stderr, "there is no OTLP service: check address, port "+
			"and path (") || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "1 call to")):
			t.Errorf("%s: got %d %q, want an error that says what is wrong", c.name, code, stderr)
		}
	}
}

func TestExportTightensRedaction(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("preset: secrets-only\nrules:\n- {path: $.note, action: mask}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	log := callLog(
		t,
		logLine(0, "t", "s", fmt.Sprintf(`,"arguments":{"note":"private","ip":"10.0.0.17","key":%q}`, secret)),
	)
	for _, c := range []struct {
		args    []string
		with    []string
		without []string
	}{
		{nil, []string{"private", "10.0.0.17", "[REDACTED:"}, []string{secret}},
		{[]string{"--redact", "strict"}, []string{"private"}, []string{secret, "10.0.0.17"}},
		{[]string{"--rules", rules}, []string{"10.0.0.17"}, []string{secret, "private"}},
		{[]string{"--redact", "strict", "--rules", rules}, nil, []string{secret, "private", "10.0.0.17"}},
		{[]string{"--no-content"}, nil, []string{"private", "10.0.0.17"}},
	} {
		for _, form := range []string{"text", "har", "html"} {
			code, stdout, stderr := invoke("export", "", append([]string{"--to", form, log}, c.args...)...)
			if code != exitOK {
				t.Fatalf("%q: got %d %q", c.args, code, stderr)
			}
			for _, want := range c.with {
				if !strings.Contains(stdout, want) {
					t.Errorf("%s %q: got no %q in\n%s", form, c.args, want, stdout)
				}
			}
			for _, never := range c.without {
				if strings.Contains(stdout, never) {
					t.Errorf("%s %q: got %q in\n%s", form, c.args, never, stdout)
				}
			}
		}
	}
}

func TestExportSaysWhatIsWrong(t *testing.T) {
	log := callLog(t, logLine(0, "t", "s", ""))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, exitOK, ""},
		{[]string{"--to", "text"}, exitUsage, "got 0 files"},
		{[]string{log}, exitUsage, "--to: got \"\""},
		{[]string{"-o", "x.pdf", log}, exitUsage, `-o: got "x.pdf" without --to, want a name that ends with .har`},
		{[]string{"--to", "pdf", log}, exitUsage, "--to: got \"pdf\""},
		{[]string{"--to", "text", "--redact", "off", log}, exitUsage, "less cannot be removed"},
		{[]string{"--to", "otlp", "-o", "x", log}, exitUsage, "-o"},
		{[]string{"--to", "har", "--endpoint", "http://x", log}, exitUsage, "--endpoint"},
		{[]string{"--to", "otlp", "--endpoint", "localhost:4317", log}, exitUsage, "--endpoint"},
		{[]string{"--to", "otlp", "--protocol", "carrier-pigeon", log}, exitUsage, "--protocol"},
		{[]string{"--to", "har", "--title", "x", log}, exitUsage, "--title"},
		{[]string{"--to", "text", "--outcome", "lost", log}, exitUsage, "--outcome"},
		{[]string{"--to", "text", "--since", "yesterday", log}, exitUsage, "--since"},
		{[]string{"--to", "text", "--since", "2026-11-21T12:00:00Z", "--until", "2026-11-21T11:00:00Z", log}, exitUsage, "--until"},
		{[]string{"--to", "text", "--min", "-1s", log}, exitUsage, "--min"},
		{[]string{"--to", "text", "--rules", "none.yaml", log}, exitError, "--rules"},
		{[]string{"--to", "text", "none.jsonl"}, exitError, "none.jsonl"},
		{[]string{"--to", "text", "-o", filepath.Join(t.TempDir(), "no", "dir.txt"), log}, exitError, "-o"},
	} {
		code, _, stderr := invoke("export", "", c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: got %d %q, want %d and %q", c.args, code, stderr, c.code, c.want)
		}
	}
}
