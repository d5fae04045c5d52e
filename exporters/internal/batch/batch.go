// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// Options are the limits of a [Batcher], by the OpenTelemetry specification of
// the batching processor. What is 0 is taken from the environment (OTEL_BSP_*), and
// without it has the specification's default.
type Options struct {
	MaxQueue      int           // spans kept; 2048. What comes on top is dropped and counted.
	MaxBytes      int           // bytes of spans kept, as OTLP counts them; 0: no limit but MaxQueue
	Patience      time.Duration // the end of a span waits for room unless no batch was sent for as long; 0: not at all
	MaxBatch      int           // spans sent at once; 512, at most MaxQueue
	Delay         time.Duration // a span waits no longer to be sent; 5 s
	ExportTimeout time.Duration // one batch may take as long to send; 30 s
}

// WithDefaults are the options with the specification's defaults for what is 0, whatever the environment says.
func (o Options) WithDefaults() Options {
	o.MaxQueue = firstOf(o.MaxQueue, 2048)
	o.MaxBatch = min(firstOf(o.MaxBatch, 512), o.MaxQueue)
	o.Delay = firstOf(o.Delay, 5*time.Second)
	o.ExportTimeout = firstOf(o.ExportTimeout, 30*time.Second)
	return o
}

// A Batcher is a span processor that sends spans in batches. A span that ends costs one
// short lock: the goroutine that sends is woken when a batch is full or its delay is over, not
// for each span as the SDK's is, which at an agent's rate of calls is most of what a span
// costs. It starts with the first span. Otherwise it does what the SDK's does: a
// bounded queue, spans dropped when it is full and when it has been shut down, ForceFlush
// and Shutdown that send what there is and heed their context; errors go to
// OpenTelemetry's error handler. Make one with [New]; safe for concurrent use.
type Batcher struct {
	exporter sdktrace.SpanExporter
	options  Options

	mu      sync.Mutex
	queue   []sdktrace.ReadOnlySpan
	spare   []sdktrace.ReadOnlySpan // the queue's memory when it is being sent
	sizes   []int                   // of the queue's spans, with MaxBytes
	sending int                     // taken from the queue and not yet sent
	bytes   int                     // of both, with MaxBytes
	room    chan struct{}           // closed when a batch was sent; nil if no span waits for that
	stalled bool                    // a span waited in vain: the next ones do not, until a batch is sent
	started bool
	stopped bool

	full     chan struct{} // a batch is full
	stop     chan struct{} // closed by Shutdown
	turn     chan struct{} // held while sending
	ended    chan struct{} // closed when the goroutine has returned
	shutdown sync.Once

	sent, failed, overflowed, late atomic.Uint64
	lastDrop                       atomic.Int64 // in nanoseconds since 1970
}

var _ sdktrace.SpanProcessor = (*Batcher)(nil)

// New makes a batcher in front of an exporter; a nil one drops every span. Limits below
// 0 count as 0.
func New(e sdktrace.SpanExporter, o Options) *Batcher {
	o.MaxQueue = firstOf(o.MaxQueue, number("OTEL_BSP_MAX_QUEUE_SIZE"))
	o.MaxBatch = firstOf(o.MaxBatch, number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"))
	o.Delay = firstOf(o.Delay, time.Duration(number("OTEL_BSP_SCHEDULE_DELAY"))*time.Millisecond)
	o.ExportTimeout = firstOf(o.ExportTimeout, time.Duration(number("OTEL_BSP_EXPORT_TIMEOUT"))*time.Millisecond)
	o = o.WithDefaults()
	return &Batcher{
		exporter: e, options: o,
		full: make(chan struct{}, 1), stop: make(chan struct{}), turn: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// Stats is what became of a batcher's spans.
type Stats struct {
	Queued  int    // waiting, or being sent
	Sent    uint64 // taken by the exporter without error
	Failed  uint64 // refused by the exporter
	Dropped uint64 // the queue was full, or the batcher shut down
	Late    uint64 // of those dropped: ended after Shutdown
}

// Pressed reports whether more than a batch waits behind the one that is being sent.
func (b *Batcher) Pressed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue)+b.sending > 2*b.options.MaxBatch
}

// Capacity is how many spans the queue holds.
func (b *Batcher) Capacity() int { return b.options.MaxQueue }

// LastDrop is when a span was last dropped because the queue was full; the zero time if none was.
func (b *Batcher) LastDrop() time.Time {
	if last := b.lastDrop.Load(); last != 0 {
		return time.Unix(0, last)
	}
	return time.Time{}
}

// Stats are the counts so far.
func (b *Batcher) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	late := b.late.Load()
	return Stats{Queued: len(b.queue) + b.sending, Sent: b.sent.Load(), Failed: b.failed.Load(),
		Dropped: b.overflowed.Load() + late, Late: late}
}

// OnStart does nothing.
func (*Batcher) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd queues a span that is sampled. With Options.Patience it may wait for room.
func (b *Batcher) OnEnd(s sdktrace.ReadOnlySpan) {
	if b.exporter == nil || !s.SpanContext().IsSampled() {
		return
	}
	size := 0
	if b.options.MaxBytes > 0 {
		size = otlpsize.Span(s)
	}
	b.mu.Lock()
	if !b.hasRoom(size) {
		b.drop(b.stopped)
		b.mu.Unlock()
		return
	}
	b.queue = append(b.queue, s)
	if b.options.MaxBytes > 0 {
		b.sizes = append(b.sizes, size)
		b.bytes += size
	}
	full := len(b.queue)%b.options.MaxBatch == 0
	b.begin()
	b.mu.Unlock()
	if full {
		b.wake()
	}
}

// begin starts the goroutine that sends; the lock is held.
func (b *Batcher) begin() {
	if !b.started {
		b.started = true
		go b.sendUntilStopped()
	}
}

// wake makes the goroutine that sends do so now.
func (b *Batcher) wake() {
	select {
	case b.full <- struct{}{}:
	default:
	}
}

// hasRoom reports whether a span of that size can be queued. It waits for room while batches are
// being sent; when none was for Options.Patience, the span has no room, and the next ones do not wait until a
// batch is sent. The lock is held, but not while it waits.
func (b *Batcher) hasRoom(size int) bool {
	var patience *time.Timer
	for {
		switch {
		case b.stopped:
			return false
		case len(b.queue)+b.sending < b.options.MaxQueue && (b.options.MaxBytes == 0 || b.bytes+size <= b.options.MaxBytes):
			return true
		case b.options.Patience == 0 || b.stalled || len(b.queue)+b.sending == 0:
			return false
		case patience == nil:
			patience = time.NewTimer(b.options.Patience)
			defer patience.Stop()
		default:
			patience.Reset(b.options.Patience) // a batch was sent, and others took the room
		}
		if b.room == nil {
			b.room = make(chan struct{})
		}
		room, timeout := b.room, false
		b.mu.Unlock()
		b.wake()
		select {
		case <-room:
		case <-patience.C:
			timeout = true
		case <-b.stop:
		}
		b.mu.Lock()
		b.stalled = b.stalled || timeout
	}
}

// drop counts a span that is dropped.
func (b *Batcher) drop(stopped bool) {
	if stopped {
		b.late.Add(1)
		return
	}
	b.overflowed.Add(1)
	b.lastDrop.Store(time.Now().UnixNano())
}

// sendUntilStopped sends what is queued until it is stopped.
func (b *Batcher) sendUntilStopped() {
	defer close(b.ended)
	tick := time.NewTicker(b.options.Delay)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
		case <-b.full:
			tick.Reset(b.options.Delay)
		}
		select {
		case b.turn <- struct{}{}:
		case <-b.stop:
			return
		}
		err := b.send(context.Background())
		<-b.turn
		if err != nil {
			otel.Handle(err)
		}
	}
}

// send sends all that is queued by now, batch after batch; the turn is held. One that
// fails is not sent again, and the others are; their errors are joined.
func (b *Batcher) send(ctx context.Context) error {
	b.mu.Lock()
	spans, sizes := b.queue, b.sizes
	b.queue, b.spare, b.sizes = b.spare[:0], nil, nil
	b.sending = len(spans)
	b.mu.Unlock()
	var errs []error
	for rest := spans; len(rest) > 0; {
		n := min(len(rest), b.options.MaxBatch)
		err := b.export(ctx, rest[:n])
		done := &b.sent
		if err != nil {
			done = &b.failed
			errs = append(errs, err)
		}
		rest = rest[n:]
		b.mu.Lock()
		b.sending -= n
		done.Add(uint64(n)) // at once, or a span would be counted twice
		if sizes != nil {
			for _, size := range sizes[:n] {
				b.bytes -= size
			}
			sizes = sizes[n:]
		}
		if b.stalled = false; b.room != nil {
			close(b.room)
			b.room = nil
		}
		b.mu.Unlock()
	}
	clear(spans)
	b.mu.Lock()
	b.spare = spans[:0]
	b.mu.Unlock()
	return errors.Join(errs...)
}

// errExportTimeout is the cause of a batch's being cancelled.
var errExportTimeout = errors.New("exporters: a batch took longer to send than it may")

// export sends one batch; a panic of the exporter is an error.
func (b *Batcher) export(ctx context.Context, spans []sdktrace.ReadOnlySpan) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.options.ExportTimeout, errExportTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("exporters: the span exporter %T panicked", b.exporter)
		}
	}()
	return b.exporter.ExportSpans(ctx, spans)
}

// ForceFlush sends what has ended by now and returns when it is sent, with the
// exporter's error, or when the context is over. After Shutdown it does nothing.
func (b *Batcher) ForceFlush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.exporter == nil {
		return nil
	}
	select {
	case b.turn <- struct{}{}:
	case <-b.stop:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.within(ctx, func() error { return b.send(ctx) })
}

// within runs a task that holds the turn, and returns early when the context is over:
// the task then goes on until the exporter has returned.
func (b *Batcher) within(ctx context.Context, task func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() { <-b.turn }()
		done <- task()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shutdown takes no more spans, sends those there are, and shuts the exporter down. It returns
// with the exporter's error, or when the context is over. Only the first call does
// something.
func (b *Batcher) Shutdown(ctx context.Context) (err error) {
	b.shutdown.Do(func() {
		b.mu.Lock()
		b.stopped = true
		started := b.started
		b.mu.Unlock()
		close(b.stop)
		if b.exporter == nil {
			return
		}
		finished := make(chan error, 1)
		go func() {
			if started {
				<-b.ended
			}
			b.turn <- struct{}{} // a flush may still hold it
			sendErr := b.send(context.Background())
			finished <- errors.Join(sendErr, b.exporter.Shutdown(ctx))
		}()
		select {
		case err = <-finished:
		case <-ctx.Done():
			err = ctx.Err()
		}
	})
	return err
}

// Stopping is closed when Shutdown was first called: from then on its context is the one that counts.
func (b *Batcher) Stopping() <-chan struct{} { return b.stop }

// number is a variable's whole number; 0 if it is not set. It has been checked, or
// counts as not set.
func number(name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(os.Getenv(name)))
	if err != nil {
		return 0
	}
	return n
}

// firstOf is the first value above 0.
func firstOf[T int | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}
