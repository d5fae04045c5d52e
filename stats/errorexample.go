// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"slices"

	"github.com/toolscope/toolscope/toolkit"
)

// newExample makes the place of an error group's example call.
func newExample() any { return new(recentPlace) }

// keepExample makes a call the example of its error group, so that the group has a whole call to look
// at however many calls end after it. A sampled call is only replaced by another one, because its trace
// can be found. If two calls of a group end at the same time, one of them is kept.
func (r *Recorder) keepExample(
	id uint64, e *toolkit.Ended, now int64, t *tool, s *session, f failure, tags callTags,
) {
	if len(r.recent.places) == 0 { // Options.MaxRecent says to keep no call
		return
	}
	p, ok := r.errors.Slot(f.group, newExample).(*recentPlace)
	if !ok || !p.busy.CompareAndSwap(false, true) {
		return
	}
	defer p.busy.Store(false)
	if p.call.id == 0 || e.Info.Span.Sampled || !p.call.span.Sampled {
		p.call.set(id, e, now, t, s, f, tags)
	}
}

// errorExamples returns the places of the error groups' example calls.
func (r *Recorder) errorExamples() (places []*recentPlace) {
	for _, slot := range r.errors.Slots() {
		if p, ok := slot.(*recentPlace); ok {
			places = append(places, p)
		}
	}
	return places
}

// KeepExamplesIn makes a source that drops traces keep those of the example calls that error groups have: see
// [TraceSource]. statshttp.NewHandler and toolscope.New call it; further calls change nothing.
func (r *Recorder) KeepExamplesIn(source TraceSource) {
	if keeper, ok := source.(interface {
		KeepExamplesOf(interface{ ExampleSpans() []toolkit.SpanRef })
	}); ok {
		keeper.KeepExamplesOf(examples{r})
	}
}

type examples struct{ *Recorder }

// ExampleSpans returns the spans of the error groups' example calls.
func (r examples) ExampleSpans() (spans []toolkit.SpanRef) {
	for _, p := range r.errorExamples() {
		if c := p.read(); c.id > 0 && c.span.Sampled && c.span.IsValid() {
			spans = append(spans, c.span)
		}
	}
	return spans
}

// keptCalls returns copies of the recent calls and of the error groups' examples, the latest first.
func (r *Recorder) keptCalls() []recentCall {
	calls := r.recent.all()
	for _, p := range r.errorExamples() {
		if c := p.read(); c.id > 0 {
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, func(a, b recentCall) int { return cmp.Compare(b.id, a.id) })
	return slices.CompactFunc(calls, func(a, b recentCall) bool { return a.id == b.id })
}
