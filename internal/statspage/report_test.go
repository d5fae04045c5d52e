// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

func TestReport(t *testing.T) {
	l := calllog.New(nil)
	l.KeepTimeline()
	end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var slow calllog.Call
	for i := range 200 {
		c := calllog.Call{Tool: "search<b>", Session: "s\x1b[31m", Duration: time.Duration(i+1) * time.Millisecond,
			End: end.Add(time.Duration(i) * time.Second), Arguments: []byte(`{"q":["</script>"]}`), Result: []byte(`"line\nnext\u202e"`)}
		if i%10 == 0 {
			c.ErrorType, c.Error = "timeout", "late "+fmt.Sprint(i)
		}
		l.AddCall(&c)
		slow = c
	}
	l.AddCall(&calllog.Call{Tool: "strange", Outcome: toolkit.Outcome(200), Duration: time.Second})
	var b strings.Builder
	if err := WriteReport(&b, l, Report{Title: "A & B", Notes: []string{"a note"}, Slowest: []calllog.Call{slow}}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"A &amp; B", "a note", "search&lt;b&gt;", `"tool":"search\u003cb>"`, `"heat":[`,
		"2026-11-21T12:00:00Z", "\\u003c/script>", `line\nnext`, `\u202e`, "late", "201"} {
		if !strings.Contains(page, want) {
			t.Errorf("got no %q", want)
		}
	}
	if scripts := strings.Count(page, "<script"); scripts != 2 || strings.Count(page, "</script") != scripts {
		t.Errorf("got %d scripts, want the data and the page's", scripts)
	}
	for _, never := range []string{"\x1b", "\u202e", "<b>\"", `"failed":[`, " style=", " src=", "{script}"} {
		if strings.Contains(page, never) {
			t.Errorf("got %q", never)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	var b strings.Builder
	if err := WriteReport(&b, calllog.New(nil), Report{}); err != nil || !strings.Contains(b.String(), "No calls.") ||
		!strings.Contains(b.String(), "<title>Tool calls</title>") {
		t.Errorf("got %v, %s", err, b.String())
	}
	broken := errors.New("disk full")
	if err := WriteReport(writerOf(func([]byte) (int, error) { return 0, broken }), calllog.New(nil),
		Report{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want what the writer said", err)
	}
}

type writerOf func([]byte) (int, error)

func (w writerOf) Write(p []byte) (int, error) { return w(p) }

var _ io.Writer = writerOf(nil)

// Adding a call that was read is adding its line.

func ExampleWriteReport() {
	log := calllog.New(nil)
	log.KeepTimeline()
	for _, line := range []string{
		`{"tool":"search","duration_us":1200}`, `{"tool":"search","duration_us":900,"error":"upstream answered 502"}`,
	} {
		if err := log.AddLine([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	var page strings.Builder
	err := WriteReport(&page, log, Report{Title: "Yesterday"})
	fmt.Println(strings.Contains(page.String(), "<title>Yesterday</title>"), err)
	// Output: true <nil>
}
