// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
)

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

func TestLogIsFollowed(t *testing.T) {
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
	appendTo(
		logLine(
			0,
			"search",
			"s1",
			`,"arguments":{"q":"x"},"result":"found"`,
		) + logLine(
			10,
			"search",
			"s1",
			`,"arguments":{"q":"x"},"error":"`+secret+`"`,
		) + "not JSON\n",
	)
	log, err := openLog(name)
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
	if s.Summary.Overall.Calls != 2 || len(s.Calls) != 2 || s.Calls[0].ErrorType != "tool_error" ||
		strings.Contains(s.Calls[0].Error, secret) ||
		s.Calls[1].Arguments != `{"q":"x"}` ||
		s.Calls[1].Result != "found" {
		t.Errorf("got %+v", s.Calls)
	}
	// The calls of an error are found by its group.
	if g := s.Summary.Errors; len(g) != 1 || s.Calls[0].ErrorGroup != g[0].ID || s.Calls[1].ErrorGroup != "" {
		t.Errorf(
			"got error groups %q and %q, want that of %+v and none",
			s.Calls[0].ErrorGroup,
			s.Calls[1].ErrorGroup,
			g,
		)
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
	for i := range 2 * maxCalls {
		appendTo(logLine(30+i, fmt.Sprint("t", i), "", ""))
	}
	if s = state(); len(s.Calls) != maxCalls || s.Calls[0].Tool != fmt.Sprint("t", 2*maxCalls-1) ||
		s.Calls[maxCalls-1].Tool != fmt.Sprint("t", maxCalls) {
		t.Errorf("got %d calls from %s to %s", len(s.Calls), s.Calls[0].Tool, s.Calls[len(s.Calls)-1].Tool)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := log.State(t.Context(), "5m"); err == nil {
		t.Error("got no error of a log that is gone")
	}
	appendTo(logLine(0, "fresh", "", ""))
	if s = state(); s.Summary.Overall.Calls != 1 || !strings.Contains(strings.Join(s.Notes, ""), "replaced") {
		t.Errorf("a log that was replaced: got %d calls, notes %q", s.Summary.Overall.Calls, s.Notes)
	}
}

func TestUnicodeLocale(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true}, {map[string]string{"LANG": "C"}, false}, {map[string]string{"LANG": "en_US.UTF-8"}, true}, {
			map[string]string{"LC_ALL": "POSIX", "LANG": "C.utf8"}, false,
		},
	} {
		if got := unicodeLocale(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: got %v, want %v", c.env, got, c.want)
		}
	}
}

// A recording shows who takes part, calls that have begun with a timer, and the time that a call waited for a person apart
// from the server's.
func TestRecordingShowsWhatRuns(t *testing.T) {
	name := filepath.Join(t.TempDir(), "recording.jsonl")
	text := `{"v":1,"record":"session","time":"2026-11-22T10:00:00Z","client":{"name":"c 2"},"peer":{"name":"s 1","capabilities":["logging","tools"]}}
{"v":1,"record":"request","time":"2026-11-22T10:00:00Z","duration_us":1000,"method":"tools/list","id":"0"}
{"v":1,"record":"request","time":"2026-11-22T10:00:00Z","duration_us":2000,"method":"elicitation/create","id":"5"}
{"v":1,"record":"begin","call":"A-1","time":"2026-11-22T10:00:00Z","tool":"slow","arguments":{"n":1}}
{"v":1,"record":"begin","call":"A-2","time":"2026-11-22T10:00:01Z","tool":"asked","arguments":{"n":2}}
{"v":1,"record":"end","call":"A-2","time":"2026-11-22T10:00:09Z","tool":"asked","outcome":"executed","duration_us":2000,"approval_us":7000000}
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	s, err := log.State(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Notes) != 0 || s.Peers != "client c 2, server s 1 (logging, tools)" {
		t.Errorf("got the notes %q and the peers %q", s.Notes, s.Peers)
	}
	if len(s.Running) != 1 || s.Running[0].Tool != "slow" || s.Running[0].RunningMs < 1000 || s.Running[0].Arguments != `{"n":1}` {
		t.Errorf("got %+v running, want the call without an end", s.Running)
	}
	var frames []string
	for _, f := range s.Frames {
		frames = append(frames, strings.Join([]string{f.Direction, f.Kind, f.Method, f.Name, f.Status}, " "))
	}
	if got, want := strings.Join(frames, "\n"), `← response tools/call asked ok
→ request tools/call asked `+`
→ request tools/call slow `+`
→ response elicitation/create  ok
← response tools/list  ok
 session   `+`
→ request tools/list  `+`
← request elicitation/create  `; got != want {
		t.Errorf("got the frames\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(s.Frames[0].Text, `"approval_us":7000000`) {
		t.Errorf("got the frame %s, want the record", s.Frames[0].Text)
	}
	if len(s.Calls) != 1 || s.Calls[0].RunMs != 2 || s.Calls[0].ApprovalMs != 7000 || s.Calls[0].DurationMs != 7002 {
		t.Errorf("got %+v, want 7 s for a person and 2 ms for the server", s.Calls)
	}
}

// The frames that are kept are bounded by number and bytes, and redacted before they are shown.
func TestFramesAreBounded(t *testing.T) {
	var ring frameRing
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	for i := range 2 * maxFrames {
		ring.addLine(fmt.Appendf(nil, `{"v":1,"record":"begin","call":"A-%d","tool":"x","arguments":{"a":%q}}`, i, secret))
	}
	frames := ring.shown()
	if len(frames) != maxFrames || frames[0].Key != fmt.Sprint(2*maxFrames) || strings.Contains(frames[0].Text, secret) {
		t.Errorf("got %d frames, the first one %+v", len(frames), frames[0])
	}
	for i := range 20 {
		ring.addLine(fmt.Appendf(nil, `{"v":1,"record":"begin","call":"B-%d","tool":"x","arguments":{"a":%q}}`, i,
			strings.Repeat("y", 1<<20)))
	}
	if ring.bytes > maxFrameBytes || len(ring.shown()) != 7 {
		t.Errorf("got %d bytes of %d lines, want at most %d", ring.bytes, len(ring.lines), maxFrameBytes)
	}
}
