// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRead(t *testing.T) {
	trace, span := strings.Repeat("ab", 16), strings.Repeat("cd", 8)
	for _, c := range []struct {
		name, line string
		want       Call
		wrong      string
	}{
		{"the least", `{"tool":"a","duration_us":1.5}`, Call{Tool: "a", Duration: 1500}, ""},
		{"everything", `{"tool":"a","duration_us":2,"outcome":"cache_hit","error_type":"timeout","error":"late",` +
			`"session":"s","time":"2026-11-21T12:00:00Z",` +
			`"id":"c1","agent":"p","turn":3,"intent":"to \"see\"","arguments":{"x": [1]},"result":"text\n","trace_id":"` +
			strings.ToUpper(trace) + `","span_id":"` + span + `","parent_span_id":"` + span + `","else":{"a":1}}`,
			Call{Tool: "a", Duration: 2000, Outcome: toolkit.OutcomeCacheHit, ErrorType: "timeout", Error: "late",
				Session: "s", End: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
				ID: "c1", Agent: "p", Intent: `to "see"`, Turn: 3, Arguments: []byte(`{"x": [1]}`), Result: []byte(`"text\n"`),
				TraceID: trace, SpanID: span, ParentID: span}, ""},
		{"nothing but null", `{"tool":"a","duration_us":1,"arguments":null,"result":null,"trace_id":null,"turn":null}`,
			Call{Tool: "a", Duration: 1000}, ""},
		{"an error without a type", `{"tool":"a","duration_us":1,"error":"x"}`,
			Call{Tool: "a", Duration: 1000, ErrorType: "tool_error", Error: "x"}, ""},
		{"no tool", `{"duration_us":1}`, Call{}, "tool: got none"},
		{"an id that is none", `{"tool":"a","duration_us":1,"trace_id":"xyz"}`, Call{},
			"trace_id: got something else than 32 hexadecimal digits"},
		{"an id of zeros", `{"tool":"a","duration_us":1,"trace_id":"` + trace + `","span_id":"0000000000000000"}`, Call{}, "span_id"},
		{"half an id", `{"tool":"a","duration_us":1,"span_id":"` + span + `"}`, Call{}, "without a trace_id"},
		{"a turn that is none", `{"tool":"a","duration_us":1,"turn":-1}`, Call{}, "turn"},
		{"half a value", `{"tool":"a","duration_us":1,"arguments":{"x":`, Call{}, "not JSON"},
		{"an agent that is a number", `{"tool":"a","duration_us":1,"agent":1}`, Call{}, "agent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read([]byte(c.line))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("got error %v, want %q", err, c.wrong)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestResultText(t *testing.T) {
	for result, want := range map[string]string{`"a\nb"`: "a\nb", `{"a":1}`: `{"a":1}`, ``: "", `12`: "12"} {
		c := Call{Result: []byte(result)}
		if got := c.ResultText(); got != want {
			t.Errorf("%s: got %q, want %q", result, got, want)
		}
	}
}

// A timeline has all calls, however long the log is and in whichever order, in a
// bounded number of columns.
func TestTimelineOfALog(t *testing.T) {
	for name, seconds := range map[string][]int64{
		"one":             {1_000_000},
		"in order":        {100, 101, 102, 160},
		"backwards":       {5000, 4000, 3000, 10},
		"far apart":       {0, 9_000_000_000},
		"from the middle": {500, 1, 99_999, 250, 70_000, 3},
	} {
		t.Run(name, func(t *testing.T) {
			l := New(nil)
			l.KeepTimeline()
			for i, s := range seconds {
				kind := ""
				if i%2 == 1 {
					kind = "timeout"
				}
				if err := l.AddLine(fmt.Appendf(nil, `{"tool":"t%d","duration_us":1000,"time":%d.5,"error_type":%q}`, i%2, s,
					kind)); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.AddLine([]byte(`{"tool":"untimed","duration_us":1}`)); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			calls, errors := l.Trend("")
			for i, n := range calls {
				total += n - errors[i]
			}
			if len(calls) > maxColumns || total != float64((len(seconds)+1)/2) {
				t.Errorf("got %d columns of %v calls without error, want at most %d of %d", len(calls), total, maxColumns, (len(seconds)+1)/2)
			}
			ran := uint64(0)
			for i, c := range l.Columns(time.UTC) {
				ran += c.Executed.Count()
				if got := c.To.Sub(c.From); got != time.Duration(l.timeline.width) {
					t.Errorf("column %d is %v wide", i, got)
				}
			}
			if ran != uint64(len(seconds)) {
				t.Errorf("got %d calls in columns, want %d", ran, len(seconds))
			}
			first, last := calls[0], calls[len(calls)-1]
			if first == 0 || last == 0 {
				t.Errorf("got empty columns at an end: %v", calls)
			}
			for _, l := range []struct {
				*Log
				tool string
			}{{l, "untimed"}, {l, "unknown"}, {New(nil), ""}} {
				if calls, errors := l.Trend(l.tool); calls != nil || errors != nil {
					t.Errorf("%q: got a trend, want none", l.tool)
				}
			}
		})
	}
}

// One call of each outcome is counted in one place each.
func TestEachOutcomeIsCountedAsItself(t *testing.T) {
	for _, o := range toolkit.Outcomes() {
		l := New(nil)
		if err := l.AddLine(fmt.Appendf(nil, `{"tool":"a","outcome":%q,"duration_us":5,"session":"s"}`, o.String())); err != nil {
			t.Errorf("%s: %v", o, err)
		}
		x, s := l.Snapshot().Tool("a"), l.Sessions()[0]
		for _, other := range toolkit.Outcomes() {
			if got := x.Outcome(other).Count(); (got == 1) != (other == o) || got > 1 {
				t.Errorf("%s: got %d calls with the outcome %s", o, got, other)
			}
		}
		if x.Calls() != 1 || x.Failed.Count() != 0 {
			t.Errorf("%s: got %d calls, %d failed, want one that did not", o, x.Calls(), x.Failed.Count())
		}
		got := s.Refused
		if o == toolkit.OutcomeExecuted {
			got = s.Executed
		} else if o.Answered() {
			got = s.Answered
		}
		if s.Calls != 1 || got != 1 || s.Executed+s.Answered+s.Refused != 1 {
			t.Errorf("%s: got %+v, want one call that was executed, answered or refused", o, s)
		}
		err := l.AddLine([]byte(`{"tool":"a","outcome":"lost","duration_us":5}`))
		if err == nil || !strings.Contains(err.Error(), o.String()) {
			t.Errorf("got %v, want an error that lists %s", err, o)
		}
	}
}

func ExampleRead() {
	c, err := Read([]byte(`{"tool":"search","duration_us":1200,"arguments":{"q":"ducks"},"result":"3 found"}`))
	fmt.Println(c.Tool, c.Duration, string(c.Arguments), c.ResultText(), err)
	_, err = Read([]byte(`{"tool":"search"}`))
	fmt.Println(err)
	// Output:
	// search 1.2ms {"q":"ducks"} 3 found <nil>
	// duration_us: got none, want the running time of an executed call in microseconds
}

func TestAddCallIsAddLine(t *testing.T) {
	lines, calls := New(nil), New(nil)
	for i := range 50 {
		line := fmt.Appendf(nil, `{"tool":"t%d","duration_us":%d,"session":"s","outcome":%q,"error":%q,"time":%d}`, i%3,
			i*10, []string{"executed", "cache_hit", "refused"}[i%3], []string{"", "late 5"}[i%2], 1700000000+i)
		if err := lines.AddLine(line); err != nil {
			t.Fatal(err)
		}
		c, err := Read(line)
		if err != nil {
			t.Fatal(err)
		}
		calls.AddCall(&c)
	}
	summaryOf := func(l *Log) string {
		text, err := json.Marshal(stats.Summarise(l.Snapshot(), nil))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := summaryOf(calls), summaryOf(lines); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a, b := fmt.Sprint(lines.Sessions()), fmt.Sprint(calls.Sessions()); a != b {
		t.Errorf("got sessions %s, want %s", b, a)
	}
}
