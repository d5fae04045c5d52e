// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/stats"
)

// A single call in a log was shown as 1000 calls a second: the span was taken for a
// millisecond.
func TestRateNeedsASecond(t *testing.T) {
	for _, c := range []struct {
		apart time.Duration // of the first call and the last
		calls int
		want  string // in JSON
	}{
		{0, 1, ""},
		{0, 5, ""},
		{time.Millisecond, 2, ""},
		{time.Second - 1, 10, ""},
		{time.Second, 2, `"calls_per_second":2,`},
		{4 * time.Second, 2, `"calls_per_second":0.5,`},
	} {
		t.Run(fmt.Sprint(c.calls, " calls in ", c.apart), func(t *testing.T) {
			l := calllog.New(nil)
			end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			for i := range c.calls {
				l.AddCall(&calllog.Call{Tool: "t", Duration: time.Millisecond,
					End: end.Add(c.apart * time.Duration(i) / time.Duration(max(1, c.calls-1)))})
			}
			s := stats.Summarise(l.Snapshot(), l.Snapshot())
			if s.Seconds != c.apart.Seconds() {
				t.Errorf("got %v seconds, want %v", s.Seconds, c.apart.Seconds())
			}
			if compared := s.Overall.Previous != nil; compared != (c.want != "") {
				t.Errorf("compared with the span before: got %v", compared)
			}
			text, err := json.Marshal(s.Tools[0])
			if err != nil {
				t.Fatal(err)
			}
			if got := string(text); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "calls_per_second") {
				t.Errorf("got %s, want %q", got, c.want)
			}
		})
	}
}
