// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// spans is a trace source that knows one span of every trace.
type spans struct{ of string }

func (s spans) Trace(string) ([]stats.SpanView, bool) {
	return []stats.SpanView{
		{
			SpanID: s.of,
			Attributes: []stats.SpanAttribute{
				{Key: "gen_ai.tool.call.arguments", Value: `{"q":"ducks"}`},
				{Key: "gen_ai.tool.call.result", Value: "quack"},
			},
		},
	}, true
}

// watched is a program that runs a call, and has made one that was traced.
func watched(t *testing.T) string {
	t.Helper()
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(t.Context()) })
	running := stats.NewRunning(nil)
	def := &toolkit.Definition{Name: "search"}
	now := time.Now()
	span := toolkit.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Sampled: true}
	e := &toolkit.Ended{
		Info:        toolkit.CallInfo{Tool: def, Span: span},
		Disposition: toolkit.Disposition{Run: time.Second},
		Start:       now.Add(-time.Second),
		End:         now,
	}
	r.Begin(t.Context(), e.Call, &e.Info)
	r.End(t.Context(), e)
	_, call := toolkit.Begin(t.Context(), toolkit.Call{Arguments: []byte(`{"q":"geese"}`)}, def, r, running)
	t.Cleanup(func() { call.End(toolkit.Result{}, nil) })
	h, err := statshttp.NewHandler(r, statshttp.Options{Running: running, Traces: spans{of: "0200000000000000"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestTopOnce(t *testing.T) {
	code, out, stderr := invoke("top", "", "--once", watched(t))
	if code != exitOK || stderr != "" {
		t.Fatalf("got code %d, stderr %q", code, stderr)
	}
	for _, want := range []string{
		"Tools\n", "search", "1.00 s", "Running\n", "0:0", `{"q":"geese"}`, `{"q":"ducks"} › quack`,
		"No sessions", "No errors",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got no %q in\n%s", want, out)
		}
	}
}

func TestTopAddsProgramsUp(t *testing.T) {
	a, b := program(t, "search", time.Millisecond), program(t, hostileTool, 2*time.Millisecond)
	code, out, stderr := invoke("top", "", "--width", "160", a, b)
	if code != exitOK || stderr != "" {
		t.Fatalf("got code %d, stderr %q", code, stderr)
	}
	if !strings.Contains(out, "2 programs") || !strings.Contains(out, "200 calls") ||
		strings.ContainsAny(out, "\x1b\u202e") ||
		!strings.Contains(out, `rm\x1b[2J\u202etxt`) {
		t.Errorf("got\n%s", out)
	}
	if !strings.Contains(out, "since") && !strings.Contains(out, "Nothing runs") {
		t.Errorf("a program that does not tell of running calls: got\n%s", out)
	}
	code, out, _ = invoke("top", "", a, "http://127.0.0.1:1/")
	if code != exitOK || !strings.Contains(out, "! http://127.0.0.1:1/: ") || !strings.Contains(out, "100 calls") {
		t.Errorf("one of two is gone: got %d\n%s", code, out)
	}
}

func TestTopSaysWhatIsWrong(t *testing.T) {
	t.Setenv("TOOLSCOPE_URL", "")
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--help"}, exitOK, ""},
		{[]string{"--window", "2m"}, exitUsage, "--window"},
		{[]string{"--every", "1ms"}, exitUsage, "--every"},
		{[]string{"--width", "-1"}, exitUsage, "--width"},
		{[]string{"--log", "x", "http://127.0.0.1/"}, exitUsage, "--log"},
		{[]string{"ftp://x"}, exitUsage, "want an http or https URL"},
		{[]string{"--log", filepath.Join(t.TempDir(), "none")}, exitError, "no such file"},
		{[]string{"--log", t.TempDir()}, exitError, "want a file"},
		{[]string{"--once", "http://127.0.0.1:1/"}, exitError, "127.0.0.1:1"},
		{[]string{"--once", nothing.URL}, exitError, "want a program with toolscope's HTTP handler there"},
	} {
		code, _, stderr := invoke("top", "", c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: got %d %q, want %d and %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

// logLine is a line of a call log.
func logLine(second int, tool, session, more string) string {
	return fmt.Sprintf(
		`{"time":"2026-11-21T12:%02d:%02dZ","tool":%q,"duration_us":1500,"session":%q%s}`,
		second/60,
		second%60,
		tool,
		session,
		more,
	) + "\n"
}
