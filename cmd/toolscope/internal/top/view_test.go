// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
)

// check holds a frame to what every frame is: no line is wider than the screen, there
// are not more of them, and nothing in it acts on the terminal but our colours.
func check(t testing.TB, frame []string, w, h int) {
	t.Helper()
	if len(frame) > h {
		t.Errorf("got %d lines, want at most %d", len(frame), h)
	}
	for i, line := range frame {
		if n := screen.Width(line); n > w {
			t.Errorf("line %d takes %d cells, want at most %d: %q", i, n, w, line)
		}
		for _, r := range ansi.Strip(line) {
			if !unicode.IsGraphic(r) && string(r) != "\u200e" {
				t.Errorf("line %d: got %U in %q", i, r, line)
			}
		}
		for _, part := range strings.Split(line, "\x1b")[1:] {
			sequence, _, found := strings.Cut(part, "m")
			if !found || strings.Trim(sequence, "[0123456789;") != "" {
				t.Errorf("line %d: got the sequence %q", i, part)
			}
		}
	}
}

// Every size of screen, every list, with colour and without, shows a frame that fits.
func TestFramesFitEveryScreen(t *testing.T) {
	for _, plain := range []bool{true, false} {
		for _, w := range []int{1, 20, 24, 40, 57, 80, 132} {
			for _, h := range []int{1, 3, 4, 7, 9, 24} {
				for _, keys := range [][]string{
					{"1"}, {"1", "enter"}, {"2", "end"}, {"2", "end", "enter"}, {"3", "end", "enter"},
					{"4", "end", "enter"}, {"5", "enter"}, {"6", "end", "enter"}, {"?"}, {"/", "x"},
				} {
					m := shown(t, hostile(), w, h)
					m.options.Plain = plain
					m.now = noon.Add(100 * time.Hour)
					for _, k := range keys {
						m.press(k, k)
					}
					check(t, m.Frame(), w, h)
					m.answered(0, nil, errors.New(strings.Repeat("gone \x1b[0m ", 50)))
					check(t, m.Frame(), w, h)
					if t.Failed() {
						t.Fatalf("at %d by %d, after %q", w, h, keys)
					}
				}
			}
		}
	}
}

// Any keys in any order leave a model that shows something.
func FuzzKeys(f *testing.F) {
	f.Add("jjl/ab\nqs?", uint8(80), uint8(24))
	f.Add("2Gl\x1b3l4l5lwWpp", uint8(20), uint8(3))
	names := []string{
		"up",
		"down",
		"enter",
		"esc",
		"pgup",
		"pgdown",
		"home",
		"end",
		"tab",
		"shift+tab",
		"backspace",
		"ctrl+l",
		"space",
	}
	f.Fuzz(func(t *testing.T, keys string, w, h uint8) {
		m := shown(t, hostile(), int(w), int(h))
		for i, r := range keys {
			key := string(r)
			if r < ' ' {
				key = names[int(r)%len(names)]
			}
			if m.press(key, key) == askNow {
				m.answered(0, ordinary(), nil)
			}
			if i%7 == 3 {
				m.answered(0, ordinary(), nil)
			}
			m.wanted()
			check(t, m.Frame(), int(w), max(1, int(h)))
		}
	})
}

func TestSelectionFollowsItsRow(t *testing.T) {
	m := shown(t, ordinary(), 80, 24)
	m.press("down", "")
	selected := func() string {
		for _, line := range m.Frame() {
			if strings.HasPrefix(line, marker) {
				return strings.Fields(line)[1]
			}
		}
		return ""
	}
	second := selected()
	next := ordinary()
	for i := range next.Summary.Tools {
		if next.Summary.Tools[i].Tool == second {
			next.Summary.Tools[i].TotalMs *= 1000 // the first one now
		}
	}
	m.answered(0, next, nil)
	if got := selected(); got != second {
		t.Errorf("got %q selected, want %q as before", got, second)
	}
	next = ordinary()
	next.Summary.Tools = next.Summary.Tools[:1]
	m.answered(0, next, nil)
	if got := selected(); got != "search" {
		t.Errorf("when the row is gone: got %q selected, want what is left", got)
	}
}

func TestSortingAndFiltering(t *testing.T) {
	m := shown(t, ordinary(), 80, 24)
	names := func() string {
		var list []string
		for _, r := range m.table(m.place()).Rows {
			list = append(list, r.Key)
		}
		return strings.Join(list, " ")
	}
	for _, want := range []string{
		"search shell_run read_file", "read_file search shell_run", "search shell_run read_file",
		"search shell_run read_file", "search shell_run read_file", "search shell_run read_file",
		"read_file search shell_run",
	} {
		if got := names(); got != want {
			t.Errorf("by %s: got %s, want %s", m.place().orderName(), got, want)
		}
		m.press("s", "")
	}
	m.press("r", "")
	if got := names(); got != "read_file shell_run search" {
		t.Errorf("reversed: got %s", got)
	}
	for text, want := range map[string]string{
		"SEA": "search", "e -sea": "shell_run read_file", "nothing": "", "_ run": "shell_run", "-": "",
	} {
		m = shown(t, ordinary(), 80, 24)
		m.press("/", "/")
		for _, r := range text {
			m.press(string(r), string(r))
		}
		m.press("enter", "")
		if got := names(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestFilterIsUndoneAndRemoved(t *testing.T) {
	m := shown(t, ordinary(), 80, 24)
	for _, k := range []string{"/", "x", "enter", "/", "y", "esc"} {
		m.press(k, k)
	}
	if got := m.place().filter; got != "x" {
		t.Errorf("undone: got %q, want x", got)
	}
	m.press("esc", "")
	if got := m.place().filter; got != "" {
		t.Errorf("removed: got %q, want none", got)
	}
	m.press("/", "")
	m.typeText("pasted\x1b[31m\r\n" + strings.Repeat("y", 300))
	if got := m.place().filter; got != "" {
		t.Errorf("a text that is too long: got %q, want none of it", got)
	}
	m.typeText("pas\x1bted\n")
	if got := m.place().filter; got != "pasted" {
		t.Errorf("got %q, want pasted", got)
	}
}

func TestWindowsTurn(t *testing.T) {
	m := shown(t, ordinary(), 80, 24)
	if m.press("w", "") != askNow || m.window != "15m" {
		t.Errorf("got %s, want 15m", m.window)
	}
	for range 3 {
		m.press("W", "")
	}
	if m.window != "total" {
		t.Errorf("got %s, want total", m.window)
	}
}

func TestAnswersToOlderQuestionsAreNotShown(t *testing.T) {
	m := shown(t, ordinary(), 80, 24)
	m.asked = 5
	old := ordinary()
	old.Source = "old"
	m.answered(4, old, nil)
	if m.state.Source == "old" {
		t.Error("an older answer took the place of a newer one")
	}
	m.answered(5, nil, errors.New("gone"))
	m.answered(5, ordinary(), nil)
	if m.err != nil {
		t.Errorf("got %v, want no error after an answer", m.err)
	}
}
