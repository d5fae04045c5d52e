// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
)

var update = flag.Bool("update", false, "write the frames of testdata anew")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixed is a source that always answers the same.
type fixed struct {
	state   *State
	err     error
	content Content
}

func (f *fixed) State(context.Context, string) (*State, error)  { return f.state, f.err }
func (f *fixed) Content(context.Context, Call) (Content, error) { return f.content, f.err }
func recent(id uint64, tool string, c stats.RecentCall) Call    { return recentAt(id, tool, noon, c) }
func recentAt(id uint64, tool string, at time.Time, c stats.RecentCall) Call {
	c.ID, c.Tool, c.Time, c.RunMs = id, tool, at.Add(-time.Duration(id)*time.Second), c.DurationMs
	if c.Outcome == "" {
		c.Outcome = "executed"
	}
	return Call{Key: "k" + string(rune('0'+id)), RecentCall: c}
}

// ordinary is a state as programs have it.
func ordinary() *State {
	tool := func(name string, calls, errors uint64, p50, p95, p99 float64) stats.ToolStats {
		return stats.ToolStats{
			Tool:           name,
			Calls:          calls,
			CallsPerSecond: float64(calls) / 300,
			Executed:       calls,
			Errors:         errors,
			ErrorRate:      float64(errors) / float64(calls),
			Latency: stats.Latency{
				MeanMs: p50,
				P50Ms:  p50,
				P90Ms:  p95,
				P95Ms:  p95,
				P99Ms:  p99,
				P999Ms: p99,
				MaxMs:  p99,
			},
			TotalMs:   float64(calls) * p50,
			TimeShare: 0.25,
			LastSeen:  noon,
		}
	}
	search := tool("search", 1200, 30, 210, 900, 2400)
	search.InFlight, search.CacheHits, search.HitRatio, search.Streak = 2, 100, 0.08, 3
	search.ErrorTypes = []stats.TypeCount{{Type: "tool_error", Count: 20}, {Type: "timeout", Count: 10}}
	search.Previous = &stats.Previous{Calls: 1000, CallsPerSecond: 3.3, ErrorRate: 0.01, P99Ms: 1200}
	read := tool("read_file", 5400, 0, 0.4, 1.2, 3.1)
	shell := tool("shell_run", 80, 4, 31, 440, 800)
	all := tool("", 6680, 34, 0.5, 210, 900)
	all.InFlight = 2
	return &State{
		At: noon, Source: "http://127.0.0.1:9464/", Window: "5m",
		Summary: &stats.Summary{
			Window:  "5m",
			Overall: all,
			Tools:   []stats.ToolStats{search, read, shell},
			Errors: []stats.ErrorGroup{
				{
					ID:        "00000000000000aa",
					Tool:      "search",
					Type:      "tool_error",
					Message:   "upstream answered <num>",
					Example:   "upstream answered 502",
					Count:     20,
					CountMax:  20,
					Trend:     []uint64{0, 0, 4, 16},
					FirstSeen: noon.Add(-time.Minute),
					LastSeen:  noon.Add(-3 * time.Second),
					TraceIDs:  []string{strings.Repeat("ab", 16)},
				},
				{
					ID:       "00000000000000bb",
					Tool:     "search",
					Type:     "timeout",
					Message:  "deadline exceeded",
					Count:    10,
					CountMax: 12,
					LastSeen: noon.Add(-time.Minute),
				},
			},
		},
		Trend: map[string][]float64{
			"":          {1, 2, 4, 8, 9, 3},
			"search":    {0, 1, 5, 9, 2, 1},
			"read_file": {3, 3, 3, 3, 3, 3},
			"shell_run": {0, 0, 0, 0, 0, 7},
		},
		Running: []Running{
			{
				RunningCall: stats.RunningCall{
					ID:        1,
					Tool:      "search",
					Start:     noon.Add(-95 * time.Second),
					RunningMs: 95_000,
					Arguments: `{"q":"a query that hangs"}`,
					Session:   "s-1",
				},
			},
			{
				RunningCall: stats.RunningCall{
					ID:        2,
					Tool:      "search",
					Start:     noon.Add(-time.Second),
					RunningMs: 1000,
					Arguments: `{"q":"young"}`,
					Session:   "s-2",
				},
			},
		},
		Calls: []Call{
			recent(1, "read_file", stats.RecentCall{DurationMs: 0.4, Session: "s-1"}),
			recent(
				2,
				"search",
				stats.RecentCall{
					DurationMs: 2400,
					Session:    "s-1",
					ErrorType:  "tool_error",
					Error:      "upstream answered 502",
					ErrorGroup: "00000000000000aa",
				},
			),
			recent(
				3,
				"search",
				stats.RecentCall{
					DurationMs: 0.1,
					Session:    "s-2",
					Outcome:    "cache_hit",
					AgeMs:      4000,
					TraceID:    strings.Repeat("cd", 16),
					SpanID:     strings.Repeat("ef", 8),
				},
			),
			recent(
				4,
				"shell_run",
				stats.RecentCall{DurationMs: 31, Session: "s-2", Agent: "planner", Turn: 3, Attempts: 2},
			),
		},
		Sessions: []stats.SessionStats{
			{
				Session:     "s-1",
				Agent:       "planner",
				Calls:       40,
				Errors:      9,
				Looped:      12,
				WorstStreak: 4,
				RunMs:       90_000,
				FirstSeen:   noon.Add(-time.Hour),
				LastSeen:    noon.Add(-time.Second),
			},
			{
				Session:   "s-2",
				Calls:     7,
				RunMs:     200,
				FirstSeen: noon.Add(-time.Minute),
				LastSeen:  noon.Add(-30 * time.Second),
			},
		},
		Loops: []stats.Loop{{Session: "s-1", Tool: "search", Times: 12, Stopped: 2, FirstSeen: noon, LastSeen: noon}},
	}
}

// recorded is a state of a recording.
func recorded() *State {
	s := ordinary()
	s.Peers = "client editor 2, server files 1.0 (logging, tools)"
	s.Calls[0].ApprovalMs, s.Calls[0].DurationMs = 7000, 7002
	frame := func(key, direction, kind, method, name, id, status string) Frame {
		return Frame{
			Key: key, Time: noon, Direction: direction, Kind: kind, Method: method, Name: name, ID: id, Status: status, Session: "s-1",
			Text: `{"v":1,"record":"` + kind + `","arguments":{"path":"a.txt"}}`,
		}
	}
	late := frame("6", "←", "response", "tools/call", "search", "12", "timeout")
	late.TookMs = 30_000
	s.Frames = []Frame{
		late, frame("5", "→", "request", "tools/call", "search", "12", ""),
		frame("4", "←", "response", "tools/call", "read_file", "1", "ok"),
		frame("3", "→", "request", "tools/call", "read_file", "1", ""),
		frame("2", "←", "response", "tools/list", "", "0", "ok"), frame("1", "", "session", "", "", "", ""),
	}
	return s
}

// hostile is a state whose names and texts want to take the terminal over.
func hostile() *State {
	s := ordinary()
	long := strings.Repeat("x", 300)
	s.Frames = []Frame{}
	for i, name := range []string{
		"\x1b[31mred\x1b]0;owned\a", "日本語の道具名前がとても長い場合", "שלום 12 34", "a\u202egpj.exe",
		"Z\u0335\u0336\u0337\u0338\u0339algo\r\n\x00", long, "👩‍👩‍👧 family ❤️", "", "\xff\xfe",
	} {
		x := s.Summary.Tools[i%3]
		x.Tool, x.Calls = name, uint64(100+i)
		s.Summary.Tools = append(s.Summary.Tools, x)
		c := s.Calls[i%4]
		c.Key, c.Tool, c.Error, c.Session = "h"+name, name, name, name
		c.Content = Content{Arguments: "{\"a\":\"\x1b[2J\u009b31m" + name + "\"}", Result: name}
		s.Calls = append(s.Calls, c)
		s.Running = append(
			s.Running,
			Running{RunningCall: stats.RunningCall{ID: uint64(10 + i), Tool: name, Arguments: name, Session: name}},
		)
		s.Sessions = append(s.Sessions, stats.SessionStats{Session: name, Agent: name})
		s.Frames = append(s.Frames, Frame{Key: name, Method: name, Name: name, ID: name, Session: name, Status: name, Text: name})
	}
	s.Peers = "\x1b[2Jpeer" + long
	s.Source, s.Notes = "\x1b[2Jhttp://evil/", []string{"\x1b]52;c;aGk=\a"}
	return s
}

// shown is a model that has had its first answer.
func shown(t testing.TB, s *State, w, h int) *Model {
	t.Helper()
	m := New(t.Context(), &fixed{state: s}, Options{Plain: true, Zone: time.UTC})
	m.width, m.height, m.now = w, h, noon
	m.answered(0, s, nil)
	return m
}

// TestFrames draws what keys lead to and compares it with files that a person can
// read. `go test ./cmd/toolscope/internal/top -run Frames -update` writes them.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys string // separated by blanks
		of   func() *State
		then func(*Model)
	}{
		{name: "tools", w: 80, h: 24, of: ordinary},
		{name: "tools-wide", w: 132, h: 12, keys: "s s down", of: ordinary},
		{name: "tools-narrow", w: 40, h: 10, of: ordinary},
		{name: "tools-tiny", w: 24, h: 3, keys: "down", of: ordinary},
		{name: "too-small", w: 12, h: 2, of: ordinary},
		{name: "tool", w: 80, h: 24, keys: "enter", of: ordinary},
		{name: "tool-short", w: 80, h: 10, keys: "enter", of: ordinary},
		{name: "calls", w: 80, h: 14, keys: "2 down", of: ordinary, then: func(m *Model) {
			m.keep("k1", Content{Arguments: `{"path":"a.txt"}`, Result: "hello"})
			m.keep("k2", Content{Arguments: `{"q":"x"}`})
		}},
		{name: "call", w: 80, h: 20, keys: "2 down down enter", of: ordinary, then: func(m *Model) {
			m.keep(
				"k3",
				Content{
					Arguments: `{"q":"x","limit":10}`,
					Result:    "first line\nsecond line " + strings.Repeat("long ", 30),
				},
			)
		}},
		{
			name: "call-without-content", w: 80, h: 14, keys: "2 end enter", of: ordinary,
			then: func(m *Model) { m.keep("k4", Content{Why: "No spans here."}) },
		},
		{name: "running", w: 80, h: 12, keys: "3", of: ordinary, then: func(m *Model) { m.now = noon.Add(5 * time.Second) }},
		{name: "running-one", w: 80, h: 16, keys: "3 enter", of: ordinary},
		{name: "running-counted", w: 80, h: 12, keys: "3", of: func() *State { s := ordinary(); s.Running = nil; return s }},
		{name: "sessions", w: 100, h: 12, keys: "4", of: ordinary},
		{name: "session", w: 80, h: 14, keys: "4 enter", of: ordinary},
		{name: "errors", w: 80, h: 12, keys: "5", of: ordinary},
		{name: "error", w: 80, h: 16, keys: "5 enter", of: ordinary},
		{name: "filtered", w: 80, h: 12, keys: "/ e a - h enter", of: ordinary},
		{name: "filtering", w: 80, h: 12, keys: "/ z z", of: ordinary},
		{name: "help", w: 80, h: 24, keys: "?", of: ordinary},
		{name: "paused", w: 80, h: 10, keys: "p", of: ordinary},
		{name: "gone", w: 80, h: 12, of: ordinary, then: func(m *Model) {
			m.answered(0, nil, errors.New("connection refused"))
			m.now = noon.Add(12 * time.Second)
		}},
		{name: "empty", w: 80, h: 12, of: func() *State {
			return &State{At: noon, Source: "x", Window: "5m", Summary: &stats.Summary{}, Running: []Running{}}
		}},
		{name: "programs", w: 100, h: 12, keys: "2", of: func() *State {
			s := ordinary()
			s.Source, s.Notes = "2 programs", []string{"http://127.0.0.1:3/: connection refused"}
			for i := range s.Calls {
				s.Calls[i].Program = []string{"agent a http://127.0.0.1:1/", "agent b http://127.0.0.1:2/"}[i%2]
			}
			return s
		}},
		{name: "recording", w: 100, h: 14, keys: "2", of: recorded},
		{name: "recording-call", w: 80, h: 14, keys: "2 enter", of: recorded},
		{name: "frames", w: 100, h: 14, keys: "6", of: recorded},
		{name: "frame", w: 80, h: 16, keys: "6 down down enter", of: recorded},
		{name: "frames-filtered", w: 100, h: 12, keys: "6 / s t a t u s : e r r o r enter", of: recorded},
		{name: "frames-by-id", w: 100, h: 12, keys: "6 / i d : 1 enter", of: recorded},
		{name: "frames-by-direction", w: 100, h: 12, keys: "6 / d i r : o u t enter", of: recorded},
		{name: "hostile-tools", w: 80, h: 20, of: hostile},
		{name: "hostile-calls", w: 80, h: 20, keys: "2", of: hostile},
		{name: "ascii", w: 80, h: 12, of: hostile, then: func(m *Model) { m.options.ASCII = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := shown(t, c.of(), c.w, c.h)
			for key := range strings.FieldsSeq(c.keys) {
				m.press(key, key)
			}
			if c.then != nil {
				c.then(m)
			}
			frame := m.Frame()
			check(t, frame, c.w, c.h)
			compare(t, c.name, strings.Join(frame, "\n")+"\n")
		})
	}
}

// compare compares a text with a file of testdata; trailing blanks, which are invisible,
// count for nothing.
func compare(t *testing.T, name, got string) {
	t.Helper()
	lines := strings.Split(got, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got = strings.Join(lines, "\n")
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
