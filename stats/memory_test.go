// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"reflect"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// The figures that docs/performance-parts.md states.
func TestMemoryOfATool(t *testing.T) {
	for _, c := range []struct{ digits, limit int }{{3, 48_000}, {2, 6_000}} {
		for _, start := range []float64{10e3, 123e3, 1e6, 10e6, 333e6} {
			l := histogram.NewLive(c.digits, nil)
			for x := 1.0; x <= 1000; x *= 1.0001 {
				l.Record(int64(start * x))
			}
			if got := l.Size(); got > c.limit {
				t.Errorf("%d digits, three decades from %v: got %d bytes, want at most %d", c.digits, time.Duration(start), got, c.limit)
			}
		}
	}
}

// A tool whose calls come to every end, each of a duration from three decades, with
// waits, exemplars and facts.
func TestMemoryOfAToolWithEveryOutcome(t *testing.T) {
	for _, c := range []struct{ digits, limit int }{{3, 100_000}, {2, 60_000}} {
		r := newRecorder(t, Options{Digits: c.digits})
		def := &toolkit.Definition{Name: "t"}
		for x := 1.0; x <= 1000; x *= 1.001 {
			run := time.Duration(1e6 * x)
			waiting := func(e *toolkit.Ended) {
				e.Disposition.Queue, e.Disposition.Approval, e.Disposition.Backoff = run, run, run
			}
			record(r, call(def, run, sampled(1), waiting, told("cache", "miss")), call(def, run, failing("timeout", "late")))
			for _, o := range toolkit.Outcomes()[1:] {
				e := call(def, run, with(o))
				e.Start = e.End.Add(-run)
				record(r, e)
			}
		}
		of := r.tools.forDefinition(def)
		for i := range of.aux[1:] {
			if of.aux[i+1].Load() == nil {
				t.Errorf("no call here is recorded in stats.Histograms.%s", reflect.TypeFor[Histograms]().Field(i+1).Name)
			}
		}
		got := of.size()
		t.Logf("%d digits: %d bytes, %d of them for executed calls", c.digits, got, of.executed.Size())
		if got > c.limit {
			t.Errorf("%d digits: got %d bytes, want at most %d", c.digits, got, c.limit)
		}
	}
}
