// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package query

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
)

func TestWindowOfQuery(t *testing.T) {
	recently := stats.Window{Last: 5 * time.Minute}
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		query string
		want  stats.Window
	}{
		{"", recently},
		{"window=total", stats.Window{}},
		{"window=24h", stats.Window{Last: 24 * time.Hour}},
		{"since=2026-11-21T09:30:00Z", stats.Window{Since: at}},
		{"until=1795253400.5", stats.Window{Until: at.Add(500 * time.Millisecond)}},
		{"since=2026-11-21T10:30:00%2B01:00&until=2026-11-21T10:00:00Z", stats.Window{Since: at, Until: at.Add(30 * time.Minute)}},
	} {
		q, p := Parse(&url.URL{RawQuery: c.query}, WindowNames, 100, recently)
		if p != nil {
			t.Errorf("%s: %v", c.query, p)
			continue
		}
		got := q.Window
		if got.Last != c.want.Last || !got.Since.Equal(c.want.Since) || !got.Until.Equal(c.want.Until) {
			t.Errorf("%s: got %v, want %v", c.query, got, c.want)
		}
	}
}

// No query makes the parser panic, and what it lets through is within its bounds.
func FuzzQuery(f *testing.F) {
	f.Add("window=5m&limit=3")
	f.Add("since=1e9&until=2026-11-21T10:00:00Z&min_duration=1h&outcome=refused&error=any")
	f.Add("%zz&&=;limit=\x00")
	names := slices.Concat(WindowNames, CallNames, []string{"sort"})
	f.Fuzz(func(t *testing.T, raw string) {
		q, p := Parse(&url.URL{RawQuery: raw}, names, 100, stats.Window{})
		if p != nil {
			return
		}
		if err := q.Window.Validate(); err != nil {
			t.Errorf("%q: let a window through that is %v", raw, err)
		}
		if q.Limit < 1 || q.Limit > MaxListed || q.Filter.MinDuration < 0 {
			t.Errorf("%q: let through %+v", raw, q)
		}
	})
}
