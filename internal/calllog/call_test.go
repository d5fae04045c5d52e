// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestReadLoggedCall(t *testing.T) {
	trace, span := strings.Repeat("ab", 16), strings.Repeat("cd", 8)
	for _, c := range []struct {
		name, line string
		want       LoggedCall
		wrong      string
	}{
		{"the least", `{"tool":"a","duration_us":1.5}`, LoggedCall{Tool: "a", Duration: 1500}, ""},
		{"everything", `{"tool":"a","duration_us":2,"outcome":"cache_hit","error_type":"timeout","error":"late","session":"s","time":"2026-11-21T12:00:00Z",` +
			`"id":"c1","agent":"p","turn":3,"intent":"to \"see\"","arguments":{"x": [1]},"result":"text\n","trace_id":"` + strings.ToUpper(trace) + `","span_id":"` + span + `","parent_span_id":"` + span + `","else":{"a":1}}`,
			LoggedCall{Tool: "a", Duration: 2000, Outcome: toolkit.OutcomeCacheHit, ErrorType: "timeout", Error: "late", Session: "s", End: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
				ID: "c1", Agent: "p", Intent: `to "see"`, Turn: 3, Arguments: []byte(`{"x": [1]}`), Result: []byte(`"text\n"`), TraceID: trace, SpanID: span, ParentID: span}, ""},
		{"nothing but null", `{"tool":"a","duration_us":1,"arguments":null,"result":null,"trace_id":null,"turn":null}`, LoggedCall{Tool: "a", Duration: 1000}, ""},
		{"an error without a type", `{"tool":"a","duration_us":1,"error":"x"}`, LoggedCall{Tool: "a", Duration: 1000, ErrorType: "tool_error", Error: "x"}, ""},
		{"no tool", `{"duration_us":1}`, LoggedCall{}, "tool: got none"},
		{"an id that is none", `{"tool":"a","duration_us":1,"trace_id":"xyz"}`, LoggedCall{}, "trace_id: got something else than 32 hexadecimal digits"},
		{"an id of zeros", `{"tool":"a","duration_us":1,"trace_id":"` + trace + `","span_id":"0000000000000000"}`, LoggedCall{}, "span_id"},
		{"half an id", `{"tool":"a","duration_us":1,"span_id":"` + span + `"}`, LoggedCall{}, "without a trace_id"},
		{"a turn that is none", `{"tool":"a","duration_us":1,"turn":-1}`, LoggedCall{}, "turn"},
		{"half a value", `{"tool":"a","duration_us":1,"arguments":{"x":`, LoggedCall{}, "not JSON"},
		{"an agent that is a number", `{"tool":"a","duration_us":1,"agent":1}`, LoggedCall{}, "agent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadLoggedCall([]byte(c.line))
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
		c := LoggedCall{Result: []byte(result)}
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
			l := NewCallLog(nil)
			l.KeepTimeline()
			for i, s := range seconds {
				kind := ""
				if i%2 == 1 {
					kind = "timeout"
				}
				if err := l.Add(fmt.Appendf(nil, `{"tool":"t%d","duration_us":1000,"time":%d.5,"error_type":%q}`, i%2, s, kind)); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.Add([]byte(`{"tool":"untimed","duration_us":1}`)); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			calls, errors := l.timeline.trend("")
			for i, n := range calls {
				total += n - errors[i]
			}
			if len(calls) > logColumns || total != float64((len(seconds)+1)/2) {
				t.Errorf("got %d columns of %v calls without error, want at most %d of %d", len(calls), total, logColumns, (len(seconds)+1)/2)
			}
			ran := uint64(0)
			for i, c := range l.timeline.heat(time.UTC) {
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
			if l.Trend("untimed") != nil || l.Trend("nobody") != nil || NewCallLog(nil).Trend("") != nil {
				t.Error("got a trend of what has none")
			}
		})
	}
}
