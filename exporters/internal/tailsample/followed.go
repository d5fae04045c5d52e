// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"container/list"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// followed is a trace of which spans are running, or finished and held.
type followed struct {
	decision
	id         trace.TraceID
	randomness uint64
	running    int
	spans      []sdktrace.ReadOnlySpan // held
	bytes      int                     // of them
	since      time.Time               // when the first one of them was held

	place *list.Element // among all that are followed
	held  *list.Element // among those with spans held; nil if it has none
}

// A release is spans that leave the processor together, by one decision.
type release struct {
	spans     []sdktrace.ReadOnlySpan
	matters   bool
	threshold threshold
}

// spanBytes is what a span held takes besides its content, roughly.
const spanBytes = 640

// follow finds the trace of a span, or begins to follow it: as it was decided, if it was
// before. The lock is held.
func (p *Processor) follow(s sdktrace.ReadOnlySpan) *followed {
	c := s.SpanContext()
	id := c.TraceID()
	if f := p.traces[id]; f != nil {
		return f
	}
	said := samplingOf(id, c.TraceState())
	f := &followed{id: id, randomness: said.randomness}
	if before, ok := p.decided.held[id]; ok {
		f.decision = before
		p.count.Late++
	} else {
		f.decision = decision{threshold: p.thresholdOf(s.Parent()), sampled: c.IsSampled()}
	}
	f.place = p.order.PushBack(f)
	p.traces[id] = f
	return f
}

// thresholdOf is the threshold for a trace that is seen for the first time.
func (p *Processor) thresholdOf(parent trace.SpanContext) threshold {
	if p.options.FollowParent && parent.IsRemote() && parent.IsSampled() {
		return always
	}
	lowered := p.rate.probability(time.Now())
	return max(p.ratio, thresholdOf(lowered))
}

// hold keeps a span until its trace is judged.
func (p *Processor) hold(f *followed, s sdktrace.ReadOnlySpan) {
	n := spanBytes + otlpsize.Span(s)
	f.spans = append(f.spans, s)
	f.bytes += n
	p.spans++
	p.bytes += n
	if f.held == nil {
		f.since = time.Now()
		f.held = p.holding.PushBack(f)
		p.arm()
	}
}

// judge decides on the spans held of a trace and on last, if it is not nil, and lets go of
// them.
func (p *Processor) judge(f *followed, last sdktrace.ReadOnlySpan, out []release) []release {
	spans := f.spans
	p.spans -= len(spans)
	p.bytes -= f.bytes
	f.spans, f.bytes = nil, 0
	if f.held != nil {
		p.holding.Remove(f.held)
		f.held = nil
	}
	if last != nil {
		spans = append(spans, last)
	}
	switch {
	case len(spans) == 0:
		return out
	case f.matters:
	case f.sampled && threshold(f.randomness) >= f.threshold:
		p.count.Sampled++
	default:
		p.count.LeftOut++
		p.count.SpansLeftOut += uint64(len(spans))
		return out
	}
	p.count.SpansKept += uint64(len(spans))
	return append(out, release{spans, f.matters, f.threshold})
}

// forget ends the following of a trace, and remembers what was decided.
func (p *Processor) forget(f *followed) {
	p.order.Remove(f.place)
	delete(p.traces, f.id)
	p.decided.put(f.id, f.decision)
}

// makeRoom judges early what is beyond the bounds.
func (p *Processor) makeRoom(out []release) []release {
	for p.order.Len() > p.options.MaxTraces {
		f := p.order.Front().Value.(*followed)
		out = p.judgeEarly(f, out)
		p.forget(f)
	}
	for p.bytes > p.options.MaxBytes {
		out = p.judgeEarly(p.holding.Front().Value.(*followed), out)
	}
	return out
}

func (p *Processor) judgeEarly(f *followed, out []release) []release {
	if len(f.spans) > 0 {
		p.count.Early++
	}
	return p.judge(f, nil, out)
}
