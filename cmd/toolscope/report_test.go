// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/toolscope/toolscope/internal/calllog"
)

// A log with good lines, bad ones, an empty one and no line end at its end.
const mixedLog = `{"tool":"read","duration_us":1000,"session":"s1","time":"2026-11-21T09:00:00Z"}
{"tool":"read","duration_us":3000,"session":"s1","time":"2026-11-21T09:00:10Z","error_type":"timeout","error":"late by 5s"}

not json
{"tool":"write","outcome":"cache_hit","extra":{"deep":[1,2]}}
{"tool":"write"}
{"tool":"rm\u001b[2J\u202e","duration_us":5}`

func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(file, []byte(mixedLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"file": {file}, "standard input": {"-"}} {
		code, out, errs := invoke(reportCommand, mixedLog, args...)
		if code != exitOK {
			t.Errorf("%s: got %d", name, code)
		}
		harmless(t, out+errs)
		for _, want := range []string{"read", "write", `rm\x1b[2J\u202e`, "3.00 ms", "late by <duration>", "s1", "12.0/min"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got no %q in\n%s", name, want, out)
			}
		}
		if !strings.Contains(errs, "2 of 6 lines") || !strings.Contains(errs, "line 4: got no JSON object") || !strings.Contains(errs, "line 6: duration_us") {
			t.Errorf("%s: got %q", name, errs)
		}
	}
}

func TestReportJSON(t *testing.T) {
	code, out, _ := invoke(reportCommand, mixedLog, "--json", "--sort", "name", "-")
	var v jsonView
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != exitOK {
		t.Fatalf("got %d %s (%v)", code, out, err)
	}
	if v.Log == nil || v.Log.Lines != 6 || v.Log.Calls != 4 || v.Log.Bad != 2 || len(v.Log.First) != 2 || v.Overall.Calls != 4 || len(v.Tools) != 3 || v.Tools[0].Tool != "read" {
		t.Errorf("got %s", out)
	}
	_, out, _ = invoke(reportCommand, mixedLog, "--json", "--tool", "read", "-")
	var one jsonView
	if err := json.Unmarshal([]byte(out), &one); err != nil || len(one.Tools) != 1 || one.Overall.Calls != 2 || one.Sessions != nil {
		t.Errorf("--tool: got %s (%v)", out, err)
	}
}

func TestReportWithoutTimes(t *testing.T) {
	_, out, _ := invoke(reportCommand, `{"tool":"a","duration_us":1}`, "-")
	if strings.Contains(out, "RATE") || strings.Contains(out, "1970") {
		t.Errorf("got rates of a log without times:\n%s", out)
	}
	_, out, _ = invoke(reportCommand, `{"tool":"a","duration_us":1,"time":1767225600}`, "-")
	if strings.Contains(out, "RATE") || !strings.Contains(out, "2026-01-01") && !strings.Contains(out, "2025-12-31") {
		t.Errorf("got a rate of a single call:\n%s", out)
	}
}

// What happened within less than a second has no rate, in no form. Placeholders of error
// groups were printed as \u003cpath\u003e.
func TestReportJSONOfAMoment(t *testing.T) {
	const two = `{"tool":"a","duration_us":1,"time":1767225600.001,"error":"/etc/app/x.conf: no such file"}` + "\n" + `{"tool":"a","duration_us":1,"time":1767225600.002}`
	_, out, _ := invoke(reportCommand, two, "--json", "-")
	if strings.Contains(out, "calls_per_second") || !strings.Contains(out, `"seconds":0.001,`) {
		t.Errorf("got %s, want no rate", out)
	}
	if !strings.Contains(out, `<path>`) {
		t.Errorf("got %s, want <path>", out)
	}
	_, out, _ = invoke(reportCommand, two, "-")
	if strings.Contains(out, "RATE") || strings.Contains(out, "/s") {
		t.Errorf("got a rate:\n%s", out)
	}
}

func TestReportFailures(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		stdin string
		code  int
		want  string
	}{
		"no file":        {nil, "", exitUsage, "got 0 files"},
		"two files":      {[]string{"a", "b"}, "", exitUsage, "got 2 files"},
		"wrong order":    {[]string{"--sort", "x", "-"}, "", exitUsage, "--sort"},
		"missing file":   {[]string{"/nonexistent/\x1b[2J"}, "", exitError, "no such file"},
		"a directory":    {[]string{"."}, "", exitError, "directory"},
		"only bad lines": {[]string{"-"}, "x\ny\n", exitError, "2 of 2 lines"},
		"empty":          {[]string{"-"}, "", exitOK, ""},
	} {
		code, _, errs := invoke(reportCommand, c.stdin, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: got %d %q, want %d and %q", name, code, errs, c.code, c.want)
		}
		harmless(t, errs)
	}
	if code, out, _ := invoke(reportCommand, "", "--help"); code != exitOK || !strings.Contains(out, "duration_us") {
		t.Errorf("--help: got %d %q", code, out)
	}
}

// However a log comes in pieces, the same is read.
func TestReadLogInPieces(t *testing.T) {
	long := `{"tool":"a","duration_us":1,"x":"` + strings.Repeat("y", maxLine) + `"}`
	text := `{"tool":"a","duration_us":1}` + "\n" + long + "\n" + `{"tool":"a","duration_us":2}` + "\r\n\n" + long
	for name, from := range map[string]io.Reader{
		"at once": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		log := calllog.New(nil)
		counts, err := readLog(from, log, &logProgress{off: true})
		if err != nil || counts.Lines != 4 || counts.Calls != 2 || counts.Bad != 2 || counts.First[0].Line != 2 || counts.First[1].Line != 5 {
			t.Errorf("%s: got %+v (%v)", name, counts, err)
		}
		if n := log.Snapshot().Tool("a").Executed.Count(); n != 2 {
			t.Errorf("%s: got %d calls, want 2", name, n)
		}
	}
	small := `{"tool":"a","duration_us":1}` + "\n" + `{"tool":"a","duration_us":2}`
	if counts, err := readLog(iotest.OneByteReader(strings.NewReader(small)), calllog.New(nil), &logProgress{off: true}); err != nil || counts.Calls != 2 {
		t.Errorf("byte by byte: got %+v (%v)", counts, err)
	}
	broken := errors.New("broken")
	if _, err := readLog(iotest.ErrReader(broken), calllog.New(nil), &logProgress{off: true}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func TestProgressBar(t *testing.T) {
	var b strings.Builder
	p := &logProgress{to: &b, size: 200}
	p.add(50, 10)
	p.shown = p.shown.Add(-2 * progressPause)
	p.begun = p.begun.Add(-progressPause)
	p.add(50, 20)
	p.clear()
	if got := b.String(); !strings.Contains(got, "50 %") || !strings.Contains(got, "20 lines") || !strings.HasSuffix(got, "\r\x1b[K") || strings.Count(got, "█") != progressWidth/2 {
		t.Errorf("got %q", got)
	}
}

// BenchmarkReport tells lines per second of a log as harnesses write them.
func BenchmarkReport(b *testing.B) {
	var text strings.Builder
	const lines = 10_000
	for i := range lines {
		fmt.Fprintf(&text, `{"time":"2026-11-01T00:00:%02d.015Z","session":"run-%d","tool":"tool-%d","call_id":"call_%08x","duration_us":%d,"outcome":"executed"`, i%60, i%500, i%8, i, i)
		if i%20 == 0 {
			fmt.Fprintf(&text, `,"error_type":"tool_error","error":"open /src/main_%d.go: no such file or directory"`, i)
		}
		text.WriteString("}\n")
	}
	b.SetBytes(int64(text.Len()))
	n := 0
	for b.Loop() {
		if _, err := readLog(strings.NewReader(text.String()), calllog.New(nil), &logProgress{off: true}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n*lines)/b.Elapsed().Seconds(), "lines/s")
}
