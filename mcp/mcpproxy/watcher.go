// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	metricnoop "go.opentelemetry.io/otel/metric/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Options say how a [Watcher] watches. The zero value works.
type Options struct {
	// Server is what the server is called, for spans and people; "" is "mcp".
	Server string
	// ClientSpans gives each call a span of kind CLIENT below its own.
	ClientSpans bool
	// InjectContext writes the trace context into the requests that go on, whose bytes
	// then differ. The default leaves every byte as it is.
	InjectContext bool
	// HungAfter is how long a call runs before it is noticed as hung; 0 is a minute.
	HungAfter time.Duration
	// Baseline is where the definitions of the server's tools are remembered from one
	// connection to the next; nil remembers them for the life of the Watcher only.
	Baseline *Baseline
	// AcceptTools takes the definitions that the server lists first over into the
	// baseline, whatever it had.
	AcceptTools bool
	// PinTools refuses calls of tools that are not what was accepted into the baseline, changed
	// ones and others, and leaves them out of the server's lists. The default tells of them and lets
	// them through. [ErrNotAccepted] is the error of New where nobody has accepted anything.
	PinTools bool
}

// A Watcher decodes copies of what passes between clients and a server into spans,
// metrics, statistics and observations. Make one with [New]. One goroutine does the
// work, until Close.
type Watcher struct {
	options    Options
	scope      *toolscope.Scope
	observers  []toolkit.Observer
	tracer     trace.Tracer
	metrics    *metrics
	propagator propagator
	redactor   *redact.Redactor
	clean      func(string) string // what a name passes before it leaves
	notes      *notes
	tap        *tap
	done       chan struct{}
	rounds     rounds // of clients that have no session
	earlier    earlierTools
	tasks      tasks
	waiting    atomic.Int64 // bytes of arguments of the calls in all rounds

	codesMu sync.Mutex
	codes   map[int64]bool // seen

	// These belong to the goroutine.
	prompts   map[string]bool
	sessions  map[*session]struct{}
	suspended suspended // of clients that have no session
	held      int       // bytes of arguments of the calls that run
}

// propagator is how trace context travels.
type propagator interface {
	Inject(ctx context.Context, carrier propagation.TextMapCarrier)
	Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context
}

// New makes a Watcher and starts it. A scope without tracing and metrics makes none; nil
// is an error.
func New(scope *toolscope.Scope, options Options) (*Watcher, error) {
	if scope == nil {
		return nil, fmt.Errorf("mcpproxy: New: got no scope, want one")
	}
	if options.HungAfter <= 0 {
		options.HungAfter = time.Minute
	}
	if options.Baseline == nil {
		options.Baseline = new(Baseline)
	}
	if options.Server == "" {
		options.Server = "mcp"
	}
	if options.AcceptTools {
		if err := options.Baseline.accept(); err != nil {
			return nil, err
		}
	}
	if options.PinTools {
		if err := options.Baseline.pinnable(); err != nil {
			return nil, err
		}
	}
	w := &Watcher{
		options: options, scope: scope, observers: scope.Observers(), tap: newTap(), done: make(chan struct{}),
		propagator: propagation.TraceContext{}, redactor: redact.Default(),
		codes: map[int64]bool{}, prompts: map[string]bool{}, sessions: map[*session]struct{}{},
	}
	w.clean = func(s string) string { s, _ = w.redactor.TextMax(s, maxName); return s }
	w.tracer = noop.NewTracerProvider().Tracer(ScopeName)
	var err error
	if o := scope.Tracing(); o != nil {
		w.tracer, w.redactor, w.clean = o.Protocol().TracerProvider().Tracer(ScopeName), o.Protocol().Redactor(), o.Protocol().Identifier
		if !o.Protocol().PropagatesNothing() {
			w.propagator = o
		}
		w.metrics, err = newMetrics(o.Protocol().MeterProvider())
	} else {
		w.metrics, err = newMetrics(metricnoop.NewMeterProvider())
	}
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: %w", err)
	}
	w.notes = newNotes(w)
	w.earlier.replace(options.Baseline.names())
	go w.run()
	return w, nil
}

// maxName bounds names that leave, in bytes.
const maxName = 256

// lookEvery is how often a Watcher looks for what hangs, and at what nobody has woken it
// for.
const lookEvery = 250 * time.Millisecond

// run looks at what passes until the tap is closed.
func (w *Watcher) run() {
	defer close(w.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var queue []chunk
	for closed := false; !closed; {
		select {
		case <-w.tap.wake:
		case <-tick.C:
			w.look(time.Now())
		}
		queue, closed = w.tap.take(queue)
		w.drain(queue)
	}
	for s := range w.sessions {
		s.close(time.Now(), nil)
	}
	w.suspended.end(len(w.suspended.calls), time.Now())
	w.rounds.close()
}

func (w *Watcher) drain(queue []chunk) {
	for i := range queue {
		queue[i].done()
	}
}

// look looks for calls that hang.
func (w *Watcher) look(now time.Time) {
	for s := range w.sessions {
		s.look(now)
	}
	w.suspended.end(w.suspended.old(now), now)
	w.rounds.expire(now.Add(-maxSuspension))
}

// Close looks at what waits, ends what is open, and ends the goroutine.
func (w *Watcher) Close() {
	w.tap.close()
	<-w.done
}

// Settle returns when all that passed before it has been looked at, or ctx is over.
func (w *Watcher) Settle(ctx context.Context) error {
	settled := make(chan struct{})
	if !w.tap.do(func() { close(settled) }) {
		return nil
	}
	select {
	case <-settled:
		return nil
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// extract is the context that a request is handled in: the one that came with it is the
// parent.
func (w *Watcher) extract(ctx context.Context, m meta) context.Context {
	if len(m) == 0 {
		return ctx
	}
	return w.propagator.Extract(ctx, m)
}
