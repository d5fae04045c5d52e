// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// spans is a trace source that knows one span of every trace.
type spans struct{ of string }

func (s spans) Trace(string) ([]stats.SpanView, bool) {
	return []stats.SpanView{{SpanID: s.of, Attributes: []stats.SpanAttribute{{Key: "gen_ai.tool.call.arguments", Value: `{"q":"ducks"}`}, {Key: "gen_ai.tool.call.result", Value: "quack"}}}}, true
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
	e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: def, Span: span}, Disposition: toolkit.Disposition{Run: time.Second}, Start: now.Add(-time.Second), End: now}
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
	code, out, stderr := invoke(topCommand, "", "--once", watched(t))
	if code != exitOK || stderr != "" {
		t.Fatalf("got code %d, stderr %q", code, stderr)
	}
	for _, want := range []string{"Tools\n", "search", "1.00 s", "Running\n", "0:0", `{"q":"geese"}`, `{"q":"ducks"} › quack`, "No sessions", "No errors"} {
		if !strings.Contains(out, want) {
			t.Errorf("got no %q in\n%s", want, out)
		}
	}
}

func TestTopAddsProgramsUp(t *testing.T) {
	a, b := program(t, "search", time.Millisecond), program(t, hostileTool, 2*time.Millisecond)
	code, out, stderr := invoke(topCommand, "", "--width", "160", a, b)
	if code != exitOK || stderr != "" {
		t.Fatalf("got code %d, stderr %q", code, stderr)
	}
	if !strings.Contains(out, "2 programs") || !strings.Contains(out, "200 calls") || strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, `rm\x1b[2J\u202etxt`) {
		t.Errorf("got\n%s", out)
	}
	if !strings.Contains(out, "since") && !strings.Contains(out, "Nothing runs") {
		t.Errorf("a program that does not tell of running calls: got\n%s", out)
	}
	code, out, _ = invoke(topCommand, "", a, "http://127.0.0.1:1/")
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
		code, _, stderr := invoke(topCommand, "", c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: got %d %q, want %d and %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

// logLine is a line of a call log.
func logLine(second int, tool, session, more string) string {
	return fmt.Sprintf(`{"time":"2026-11-21T12:%02d:%02dZ","tool":%q,"duration_us":1500,"session":%q%s}`, second/60, second%60, tool, session, more) + "\n"
}

func TestTopFollowsALog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	appendTo := func(text string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	appendTo(logLine(0, "search", "s1", `,"arguments":{"q":"x"},"result":"found"`) + logLine(10, "search", "s1", `,"arguments":{"q":"x"},"error":"`+secret+`"`) + "not JSON\n")
	log, err := openTopLog(name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	state := func() *top.State {
		t.Helper()
		s, err := log.State(t.Context(), "5m")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := state()
	if s.Summary.Overall.Calls != 2 || len(s.Calls) != 2 || s.Calls[0].ErrorType != "tool_error" || strings.Contains(s.Calls[0].Error, secret) || s.Calls[1].Arguments != `{"q":"x"}` || s.Calls[1].Result != "found" {
		t.Errorf("got %+v", s.Calls)
	}
	// The calls of an error are found by its group.
	if g := s.Summary.Errors; len(g) != 1 || s.Calls[0].ErrorGroup != g[0].ID || s.Calls[1].ErrorGroup != "" {
		t.Errorf("got error groups %q and %q, want that of %+v and none", s.Calls[0].ErrorGroup, s.Calls[1].ErrorGroup, g)
	}
	if len(s.Loops) != 1 || s.Loops[0].Times != 2 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "line 3") {
		t.Errorf("got loops %+v, notes %q", s.Loops, s.Notes)
	}
	if trend := s.Trend["search"]; len(trend) < 2 || trend[0] != 1 || trend[len(trend)-1] != 1 {
		t.Errorf("got trend %v", trend)
	}
	half := logLine(20, "read", "s2", "")
	appendTo(half[:20])
	if got := state().Summary.Overall.Calls; got != 2 {
		t.Errorf("half a line: got %d calls, want 2", got)
	}
	appendTo(half[20:])
	if s = state(); s.Summary.Overall.Calls != 3 || s.Calls[0].Tool != "read" || s.Calls[0].Why == "" {
		t.Errorf("the other half: got %+v", s.Calls[0])
	}
	for i := range 2 * topCalls {
		appendTo(logLine(30+i, fmt.Sprint("t", i), "", ""))
	}
	if s = state(); len(s.Calls) != topCalls || s.Calls[0].Tool != fmt.Sprint("t", 2*topCalls-1) || s.Calls[topCalls-1].Tool != fmt.Sprint("t", topCalls) {
		t.Errorf("got %d calls from %s to %s", len(s.Calls), s.Calls[0].Tool, s.Calls[len(s.Calls)-1].Tool)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := log.State(t.Context(), "5m"); err == nil {
		t.Error("got no error of a log that is gone")
	}
	appendTo(logLine(0, "fresh", "", ""))
	if s = state(); s.Summary.Overall.Calls != 1 || !strings.Contains(strings.Join(s.Notes, ""), "anew") {
		t.Errorf("a log that was replaced: got %d calls, notes %q", s.Summary.Overall.Calls, s.Notes)
	}
}

func TestUnicodeLocale(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true}, {map[string]string{"LANG": "C"}, false}, {map[string]string{"LANG": "en_US.UTF-8"}, true}, {map[string]string{"LC_ALL": "POSIX", "LANG": "C.utf8"}, false},
	} {
		if got := unicodeLocale(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: got %v, want %v", c.env, got, c.want)
		}
	}
}
