// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Summary is a window in the units people read, compared with the window of the
// same length before it where there is one. It is empty for an invalid window.
func (r *Recorder) Summary(w Window) *Summary {
	s := r.Snapshot(w)
	var before *Snapshot
	if previous, ok := w.before(r.config.now()); ok && w.Validate() == nil {
		previous.Until = minTimeOf(previous.Until, s.From)
		if previous.Validate() == nil {
			before = r.Snapshot(previous)
		}
	}
	sum := Summarise(s, before)
	sum.Window = w.String()
	return sum
}

func minTimeOf(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Summarise puts a snapshot into the units people read, compared with the one of
// the span before, which may be nil. Window is the length of the span.
func Summarise(s, before *Snapshot) *Summary {
	span := spanOf(s.From, s.To)
	out := &Summary{
		Window: span.Round(time.Second).String(), From: s.From, To: s.To, Seconds: span.Seconds(), Processes: s.Processes,
		Errors: s.Errors, OtherErrors: s.OtherErrors, MaxUnlisted: s.MaxUnlisted,
	}
	overall := s.overall()
	out.Overall = overall.summarise(span, ms(overall.Executed.Sum()))
	out.Tools = make([]ToolStats, len(s.Tools))
	for i := range s.Tools {
		out.Tools[i] = s.Tools[i].summarise(span, out.Overall.TotalMs)
	}
	if before != nil && len(before.Tools) > 0 && span >= leastRated {
		span := spanOf(before.From, before.To)
		all := before.overall()
		out.Overall.Previous = all.previous(span)
		for i := range out.Tools {
			if t := before.Tool(out.Tools[i].Tool); t != nil {
				out.Tools[i].Previous = t.previous(span)
			}
		}
	}
	slices.SortStableFunc(out.Tools, func(a, b ToolStats) int { return cmp.Compare(b.TotalMs, a.TotalMs) })
	return out
}

// overall is all tools as if they were one, without a name.
func (s *Snapshot) overall() ToolSnapshot {
	parts := make([]*ToolSnapshot, len(s.Tools))
	for i := range s.Tools {
		parts[i] = &s.Tools[i]
	}
	if len(parts) == 0 {
		return ToolSnapshot{}
	}
	all := mergeTool(parts, true)
	all.Tool = ""
	return all
}

// summarise computes a tool's figures; allMs is the time spent in all tools.
func (t *ToolSnapshot) summarise(span time.Duration, allMs float64) ToolStats {
	calls := t.Calls()
	s := ToolStats{
		Tool: t.Tool, Calls: calls, CallsPerSecond: rate(calls, span),
		Executed: t.Executed.Count(), Failed: t.Failed.Count(), Errors: t.Errors(), Latency: t.Executed.latency(),
		TotalMs:   ms(t.Executed.Sum()),
		CacheHits: t.CacheHit.Count(), Coalesced: t.Coalesced.Count(), Repeated: t.Repeated.Count(), Refused: t.Refused.Count(),
		Queue: t.Queue.wait(), Approval: t.Approval.wait(), Backoff: t.Backoff.wait(),
		Counters: t.Counters, Cost: t.Cost, Policies: frequentFirst(t.Policies),
		InFlight: t.InFlight, Peak: t.Peak, Streak: t.Streak, WorstStreak: t.WorstStreak,
		ErrorTypes: t.ErrorTypes, LastSeen: t.LastSeen,
		Slowest: t.Exemplars[:min(len(t.Exemplars), maxSlowest)], NearP99: nearest(t.Exemplars, t.Executed.Quantile(0.99)),
	}
	s.ErrorRate = ratio(s.Errors, calls)
	s.HitRatio = ratio(s.answered(), calls-s.Refused)
	if allMs > 0 {
		s.TimeShare = s.TotalMs / allMs
	}
	if t.Failed.Count() > 0 {
		l := t.Failed.latency()
		s.FailedLatency = &l
	}
	return s
}

// ByOutcome is how many calls had each outcome.
func (s *ToolStats) ByOutcome() [toolkit.OutcomeCount]uint64 {
	// Without a length in the literal, it does not compile if an outcome is missing.
	list := [...]uint64{s.Executed, s.CacheHits, s.Coalesced, s.Repeated, s.Refused}
	return list
}

// answered is how many calls were answered without a run of their own.
func (s *ToolStats) answered() (n uint64) {
	for o, calls := range s.ByOutcome() {
		if toolkit.Outcome(o).Answered() {
			n += calls
		}
	}
	return n
}

func (t *ToolSnapshot) previous(span time.Duration) *Previous {
	calls := t.Calls()
	return &Previous{
		Calls: calls, CallsPerSecond: rate(calls, span), ErrorRate: ratio(t.Errors(), calls),
		P50Ms: ms(t.Executed.Quantile(0.5)), P95Ms: ms(t.Executed.Quantile(0.95)), P99Ms: ms(t.Executed.Quantile(0.99)),
	}
}

// latency is the shape of the histogram.
func (h *Histogram) latency() Latency {
	return Latency{
		MeanMs: ms(h.Mean()), MinMs: ms(h.Min()),
		P50Ms: ms(h.Quantile(0.5)), P90Ms: ms(h.Quantile(0.9)), P95Ms: ms(h.Quantile(0.95)),
		P99Ms: ms(h.Quantile(0.99)), P999Ms: ms(h.Quantile(0.999)), MaxMs: ms(h.Max()),
	}
}

func (h *Histogram) wait() *Wait {
	if h.Count() == 0 {
		return nil
	}
	return &Wait{Count: h.Count(), Latency: h.latency()}
}

// leastRated is the shortest span that calls have a rate in. What happened within less
// than a second was not kept up for one, and a single call in a log has no span at all.
const leastRated = time.Second

// rate is calls per second, or 0 where the span is too short for one.
func rate(calls uint64, span time.Duration) float64 {
	if span < leastRated {
		return 0
	}
	return float64(calls) / span.Seconds()
}

func ratio(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
