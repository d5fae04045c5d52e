// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A Processor is a span processor that passes on to another one the traces that matter and a
// part of the others. Make one with [New]; it is safe for concurrent use. The methods that a host
// calls work on nil.
type Processor struct {
	next    sdktrace.SpanProcessor
	options Options
	ratio   threshold
	slow    atomic.Pointer[func(tool string) time.Duration]

	mu      sync.Mutex
	traces  map[trace.TraceID]*followed
	order   *list.List // of all followed, the one followed for longest first
	holding *list.List // of those with spans held, the one held for longest first
	spans   int        // held
	bytes   int        // held
	decided decisions
	rate    rate
	count   Stats
	timer   *time.Timer // nil until something is held
	armed   bool
	stopped bool
	sending int           // releases on their way
	idle    chan struct{} // closed when it is stopped and nothing is on its way

	closing  sync.Once
	closeErr error
}

var _ sdktrace.SpanProcessor = (*Processor)(nil)

// New makes a processor in front of next, which sees every span begin, and those that are
// kept end. An error names the field of the options that is wrong.
func New(next sdktrace.SpanProcessor, o Options) (*Processor, error) {
	if next == nil {
		return nil, errors.New("tailsample: New: got a nil processor, want one that takes what is kept")
	}
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	p := &Processor{
		next: next, options: o, ratio: thresholdOf(o.Ratio),
		traces: make(map[trace.TraceID]*followed), order: list.New(), holding: list.New(),
		decided: newDecisions(o.MaxDecided), rate: newRate(o.PerSecond, time.Now()), idle: make(chan struct{}),
	}
	p.slow.Store(&o.Slow)
	return p, nil
}

// SetSlow sets [Options].Slow anew, for who knows it only later: a recorder of statistics is
// made after the providers. It may be called at any time; nil finds no call slow.
func (p *Processor) SetSlow(slow func(tool string) time.Duration) {
	if p != nil {
		p.slow.Store(&slow)
	}
}

// OnStart follows the span's trace.
func (p *Processor) OnStart(ctx context.Context, s sdktrace.ReadWriteSpan) {
	p.mu.Lock()
	var out []release
	if !p.stopped {
		p.follow(s).running++
		out = p.makeRoom(nil)
	}
	p.leave(out)
	defer p.survive()
	p.next.OnStart(ctx, s)
}

// survive ends a panic of the next processor, which must not end the application's work.
func (p *Processor) survive() {
	if recover() != nil {
		p.mu.Lock()
		p.count.Panics++
		p.mu.Unlock()
	}
}

// OnEnd holds the span, or passes it on with those held of its trace, or judges them all.
func (p *Processor) OnEnd(s sdktrace.ReadOnlySpan) {
	matters := p.matters(s)
	p.mu.Lock()
	if p.stopped {
		p.count.AfterShutdown++
		p.mu.Unlock()
		return
	}
	f := p.follow(s)
	f.running = max(0, f.running-1)
	if matters && !f.matters {
		f.matters = true
		p.count.Mattered++
	}
	var out []release
	switch {
	case f.running == 0:
		out = p.judge(f, s, out)
		p.forget(f)
	case f.matters:
		out = p.judge(f, s, out)
	default:
		p.hold(f, s)
		if len(f.spans) >= p.options.MaxSpans {
			out = p.judgeEarly(f, out)
		}
	}
	p.leave(p.makeRoom(out))
}

// leave gives the lock up and passes on what was released.
func (p *Processor) leave(out []release) {
	if len(out) == 0 {
		p.mu.Unlock()
		return
	}
	p.sending++
	p.mu.Unlock()
	for i := range out {
		for _, s := range out[i].spans {
			p.pass(out[i].markSpan(s))
		}
	}
	p.mu.Lock()
	p.sending--
	p.rest()
	p.mu.Unlock()
}

func (p *Processor) pass(s sdktrace.ReadOnlySpan) {
	defer p.survive()
	p.next.OnEnd(s)
}

// rest tells Shutdown that nothing is on its way any more. The lock is held.
func (p *Processor) rest() {
	if p.stopped && p.sending == 0 {
		select {
		case <-p.idle:
		default:
			close(p.idle)
		}
	}
}

// arm sets the timer for the trace that was held for longest. The lock is held.
func (p *Processor) arm() {
	if p.armed || p.holding.Len() == 0 {
		return
	}
	wait := time.Until(p.holding.Front().Value.(*followed).since.Add(p.options.MaxAge))
	p.armed = true
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, p.tick)
		return
	}
	p.timer.Reset(wait)
}

// tick judges what was held for too long.
func (p *Processor) tick() {
	p.mu.Lock()
	p.armed = false
	var out []release
	if !p.stopped {
		old := time.Now().Add(-p.options.MaxAge)
		for p.holding.Len() > 0 && !p.holding.Front().Value.(*followed).since.After(old) {
			out = p.judgeEarly(p.holding.Front().Value.(*followed), out)
		}
		p.arm()
	}
	p.leave(out)
}

// ForceFlush flushes the next processor. Traces that are still running stay undecided:
// to judge them early would tear them apart.
func (p *Processor) ForceFlush(ctx context.Context) error {
	if p == nil {
		return nil
	}
	return p.next.ForceFlush(ctx)
}

// Shutdown judges what is held by what is known of it, passes it on, and shuts the next
// processor down; spans that end later are counted and dropped. It returns when that
// is done or ctx is over. Only the first call does something; the others return the same.
func (p *Processor) Shutdown(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.closing.Do(func() {
		p.mu.Lock()
		p.stopped = true
		if p.timer != nil {
			p.timer.Stop()
		}
		var out []release
		for p.holding.Len() > 0 {
			out = p.judge(p.holding.Front().Value.(*followed), nil, out)
		}
		clear(p.traces)
		p.order.Init()
		if len(out) > 0 {
			go p.leave(out) // the next processor may take its time, and ctx is not to be missed
		} else {
			p.rest()
			p.mu.Unlock()
		}
		select {
		case <-p.idle:
		case <-ctx.Done():
		}
		p.closeErr = errors.Join(p.next.Shutdown(ctx), ctx.Err())
	})
	return p.closeErr
}

// Stats is what a processor has done, and holds now.
type Stats struct {
	Following int // traces that are followed now
	Held      int // spans held now
	HeldBytes int // about how many bytes they take

	Mattered uint64 // traces that were found to matter
	Sampled  uint64 // decisions to keep what does not matter
	LeftOut  uint64 // decisions to leave it out
	Early    uint64 // of the decisions, those taken to make room, or for age
	Late     uint64 // traces of which more came after the decision

	SpansKept     uint64 // passed on
	SpansLeftOut  uint64
	AfterShutdown uint64 // spans that ended after Shutdown
	Panics        uint64 // of the next processor
}

// Stats are the counts so far.
func (p *Processor) Stats() Stats {
	if p == nil {
		return Stats{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.count
	s.Following, s.Held, s.HeldBytes = p.order.Len(), p.spans, p.bytes
	return s
}
