// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/stripes"
	"github.com/toolscope/toolscope/toolkit"
)

// tool is what is counted of one tool in the open interval. All of it is written
// with atomic operations.
type tool struct {
	name     string
	executed *histogram.Live
	aux      [histogramColumns]atomic.Pointer[histogram.Live] // the first is executed
	samples  exemplars
	policies atomic.Pointer[policyCounts]

	_ [64]byte // what is seldom written above, what each call writes below

	sums     [stripes.Count]toolSums
	inFlight atomic.Int64
	peak     atomic.Int64
	lastSeen atomic.Int64
	dirty    atomic.Bool // something was counted since the last seal

	streak, worst atomic.Uint64
}

// toolSums are what each call adds to, spread over goroutines as histograms under
// contention are. Each has cache lines of its own.
type toolSums struct {
	cost     atomic.Uint64 // bits of a float64; aligns the counters where words have 32 bits
	counters Counters      // read and written with atomic operations
	_        [(128 - (8+unsafe.Sizeof(Counters{}))%128) % 128]byte
}

// seenPause is how much later than LastSeen a call must be to change it, which
// spares processors the fight for it.
const seenPause = int64(time.Millisecond)

func (t *tool) begin() { t.raisePeak(t.inFlight.Add(1)) }

// raisePeak makes n the most calls running at once, if it is.
func (t *tool) raisePeak(n int64) {
	for peak := t.peak.Load(); n > peak && !t.peak.CompareAndSwap(peak, n); {
		peak = t.peak.Load()
	}
}

// end counts a call that ended at now.
func (t *tool) end(e *toolkit.Ended, now int64, cost float64) {
	s := &e.Disposition
	failed := e.ErrorType != ""
	sums := t.sum()
	counters := &sums.counters
	if ran(s) {
		ns := histogram.Clamp(s.Run)
		t.executed.Record(ns)
		if failed {
			t.auxiliary(columnFailed).Record(ns)
		} else if e.ResultBytes == 0 && !e.Result.Suspended {
			atomic.AddUint64(&counters.Empty, 1)
		}
		if s.Attempts > 1 {
			atomic.AddUint64(&counters.Retries, uint64(s.Attempts-1))
		}
		if e.Info.Span.Sampled {
			t.samples.note(ns, now, e.Info.Span)
		}
	} else {
		t.auxiliary(outcomeColumns[s.Outcome]).Record(histogram.Clamp(e.Duration()))
	}
	if s.Queue|s.Approval|s.Backoff != 0 {
		t.wait(columnQueue, s.Queue)
		t.wait(columnApproval, s.Approval)
		t.wait(columnBackoff, s.Backoff)
	}
	atomic.AddUint64(&counters.BytesIn, uint64(max(0, e.ArgumentsBytes)))
	if e.ResultBytes > 0 {
		atomic.AddUint64(&counters.BytesOut, uint64(e.ResultBytes))
	}
	if cost > 0 {
		addFloat(&sums.cost, cost)
	}
	if e.Result.Suspended {
		atomic.AddUint64(&counters.Suspended, 1)
	}
	if s.Repeat > 0 {
		atomic.AddUint64(&counters.Looped, 1)
	}
	if failed {
		n := t.streak.Add(1)
		raise(&t.worst, n)
	} else if t.streak.Load() != 0 {
		t.streak.Store(0)
	}
	t.inFlight.Add(-1)
	t.seen(now)
}

// sum is the sums that this goroutine adds to.
func (t *tool) sum() *toolSums { return &t.sums[stripes.Own()] }

func (t *tool) wait(kind int, d time.Duration) {
	if d > 0 {
		t.auxiliary(kind).Record(histogram.Clamp(d))
	}
}

// seen comes after what was counted, so that a seal which finds the tool clean
// cannot have missed it for good.
func (t *tool) seen(now int64) {
	if now-t.lastSeen.Load() >= seenPause {
		t.lastSeen.Store(now)
	}
	if !t.dirty.Load() {
		t.dirty.Store(true)
	}
}

func (t *tool) auxiliary(kind int) *histogram.Live {
	if l := t.aux[kind].Load(); l != nil {
		return l
	}
	l := histogram.NewLive(auxDigits, nil)
	if t.aux[kind].CompareAndSwap(nil, l) {
		return l
	}
	return t.aux[kind].Load()
}

// ran reports whether a call counts as executed: also one whose outcome is none that
// is known here.
func ran(s *toolkit.Disposition) bool {
	return s.Outcome == toolkit.OutcomeExecuted || int(s.Outcome) >= toolkit.OutcomeCount
}

// addFloat adds to the float64 whose bits v holds.
func addFloat(v *atomic.Uint64, x float64) {
	for old := v.Load(); !v.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+x)); {
		old = v.Load()
	}
}

// raise sets v to n if n is larger.
func raise(v *atomic.Uint64, n uint64) {
	for old := v.Load(); n > old && !v.CompareAndSwap(old, n); {
		old = v.Load()
	}
}

// takeCounts is what was counted since the last seal. With reset it is taken out, else
// copied. The second result is false if nothing was counted.
func (t *tool) takeCounts(reset bool) (ToolSnapshot, bool) {
	s := ToolSnapshot{
		Tool: t.name, InFlight: t.inFlight.Load(), Peak: t.peak.Load(),
		Streak: t.streak.Load(), WorstStreak: t.worst.Load(),
	}
	if reset {
		if !t.dirty.Swap(false) {
			return s, false
		}
		t.peak.Store(s.InFlight)
		t.worst.Store(s.Streak)
	} else if !t.dirty.Load() {
		return s, false
	}
	read := atomic.LoadUint64
	if reset {
		read = func(n *uint64) uint64 { return atomic.SwapUint64(n, 0) }
	}
	histograms, counters := s.Histograms.columns(), s.Counters.columns()
	for i := range t.aux {
		histograms[i] = (*Histogram)(t.aux[i].Load().Read(reset))
	}
	s.Executed = (*Histogram)(t.executed.Read(reset))
	for i := range t.sums {
		sums := &t.sums[i]
		for column := range counters {
			counters[column] += read(&sums.counters.columns()[column])
		}
		cost := sums.cost.Load()
		if reset {
			cost = sums.cost.Swap(0)
		}
		s.Cost += math.Float64frombits(cost)
	}
	s.LastSeen = time.Unix(0, t.lastSeen.Load()).UTC()
	s.Exemplars = t.samples.takeSamples(reset)
	return s, true
}

func (t *tool) size() int {
	n := toolSize + len(t.name) + t.executed.Size() + t.samples.size()
	if t.policies.Load() != nil {
		n += policyCountsSize
	}
	for i := range t.aux {
		n += t.aux[i].Load().Size()
	}
	return n
}

// toolSize is the size of a tool without what it points to.
const toolSize = int(unsafe.Sizeof(tool{}))
