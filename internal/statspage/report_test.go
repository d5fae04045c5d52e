// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestLogPage(t *testing.T) {
	l := NewCallLog(nil)
	l.KeepTimeline()
	end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var slow LoggedCall
	for i := range 200 {
		c := LoggedCall{Tool: "search<b>", Session: "s\x1b[31m", Duration: time.Duration(i+1) * time.Millisecond, End: end.Add(time.Duration(i) * time.Second), Arguments: []byte(`{"q":["</script>"]}`), Result: []byte(`"line\nnext\u202e"`)}
		if i%10 == 0 {
			c.ErrorType, c.Error = "timeout", "late "+fmt.Sprint(i)
		}
		l.AddCall(&c)
		slow = c
	}
	l.AddCall(&LoggedCall{Tool: "strange", Outcome: toolkit.Outcome(200), Duration: time.Second})
	var b strings.Builder
	if err := l.WritePage(&b, LogPage{Title: "A & B", Notes: []string{"a note"}, Slowest: []LoggedCall{slow}}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"A &amp; B", "a note", "search&lt;b&gt;", `class="heat"`, `class="dist"`, `class="trend"`, "2026-11-21 12:00:00", "Slowest calls", "&#34;&lt;/script&gt;&#34;", "line\nnext", `\u202e`, "late", "201"} {
		if !strings.Contains(page, want) {
			t.Errorf("got no %q", want)
		}
	}
	for _, never := range []string{"<script", "\x1b", "\u202e", "<b>\"", "Latest failures", " style="} {
		if strings.Contains(page, never) {
			t.Errorf("got %q", never)
		}
	}
}

func TestLogPageOfNothing(t *testing.T) {
	var b strings.Builder
	if err := NewCallLog(nil).WritePage(&b, LogPage{}); err != nil || !strings.Contains(b.String(), "No calls.") || !strings.Contains(b.String(), "<title>Tool calls</title>") {
		t.Errorf("got %v, %s", err, b.String())
	}
	broken := errors.New("disk full")
	if err := NewCallLog(nil).WritePage(writerOf(func([]byte) (int, error) { return 0, broken }), LogPage{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want what the writer said", err)
	}
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(p []byte) (int, error) { return w(p) }

var _ io.Writer = writerOf(nil)

// Adding a call that was read is adding its line.
func TestAddCallIsAdd(t *testing.T) {
	lines, calls := NewCallLog(nil), NewCallLog(nil)
	for i := range 50 {
		line := fmt.Appendf(nil, `{"tool":"t%d","duration_us":%d,"session":"s","outcome":%q,"error":%q,"time":%d}`, i%3, i*10, []string{"executed", "cache_hit", "refused"}[i%3], []string{"", "late 5"}[i%2], 1700000000+i)
		if err := lines.Add(line); err != nil {
			t.Fatal(err)
		}
		c, err := ReadLoggedCall(line)
		if err != nil {
			t.Fatal(err)
		}
		calls.AddCall(&c)
	}
	told := func(l *CallLog) string {
		text, err := json.Marshal(Summarise(l.Snapshot(), nil))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := told(calls), told(lines); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a, b := fmt.Sprint(lines.Sessions()), fmt.Sprint(calls.Sessions()); a != b {
		t.Errorf("got sessions %s, want %s", b, a)
	}
}
