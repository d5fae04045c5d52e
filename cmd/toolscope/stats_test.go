// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/stats/statshttp"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// hostileTool is a name that a terminal could stumble over.
const hostileTool = "rm\x1b[2J\u202etxt"

// program runs one that has made some calls, of a tool of the name and with
// the running time given, and returns its URL.
func program(t *testing.T, tool string, run time.Duration, o ...statshttp.Options) string {
	t.Helper()
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	def := &toolkit.Definition{Name: tool}
	for i := range 100 {
		now := time.Now()
		e := &toolkit.Ended{
			Info:        toolkit.CallInfo{Tool: def, Session: &toolkit.Session{ID: "s-" + tool}},
			Disposition: toolkit.Disposition{Run: run},
			Start:       now.Add(-run),
			End:         now,
		}
		if i%10 == 0 {
			e.ErrorType, e.Err, e.Disposition.Repeat = "timeout", errors.New("late \x1b[31m by 5s"), uint16(i)
		}
		r.Begin(context.Background(), e.Call, &e.Info)
		r.End(context.Background(), e)
	}
	o = append(o, statshttp.Options{})
	h, err := statshttp.NewHandler(r, o[0])
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/tools", h))
	t.Cleanup(server.Close)
	return server.URL + "/tools"
}

// invoke runs a command and returns what it printed.
func invoke(command, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(append([]string{command}, args...), strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// harmless checks that a text does nothing to a terminal.
func harmless(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }); i >= 0 {
		t.Errorf("got %q in the output", text[i:min(len(text), i+20)])
	}
}

func TestStatsTables(t *testing.T) {
	url := program(t, hostileTool, 40*time.Millisecond)
	code, out, errs := invoke("stats", "", url)
	if code != exitOK || errs != "" {
		t.Fatalf("got %d: %s", code, errs)
	}
	harmless(t, out)
	for _, want := range []string{`rm\x1b[2J\u202etxt`, "10.0 %", "40.0 ms", "late", "timeout", "SESSION", "window 5m"} {
		if !strings.Contains(out, want) {
			t.Errorf("got no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "HITS") {
		t.Error("a column without figures is printed")
	}
}

func TestStatsJSON(t *testing.T) {
	a, b := program(t, "read", time.Millisecond), program(t, "write", time.Second)
	code, out, errs := invoke("stats", "", "--json", "--window", "total", a, b)
	if code != exitOK || errs != "" {
		t.Fatalf("got %d: %s", code, errs)
	}
	d := json.NewDecoder(strings.NewReader(out))
	for _, tool := range []string{"read", "write"} {
		var v summary.JSON
		if err := d.Decode(&v); err != nil || len(v.Tools) != 1 || v.Tools[0].Tool != tool || v.Window != "total" ||
			v.Overall.Calls != 100 {
			t.Errorf("got %+v (%v), want the calls of %s", v, err, tool)
		}
	}
}

// The tables that users see first fit a terminal of the usual width.
func TestTablesFitEightyCells(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	url := program(t, "reads_what_has_a_name_longer_than_most", 40*time.Millisecond)
	code, out, errs := invoke("stats", "", url)
	if code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("got %d characters: %q", n, line)
		}
	}
	for _, want := range []string{"TOOL", "ERRORS", "P50", "P99", "MESSAGE"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not shown:\n%s", want, out)
		}
	}
}

// Merged percentiles are those of all calls, not means of percentiles.
func TestStatsMerge(t *testing.T) {
	a, b := program(t, "read", time.Millisecond), program(t, "read", time.Second)
	code, out, errs := invoke("stats", "", a, "--merge", "--json", b)
	var v summary.JSON
	if err := json.Unmarshal([]byte(out), &v); code != exitOK || err != nil {
		t.Fatalf("got %d %s (%v): %s", code, out, err, errs)
	}
	if v.Processes != 2 || v.Overall.Calls != 200 || v.Overall.P50Ms > 1.01 || v.Overall.P95Ms < 999 ||
		v.Source != "2 programs merged" {
		t.Errorf("got %+v", v.Overall)
	}
	code, out, errs = invoke("stats", "", "--merge", a, "http://127.0.0.1:1/")
	if code != exitError || !strings.Contains(out, "1 of 2 programs merged") || !strings.Contains(errs, "127.0.0.1:1") {
		t.Errorf("with one that is down: got %d\n%s\n%s", code, out, errs)
	}
}

func TestStatsOfOneTool(t *testing.T) {
	url := program(t, "read", time.Millisecond)
	if _, out, _ := invoke("stats", "", "--tool", "read", url); !strings.Contains(out, "read") ||
		strings.Contains(out, "SESSION") {
		t.Errorf("got\n%s", out)
	}
	if code, out, _ := invoke("stats", "", "--tool", "none", url); code != exitOK ||
		!strings.Contains(out, "No calls.") {
		t.Errorf("got %d\n%s", code, out)
	}
}

func TestStatsToken(t *testing.T) {
	const token = "correct-horse-battery-staple"
	url := program(t, "read", time.Millisecond, statshttp.Options{BearerToken: token})
	if code, _, errs := invoke("stats", "", url); code != exitError || !strings.Contains(errs, "401") {
		t.Errorf("without a token: got %d %s", code, errs)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("stats", "", "--token-file", file, url); code != exitOK {
		t.Errorf("from a file: got %d %s", code, errs)
	}
	if code, _, errs := invoke("stats", token, "--token-file", "-", url); code != exitOK {
		t.Errorf("from standard input: got %d %s", code, errs)
	}
	t.Setenv("TOOLSCOPE_TOKEN", token)
	t.Setenv("TOOLSCOPE_URL", url)
	if code, _, errs := invoke("stats", ""); code != exitOK {
		t.Errorf("from the environment: got %d %s", code, errs)
	}
	if code, _, errs := invoke("stats", "", "--token-file", file+".none", url); code != exitError ||
		!strings.Contains(errs, "--token-file") {
		t.Errorf("from a file that is not there: got %d %s", code, errs)
	}
}

// A token is not taken along to another origin, and a hostile server cannot draw on
// the terminal.
func TestStatsOfHostileServer(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	for name, h := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) },
		"no JSON":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\x1b[2J") },
		"problem": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, `{"detail":"\u001b[2Jgone"}`)
		},
		"status line": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"no snapshot": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"version":99}`) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(h)
			defer server.Close()
			code, out, errs := invoke("stats", "", server.URL)
			if code != exitError || out != "" || errs == "" {
				t.Errorf("got %d %q %q", code, out, errs)
			}
			harmless(t, errs)
		})
	}
	if asked {
		t.Error("the other origin was asked")
	}
}

func TestStatsWatch(t *testing.T) {
	url := program(t, "read", time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	out := &countingWriter{want: 3, then: cancel}
	if code := execute(
		ctx, []string{"stats", "--watch", "--every", "100ms", url}, strings.NewReader(""), out, io.Discard,
	); code != exitOK {
		t.Errorf("got %d", code)
	}
	if out.got != 3 || strings.Contains(out.text.String(), "\x1b") {
		t.Errorf("got %d tables, want 3 without a terminal's sequences", out.got)
	}
}

// countingWriter calls then at the third write.
type countingWriter struct {
	text      strings.Builder
	got, want int
	then      func()
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.got++; w.got == w.want {
		w.then()
	}
	return w.text.Write(b)
}

func TestStatsUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--window", "2m"}, {
			"--window", "5m", "--since", "1",
		}, {"--sort", "x"}, {"--every", "1ms"}, {"--timeout", "0s"}, {"--nothing"}, {"--every", "x"},
		{"ftp://a/"}, {"localhost:8080"}, {"http://a/?q=1"}, {"http://%zz/"}, {"\x1b[2J"},
	} {
		code, out, errs := invoke("stats", "", args...)
		if code != exitUsage || out != "" || errs == "" {
			t.Errorf("%q: got %d %q %q, want %d", args, code, out, errs, exitUsage)
		}
		harmless(t, errs)
	}
	code, out, errs := invoke("stats", "", "http://a/", "--help")
	if code != exitOK || errs != "" || !strings.Contains(out, "--merge") || !strings.Contains(out, "Exit code") {
		t.Errorf("--help: got %d %q %q", code, out, errs)
	}
}
