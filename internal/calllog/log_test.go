// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

func TestLog(t *testing.T) {
	l := New(nil)
	for i, line := range []string{
		`{"tool":"read","duration_us":1500,"session":"s1","time":"2026-11-21T09:00:00Z"}`,
		` { "duration_us" : 2.5e3 , "extra":{"a":[1,2,{"b":null}],"c":"}"}, "tool":"read" } ` + "\r",
		`{"tool":"read","outcome":"executed","duration_us":2000,"error_type":"timeout","error":"took 30s",` +
			`"session":"s1","time":1795251660}`,
		`{"tool":"read","outcome":"executed","duration_us":2000,"error_type":"timeout","error":"took 31s",` +
			`"session":"s1","time":1795251661.5}`,
		`{"tool":"read","outcome":"cache_hit","duration_us":0.3}`,
		`{"tool":"read","outcome":"refused","error_type":"permission_denied","error":"not allowed"}`,
		`{"tool":"\u0065dit \"x\"","duration_us":10,"error":"broken \ud83d\ude00","error_type":null,"session":null}`,
		`{"tool":"edit \"x\"","outcome":"coalesced"}`,
		`{"tool":"edit \"x\"","outcome":"repeated","duration_us":99999999999999999999}`,
	} {
		if err := l.AddLine([]byte(line)); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
	s := l.Snapshot()
	read, edit := s.Tool("read"), s.Tool(`edit "x"`)
	if read == nil || edit == nil || len(s.Tools) != 2 {
		t.Fatalf("got %d tools", len(s.Tools))
	}
	if read.Executed.Count() != 4 || read.Failed.Count() != 2 || read.CacheHit.Count() != 1 ||
		read.Refused.Count() != 1 || read.Errors() != 3 || read.WorstStreak != 2 {
		t.Errorf("read: got %+v", read)
	}
	if got := read.Executed.Max(); got < 2500*time.Microsecond || got > 2503*time.Microsecond {
		t.Errorf("read: got the longest %v, want 2.5 ms", got)
	}
	if edit.Coalesced.Count() != 1 || edit.Repeated.Count() != 1 || edit.Repeated.Max() < 59*time.Minute ||
		edit.ErrorTypes[0] != (stats.TypeCount{Type: "tool_error", Count: 1}) {
		t.Errorf("edit: got %+v", edit)
	}
	if len(s.Errors) != 3 || s.Errors[0].Count != 2 || s.Errors[0].Message != "took <duration>" || s.OtherErrors != 0 {
		t.Errorf("errors: got %+v and %d others", s.Errors, s.OtherErrors)
	}
	if !s.From.Equal(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)) || !s.To.Equal(time.Unix(1795251661, 5e8)) {
		t.Errorf("span: got %v to %v", s.From, s.To)
	}
	// A time in seconds was a little before what was written.
	if c, err := Read([]byte(`{"tool":"a","duration_us":1,"time":1795251660.001}`)); err != nil ||
		!c.End.Equal(time.Unix(1795251660, 1e6)) {
		t.Errorf("got %v, %v", c.End, err)
	}
	sessions := l.Sessions()
	if len(sessions) != 1 || sessions[0].Session != "s1" || sessions[0].Calls != 3 || sessions[0].Errors != 2 ||
		sessions[0].RunMs != 5.5 {
		t.Errorf("sessions: got %+v", sessions)
	}
}

func TestBadLines(t *testing.T) {
	deep := `{"tool":"a","duration_us":1,"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`
	for _, c := range []struct{ line, want string }{
		{`not json`, "no JSON object"}, {`[]`, "no JSON object"}, {`"tool"`, "no JSON object"}, {`{`, "not JSON"},
		{`{}`, "tool: got none"},
		{`{"duration_us":1}`, "tool: got none"}, {`{"tool":"a"}`, "duration_us: got none"},
		{`{"tool":"","duration_us":1}`, "tool: got none"},
		{`{"tool":5,"duration_us":1}`, "tool: got something else"},
		{`{"tool":"a","duration_us":"1"}`, "duration_us: got something else"},
		{`{"tool":"a","duration_us":-1}`, "duration_us: got \"-1\""}, {`{"tool":"a","duration_us":01}`, "not JSON"},
		{`{"tool":"a","duration_us":1.}`, "duration_us"},
		{`{"tool":"a","duration_us":1,"outcome":"maybe"}`, `outcome: got "maybe"`},
		{`{"tool":"a","duration_us":1,"outcome":1}`, "outcome: got"},
		{`{"tool":"a","duration_us":1,"time":"yesterday"}`, "time: got"},
		{`{"tool":"a","duration_us":1,"time":-5}`, "time: got"}, {`{"tool":"a","duration_us":1,"time":{}}`, "time: got something else"},
		{`{"tool":"a","duration_us":1} {}`, "more after"}, {`{"tool":"a","duration_us":1,}`, "not JSON"},
		{`{"tool":"a" "duration_us":1}`, "not JSON"},
		{`{"tool":"a\q","duration_us":1}`, "tool"}, {`{"tool":"a\u12g4","duration_us":1}`, "tool"},
		{"{\"tool\":\"a\x01\",\"duration_us\":1}", "tool"}, {`{"tool":"a`, "tool"}, {`{"tool":"a\`, "tool"},
		{deep, "64 levels"}, {`{"tool":"a","duration_us":1,"x":tru}`, "not JSON"},
		{`{"tool":"a","duration_us":1,"x":[1 2]}`, "not JSON"},
	} {
		l := New(nil)
		if err := l.AddLine([]byte(c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want an error with %q", c.line, err, c.want)
		}
		if len(l.Snapshot().Tools) != 0 {
			t.Errorf("%.60s: was counted", c.line)
		}
	}
}

// A log whose texts never repeat is summarized within bounds, and what is beyond
// them is counted.
func TestLogIsBounded(t *testing.T) {
	l := New(nil)
	const n = 20_000
	for i := range n {
		line := fmt.Appendf(nil, `{"tool":"tool-%d","duration_us":1,"error":"failure of kind %s","session":"session %d"}`,
			i, word(i), i)
		if err := l.AddLine(line); err != nil {
			t.Fatal(err)
		}
	}
	s := l.Snapshot()
	calls, errors := uint64(0), s.OtherErrors
	for i := range s.Tools {
		calls += s.Tools[i].Calls()
	}
	for _, g := range s.Errors {
		errors += g.Count
	}
	if calls != n || errors != n || len(s.Tools) > maxTools+1 || len(s.Errors) > maxGroups ||
		len(l.Sessions()) != maxSessions || len(l.shapes) > maxShapes {
		t.Errorf("got %d calls of %d tools, %d errors in %d groups, %d sessions, %d shapes", calls, len(s.Tools), errors,
			len(s.Errors), len(l.Sessions()), len(l.shapes))
	}
}

// Secrets in a log's errors do not come out.
func TestLogIsRedacted(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("aB3d", 9)
	l := New(nil)
	line := fmt.Appendf(nil, `{"tool":"a","duration_us":1,"error":"refused the token %s","session":"%s"}`, secret, secret)
	if err := l.AddLine(line); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"snapshot": l.Snapshot(), "sessions": l.Sessions()})
	if err != nil || bytes.Contains(text, []byte(secret)) || !bytes.Contains(text, []byte("REDACTED")) {
		t.Errorf("got %s (%v)", text, err)
	}
}

// Only what is a JSON object is read, and it says the same to encoding/json.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"tool":"a","duration_us":12,"outcome":"executed","error":"\ud83d\ude00\n","x":[{},null,-1.5e3]}`))
	f.Add([]byte("{\"tool\":\"\xf7\xe1\",\"duration_us\":0}"))
	f.Add([]byte(`{"tool":"\u0000","duration_us":0.1,"time":"2026-11-21T09:00:00Z"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := new(reader).readLine(line, true)
		var want struct {
			Tool     *string          `json:"tool"`
			Duration *json.RawMessage `json:"duration_us"`
			Message  *string          `json:"error"`
		}
		if err != nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("%q was read, and is not JSON", line)
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(line, &members) != nil {
			t.Fatalf("%q was read, and is no object", line)
		}
		// Each invalid byte is a replacement character for encoding/json, as it is for
		// a conversion to runes. It takes members in any case and the last of several; only lines
		// in which that makes no difference are compared.
		if strings.Count(strings.ToLower(string(line)), `"tool"`) != 1 || bytes.ContainsRune(line, '\\') &&
			bytes.Contains(line, []byte(`\u`)) {
			return
		}
		if json.Unmarshal(line, &want) == nil && want.Tool != nil && !sameTool(l.Tool, *want.Tool) {
			t.Fatalf("%q: got the tool %q, want %q", line, l.Tool, *want.Tool)
		}
		if l.Duration < 0 || l.Duration > time.Duration(histogram.Highest) || l.Outcome > toolkit.OutcomeRefused {
			t.Fatalf("%q: got %v, %v", line, l.Duration, l.Outcome)
		}
	})
}

// sameTool reports whether a name is what is kept of another one: invalid bytes, which encoding/json replaces, are removed.
func sameTool(kept, name string) bool {
	valid := strings.ReplaceAll(name, "\uFFFD", "")
	return strings.HasPrefix(valid, strings.ReplaceAll(kept, "\uFFFD", ""))
}

var benchLine = []byte(`{"time":"2026-11-01T00:00:00.015Z","session":"run-1568","tool":"bash",` +
	`"call_id":"call_00000000","duration_us":1226,"outcome":"executed","error_type":"tool_error","error":"open ` +
	`/home/u661/src/main_44478.go: no such file or directory (attempt 8)"}`)

func BenchmarkLog(b *testing.B) {
	b.Run("log", func(b *testing.B) {
		l := New(nil)
		b.SetBytes(int64(len(benchLine)))
		b.ReportAllocs()
		for b.Loop() {
			if err := l.AddLine(benchLine); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(benchLine)))
		b.ReportAllocs()
		for b.Loop() {
			var x struct {
				Tool      string
				Duration  float64 `json:"duration_us"`
				Outcome   string
				ErrorType string `json:"error_type"`
				Error     string
				Session   string
				Time      time.Time
			}
			if err := json.Unmarshal(benchLine, &x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A call log gives the tables that a running recorder does.
func ExampleLog() {
	log := New(nil)
	for _, line := range []string{
		`{"tool":"search","duration_us":1200}`,
		`{"tool":"search","duration_us":3400,"error_type":"timeout","error":"no answer after 3 s"}`,
		`{"tool":"search","outcome":"cache_hit"}`,
		`{"tool":}`,
	} {
		if err := log.AddLine([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	tool := stats.Summarise(log.Snapshot(), nil).Tools[0]
	fmt.Printf("%d calls, %d failed, p99 %.1f ms\n", tool.Calls, tool.Failed, tool.P99Ms)
	// Output:
	// tool: got text that is not JSON
	// 3 calls, 1 failed, p99 3.4 ms
}

// word is a text without digits that differs for each i.
func word(i int) string {
	b := []byte("qqqqqqqq")
	for at := range b {
		b[at] = byte('g' + i%16)
		i /= 16
	}
	return string(b)
}
