// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// TestTop drives toolscope top in a real terminal.
func TestTop(t *testing.T) {
	program(t, "tmux")
	binary := command(t)
	for name, test := range map[string]func(*testing.T, string){
		"by keys": topInATerminal, "a server that goes and comes": topSaysThatAServerIsGone, "before the server": topBeforeTheServer,
		"hostile names": topWithHostileNames, "without colour": topWithoutColour, "a log that grows": topFollowsALog,
		"a recording": topShowsARecording,
	} {
		t.Run(name, func(t *testing.T) { test(t, binary) })
	}
}

// topInATerminal walks through toolscope top with keys, over the demo.
func topInATerminal(t *testing.T, binary string) {
	demo := serveDemo(t)
	x := inTerminal(t, 80, 24, nil, binary, "top", "--window", "total", demo)

	screen := x.wait("[1 Tools]", "shell_run", "P99", "q quit")
	if !strings.Contains(screen, demo) || !regexp.MustCompile(`\d+ calls`).MatchString(screen) {
		t.Errorf("the head does not name the source:\n%s", screen)
	}
	first := selected(screen)
	x.press("Down")
	second := selected(x.until(func(s string) bool { return selected(s) != first }, "another row selected"))
	x.press("Enter")
	x.wait("Tools › "+strings.Fields(second)[0], "p99.9", "BEGAN")
	x.press("Enter")
	x.wait("› call of", "took", "Arguments", "↑↓ scroll")
	x.press("Escape")
	x.wait("BEGAN", "esc back")
	x.press("Escape")
	x.wait("[1 Tools]")

	x.press("2")
	x.wait("[2 Calls]", "ARGUMENTS › RESULT", "{") // the content of calls comes from their spans
	x.press("1", "/", "s", "q", "l")
	x.until(func(s string) bool {
		return strings.Contains(s, "/sql_") && strings.Contains(s, "sql_query") && !strings.Contains(s, "shell_run")
	}, "the sql tools only")
	x.press("Enter", "Escape")
	x.wait("shell_run")
	x.press("3")
	x.wait("[3 Running]", "Nothing runs at the moment")
	x.press("4", "Enter")
	x.wait("Sessions › demo-", "calls")
	x.press("5")
	x.wait("[5 Errors]", "tool_error")
	x.press("Enter")
	x.wait("Errors › error", "times")
	x.press("?")
	x.wait("words that must occur", "closes this")
	x.press("?", "1", "s")
	x.wait("by calls")

	for _, size := range [][2]int{{132, 40}, {60, 15}, {40, 10}, {24, 4}, {80, 24}} {
		x.tmux("resize-window", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
		screen := x.until(func(s string) bool {
			lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
			return len(lines) <= size[1] && strings.HasPrefix(lines[len(lines)-1], "q quit") &&
				strings.Contains(s, "> ")
		}, fmt.Sprint("a frame of ", size))
		for _, line := range strings.Split(screen, "\n") {
			if n := utf8.RuneCountInString(line); n > size[0] {
				t.Errorf("at %v a line takes %d cells: %q", size, n, line)
			}
		}
	}
	x.press("p")
	x.wait("PAUSED", "p go on")
	x.press("q")
	if code := x.ended(); code != "0" {
		t.Errorf("got exit code %s, want 0", code)
	}
	if screen := x.screen(); strings.Contains(screen, "q quit") {
		t.Errorf("the screen is not as it was before:\n%s", screen)
	}
}

// selected is the tool in the row with the marker.
func selected(screen string) string {
	for line := range strings.SplitSeq(screen, "\n") {
		if rest, found := strings.CutPrefix(line, "> "); found {
			return rest
		}
	}
	return ""
}

// served is a program whose statistics are served at an address that it can leave and
// come back to.
type served struct {
	t        *testing.T
	recorder *stats.Recorder
	running  *stats.Running
	handler  http.Handler
	server   *http.Server
	address  string
}

func serve(t *testing.T) *served {
	t.Helper()
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = recorder.Close(context.Background()) })
	s := &served{t: t, recorder: recorder, running: stats.NewRunning(nil), address: freeAddress(t)}
	if s.handler, err = statshttp.NewHandler(recorder, statshttp.Options{Running: s.running}); err != nil {
		t.Fatal(err)
	}
	s.come()
	t.Cleanup(s.leave)
	return s
}

func (s *served) come() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	s.server = &http.Server{Handler: s.handler}
	go func() { _ = s.server.Serve(l) }()
}

func (s *served) leave() { _ = s.server.Close() }

// call makes a call of a tool that ends at once, or runs until it is ended.
func (s *served) call(name, session string, fault error) *toolkit.Running {
	s.t.Helper()
	ctx := toolkit.WithSession(s.t.Context(), toolkit.Session{ID: session})
	_, call := toolkit.Begin(
		ctx,
		toolkit.Call{Name: name, Arguments: []byte(`{"of":"` + session + `"}`)},
		&toolkit.Definition{Name: name},
		s.recorder,
		s.running,
	)
	if fault != nil || session != "runs" {
		call.End(toolkit.Result{Fault: fault}, nil)
	}
	return call
}

// topSaysThatAServerIsGone lets a program leave and come back.
func topSaysThatAServerIsGone(t *testing.T, binary string) {
	s := serve(t)
	s.call("search", "s1", nil)
	hung := s.call("hangs", "runs", nil)
	defer hung.End(toolkit.Result{}, nil)
	x := inTerminal(t, 100, 16, nil, binary, "top", "--every", "300ms", "http://"+s.address+"/")
	x.wait("search", "hangs")
	x.press("3")
	x.wait("[3 Running]", `{"of":"runs"}`)
	clock := regexp.MustCompile(`\d:(0[2-9]|[1-5]\d) +\d\d:\d\d:\d\d +hangs`)
	x.until(clock.MatchString, "a clock that goes on")
	s.leave()
	if screen := x.wait("! gone for", "connection refused"); !strings.Contains(screen, "hangs") {
		t.Errorf("what was known is not shown any more:\n%s", screen)
	}
	s.come()
	s.call("after", "s2", nil)
	x.until(
		func(screen string) bool { return !strings.Contains(screen, "gone") },
		"lost the word that the server is gone",
	)
	x.press("1")
	x.wait("after")
	x.press("C-c")
	if code := x.ended(); code != "0" {
		t.Errorf("after Ctrl-C got exit code %s, want 0", code)
	}
}

// topBeforeTheServer starts when no program is there yet.
func topBeforeTheServer(t *testing.T, binary string) {
	s := serve(t)
	s.leave()
	x := inTerminal(t, 80, 12, nil, binary, "top", "--every", "300ms", "http://"+s.address+"/")
	x.wait("! ", "connection refused", "q quit")
	s.come()
	s.call("search", "s1", nil)
	x.wait("search", "[1 Tools]")
}

// topWithHostileNames shows names that want to take the terminal over.
func topWithHostileNames(t *testing.T, binary string) {
	s := serve(t)
	for _, name := range []string{
		"\x1b]0;owned\a\x1b[2J\x1b[31mred", "a\u202egpj.exe", "日本語の道具の名前がとても長い", "שלום עולם 12",
		"Z\u0335\u0336\u0337\u0338algo", "👩\u200d👩 wide ❤\ufe0f", "bell\a\a\n\r\tend",
	} {
		s.call(name, name, fmt.Errorf("%s failed", name))
	}
	for _, keys := range []string{"1", "2", "4", "5"} {
		x := inTerminal(t, 80, 20, nil, binary, "top", "http://"+s.address+"/")
		x.wait("[1 Tools]", "q quit")
		x.press(keys)
		screen := x.wait("["+keys+" ", "日本語", `a\u202egpj.exe`, `\x1b]0;owned`)
		lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
		if !strings.HasPrefix(lines[0], "toolscope top") || !strings.HasPrefix(lines[len(lines)-1], "q quit") ||
			len(lines) != 20 {
			t.Errorf("the frame was broken:\n%s", screen)
		}
		if title := x.tmux("display-message", "-p", "#{pane_title}"); strings.Contains(title, "owned") {
			t.Errorf("the terminal's title is %q", title)
		}
		if coloured := x.tmux("capture-pane", "-p", "-e"); strings.Contains(coloured, "\x1b[31mred") {
			t.Errorf("a name colours itself:\n%q", coloured)
		}
		x.press("q")
		x.ended()
	}
}

// topWithoutColour asks for none, and for a terminal that cannot move its cursor.
func topWithoutColour(t *testing.T, binary string) {
	s := serve(t)
	s.call("search", "s1", fmt.Errorf("failed"))
	address := "http://" + s.address + "/"
	coloured := func(env ...string) string {
		x := inTerminal(t, 80, 12, env, binary, "top", address)
		x.wait("[1 Tools]", "search")
		return x.tmux("capture-pane", "-p", "-e")
	}
	if screen := coloured(); !strings.Contains(screen, "\x1b[31m") {
		t.Errorf("an error is not red:\n%q", screen)
	}
	if screen := coloured("NO_COLOR=1"); strings.Contains(screen, "\x1b[") {
		t.Errorf("got colour:\n%q", screen)
	}
	if screen := coloured("LC_ALL=C"); strings.IndexFunc(screen, func(r rune) bool { return r > 0x7e }) >= 0 {
		t.Errorf("got characters beyond ASCII in the locale C:\n%q", screen)
	}
	x := inTerminal(t, 80, 40, []string{"TERM=dumb"}, "env", "TERM=dumb", binary, "top", "--every", "300ms", address)
	x.until(func(string) bool {
		return strings.Count(x.tmux("capture-pane", "-p", "-S", "-"), "toolscope top ·") >= 2
	}, "a second plain frame")
	if screen := x.tmux("capture-pane", "-p", "-e"); strings.Contains(screen, "\x1b[") {
		t.Errorf("a dumb terminal got sequences:\n%q", screen)
	}
	x.press("C-c")
	if code := x.ended(); code != "0" {
		t.Errorf("after Ctrl-C got exit code %s, want 0", code)
	}
}

// topFollowsALog shows a log that is being written.
func topFollowsALog(t *testing.T, binary string) {
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	write := func(text string) {
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
	line := func(tool string) string {
		return fmt.Sprintf(
			`{"time":%q,"tool":%q,"duration_us":1500,"session":"s1","arguments":{"q":"same"}}`+"\n",
			time.Now().UTC().Format(time.RFC3339Nano),
			tool,
		)
	}
	write(line("first"))
	x := inTerminal(t, 80, 16, nil, binary, "top", "--every", "300ms", "--log", name)
	x.wait("first", "the whole log", "1 call ")
	write(line("second") + line("second") + line("second") + "broken\n")
	x.wait("second", "4 calls", "! 1 of 5 lines could not be read")
	x.press("4")
	x.wait("s1", "second × 3")
	x.press("2", "Enter")
	x.wait("Arguments", `"q": "same"`)
}

// topShowsARecording shows who takes part, a call that runs with its timer, the time that a person took apart from the
// server's, and the frames with filters by field.
func topShowsARecording(t *testing.T, binary string) {
	name := filepath.Join(t.TempDir(), "recording.jsonl")
	began := time.Now().UTC().Add(-70 * time.Second).Format(time.RFC3339Nano)
	text := strings.ReplaceAll(`{"v":1,"record":"session","time":"AT","client":{"name":"editor 2"},"peer":{"name":"files 1","capabilities":["tools"]}}
{"v":1,"record":"request","time":"AT","method":"tools/list","duration_us":900,"id":"0"}
{"v":1,"record":"begin","call":"A-1","time":"AT","tool":"slow","id":"1","arguments":{"n":1}}
{"v":1,"record":"begin","call":"A-2","time":"AT","tool":"asked","id":"2","arguments":{"n":2}}
{"v":1,"record":"end","call":"A-2","time":"AT","tool":"asked","id":"2","outcome":"executed","duration_us":2000,"approval_us":7000000,"arguments":{"n":2},"result":"done"}
{"v":1,"record":"end","call":"A-3","time":"AT","tool":"failing","id":"3","outcome":"executed","duration_us":2000,"error_type":"timeout"}
`, "AT", began)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := inTerminal(t, 110, 20, nil, binary, "top", "--every", "300ms", "--log", name)
	x.wait("client editor 2, server files 1 (tools)", "6 Frames")
	x.press("2")
	x.wait("PERSON", "7.00 s", "timeout")
	x.press("/", "status:ok")
	x.until(func(s string) bool { return strings.Contains(s, "asked") && !strings.Contains(s, "failing") }, "successes only")
	x.press("Enter", "Enter")
	x.wait("waited for a person 7.00 s", "ran 2.00 ms")
	x.press("3")
	x.wait("slow", `{"n":1}`, "1:1") // a minute and some seconds
	x.press("6")
	x.wait("[6 Frames]", "→", "←", "tools/list", "timeout")
	x.press("/", "dir:out", "Enter")
	x.until(func(s string) bool { return strings.Contains(s, "slow") && !strings.Contains(s, "timeout") }, "requests only")
	x.press("Escape")
	x.wait("timeout")
	x.press("/", "id:2", "Enter")
	x.until(func(s string) bool { return strings.Contains(s, "asked") && !strings.Contains(s, "slow") }, "frames of one id")
	x.press("Enter")
	x.wait("Frames › frame tools/call asked", `"approval_us": 7000000`)
	x.press("q")
	if code := x.ended(); code != "0" {
		t.Errorf("got exit code %s, want 0", code)
	}
}
