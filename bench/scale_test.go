// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// The numbers that costs are followed over; with -short only the ends.
var (
	toolCounts    = []int{10, 100, 1000, 10_000}
	sessionCounts = []int{1000, 10_000, 100_000, 1_000_000}
	groupCounts   = []int{16, 256, 4096, 65_536}
)

func ends(list []int) []int {
	if testing.Short() {
		return []int{list[0], list[len(list)-1]}
	}
	return list
}

// definitions are n tools that differ in their names.
func definitions(n int) ([]toolkit.Definition, toolkit.Lookup) {
	list, byName := make([]toolkit.Definition, n), make(map[string]*toolkit.Definition, n)
	for i := range list {
		list[i] = bench.Definition
		list[i].Name = fmt.Sprintf("tool_%05d", i)
		byName[list[i].Name] = &list[i]
	}
	return list, func(name string) *toolkit.Definition { return byName[name] }
}

// heap is what is alive.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held goes with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkTools is a sampled call, each to another of so many tools, in turn, and what
// the scope holds for each tool that was called (B/tool).
func BenchmarkTools(b *testing.B) {
	for _, n := range ends(toolCounts) {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			list, lookup := definitions(n)
			tracers := bench.Tracers(bench.NoProcessor)
			before := heap()
			scope, err := toolscope.New(toolscope.Options{
				TracerProvider: tracers,
				MeterProvider:  bench.Meters(),
				Stats:          stats.Options{MaxTools: n},
				Tracing:        tracing.Options{MaxTools: n},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer scope.Shutdown(context.Background())
			handler, next := scope.Wrap(bench.Tool, lookup), 0
			one := func() {
				call := bench.Call
				call.Name = list[next].Name
				if next++; next == n {
					next = 0
				}
				_, _ = handler(bench.Context, call)
			}
			for range n {
				one()
			}
			held := heap() - before
			bench.Measure(b, 1, one)
			b.ReportMetric(float64(held)/float64(n), "B/tool")
			if got := len(scope.Stats().Summary(stats.Window{}).Tools); got != n {
				b.Errorf("got %d tools in the statistics, want %d", got, n)
			}
		})
	}
}

// recorded is one call as the statistics receive it.
func recorded(tool *toolkit.Definition, session *toolkit.Session, at time.Time, took time.Duration) *toolkit.Ended {
	e := &toolkit.Ended{Call: bench.Call, ArgumentsBytes: 300, ResultBytes: 500, Start: at.Add(-took), End: at}
	e.Info.Tool, e.Info.Session, e.Info.Start, e.Disposition.Run = tool, session, e.Start, took
	return e
}

func tell(r *stats.Recorder, e *toolkit.Ended) {
	ctx := context.Background()
	r.Begin(ctx, e.Call, &e.Info)
	r.End(ctx, e)
}

func newRecorder(b *testing.B, o stats.Options) *stats.Recorder {
	r, err := stats.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// BenchmarkSessions is what statistics do for a call, each in another of so many sessions, in
// turn, and what they hold for each session (B/session).
func BenchmarkSessions(b *testing.B) {
	for _, n := range ends(sessionCounts) {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) {
			sessions := make([]toolkit.Session, n)
			for i := range sessions {
				sessions[i] = toolkit.Session{ID: fmt.Sprintf("session-%07d", i), Agent: "planner"}
			}
			before := heap()
			r := newRecorder(b, stats.Options{MaxSessions: min(2*n, 1<<20)})
			next := 0
			one := func() {
				tell(r, recorded(&bench.Definition, &sessions[next], time.Now(), 20*time.Millisecond))
				if next++; next == n {
					next = 0
				}
			}
			for range n {
				one()
			}
			held, kept := heap()-before, r.Limits().Sessions
			bench.Measure(b, 1, one)
			b.ReportMetric(float64(held)/float64(max(kept, 1)), "B/session")
			runtime.KeepAlive(sessions)
		})
	}
}

// BenchmarkErrorGroups is what statistics do for a call that failed: with as many different
// messages as groups are kept, and with twice as many, so that each takes another's place.
func BenchmarkErrorGroups(b *testing.B) {
	for _, n := range ends(groupCounts) {
		for i, messages := range []string{"known", "new"} {
			b.Run(fmt.Sprintf("groups=%d/messages=%s", n, messages), func(b *testing.B) {
				failures := make([]error, n*(i+1))
				for i := range failures {
					failures[i] = errors.New("the table " + letters(i) + " is locked by another writer")
				}
				before := heap()
				r := newRecorder(b, stats.Options{MaxErrorGroups: n})
				next := 0
				one := func() {
					e := recorded(&bench.Definition, nil, time.Now(), 20*time.Millisecond)
					e.Err, e.ErrorType = failures[next], string(toolkit.ErrTool)
					tell(r, e)
					if next++; next == len(failures) {
						next = 0
					}
				}
				for range failures {
					one()
				}
				held := heap() - before
				bench.Measure(b, 1, one)
				b.ReportMetric(float64(held)/float64(n), "B/group")
				runtime.KeepAlive(failures)
			})
		}
	}
}

// letters is a number as a word, since messages that differ in numbers only are one group.
func letters(n int) string {
	word := ""
	for range 5 {
		word, n = word+string(rune('a'+n%26)), n/26
	}
	return word
}
