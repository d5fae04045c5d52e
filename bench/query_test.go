// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// paths are what is asked; the windows are added where there is one.
var paths = []string{
	"/api/v1/view",
	"/api/v1/summary",
	"/api/v1/tools",
	"/api/v1/tools/tool_00000",
	"/api/v1/errors",
	"/api/v1/calls",
	"/api/v1/sessions",
	"/api/v1/snapshot",
}

// nameOf is a path in a benchmark's name, which a slash would cut.
func nameOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/api/v1/"), "/tool_00000", "-one")
	return strings.ReplaceAll(name, "view", "dashboard")
}

// ask is one request for a path, which must succeed.
func ask(b *testing.B, h http.Handler, path string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	if w.Code != http.StatusOK {
		b.Fatalf("%s: got status %d: %.200s", path, w.Code, w.Body)
	}
	return w.Body.Len()
}

// endpoints measures each path of a recorder, and how long its answer is (answer-B).
func endpoints(b *testing.B, r *stats.Recorder, scale string, paths ...string) {
	h, err := statshttp.NewHandler(r, statshttp.Options{Open: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		b.Run("of="+nameOf(path)+"/"+scale, func(b *testing.B) {
			size := 0
			bench.Measure(b, 1, func() { size = ask(b, h, path) })
			b.ReportMetric(float64(size), "answer-B")
		})
	}
}

// past is a recorder of so many tools with a call each in every interval of ten seconds of
// a span that ends now, by a clock that stands still then.
func past(b *testing.B, tools int, span time.Duration, calls int) *stats.Recorder {
	now := time.Now().Add(-span)
	o := stats.Options{Clock: func() time.Time { return now }, MaxTools: max(tools, 16)}
	r := newRecorder(b, o)
	list, _ := definitions(tools)
	for i := range int(span / (10 * time.Second)) {
		for t := range list {
			for c := range calls {
				tell(
					r,
					recorded(&list[t], nil, now, time.Duration(1+(i*7919+t*104729+c*15485863)%500)*time.Millisecond),
				)
			}
		}
		now = now.Add(10 * time.Second)
	}
	return r
}

// BenchmarkEndpointTools is each endpoint as tools grow: each had a call every ten seconds for
// five minutes.
func BenchmarkEndpointTools(b *testing.B) {
	for _, n := range ends(toolCounts) {
		r := past(b, n, 5*time.Minute, 1)
		endpoints(b, r, fmt.Sprintf("tools=%d", n), paths...)
	}
}

// BenchmarkEndpointSessions is what lists sessions, as they grow.
func BenchmarkEndpointSessions(b *testing.B) {
	for _, n := range ends(sessionCounts) {
		r := newRecorder(b, stats.Options{MaxSessions: min(2*n, 1<<20)})
		for i := range n {
			tell(
				r,
				recorded(
					&bench.Definition,
					&toolkit.Session{ID: fmt.Sprintf("session-%07d", i)},
					time.Now(),
					time.Millisecond,
				),
			)
		}
		endpoints(b, r, fmt.Sprintf("sessions=%d", n), "/api/v1/view", "/api/v1/summary", "/api/v1/sessions")
	}
}

// BenchmarkEndpointErrors is what lists error groups, as they grow.
func BenchmarkEndpointErrors(b *testing.B) {
	for _, n := range ends(groupCounts) {
		r := newRecorder(b, stats.Options{MaxErrorGroups: n})
		for i := range n {
			e := recorded(&bench.Definition, nil, time.Now(), time.Millisecond)
			e.Err, e.ErrorType = errors.New(
				"the table "+letters(i)+" is locked by another writer",
			), string(
				toolkit.ErrTool,
			)
			tell(r, e)
		}
		endpoints(b, r, fmt.Sprintf("groups=%d", n), "/api/v1/view", "/api/v1/summary", "/api/v1/errors", "/api/v1/snapshot")
	}
}

// BenchmarkEndpointWindows is each endpoint as the window grows: ten tools with a call every
// five seconds each, for 24 hours; and what an interval holds (B/interval).
func BenchmarkEndpointWindows(b *testing.B) {
	r := past(b, 10, 24*time.Hour, 2)
	for _, window := range []string{"1m", "5m", "15m", "1h", "24h", "total"} {
		var asked []string
		for _, path := range []string{
			"/api/v1/view", "/api/v1/summary", "/api/v1/tools", "/api/v1/tools/tool_00000", "/api/v1/errors",
			"/api/v1/snapshot",
		} {
			asked = append(asked, path+"?window="+window)
		}
		endpoints(b, r, "window="+window, asked...)
	}
	b.Run("kept", func(b *testing.B) {
		limits := r.Limits()
		for b.Loop() {
			limits = r.Limits()
		}
		b.ReportMetric(float64(limits.IntervalBytes)/float64(max(limits.Intervals, 1)), "B/interval")
		b.ReportMetric(float64(limits.Intervals), "intervals")
	})
}
