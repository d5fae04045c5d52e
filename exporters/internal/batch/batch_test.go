// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package batch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/batch"
)

// sink is an exporter that keeps what it is given, and does first what the test wants.
type sink struct {
	mu       sync.Mutex
	batches  [][]string
	before   func(ctx context.Context) error
	shutdown int
	err      error // of Shutdown
}

func (s *sink) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, span := range spans {
		names = append(names, span.Name())
	}
	s.batches = append(s.batches, names)
	return nil
}

func (s *sink) Shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shutdown++
	return s.err
}

// sizes are the sizes of the batches so far.
func (s *sink) sizes() (sizes []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		sizes = append(sizes, len(b))
	}
	return sizes
}

func (s *sink) count() (n int) {
	for _, size := range s.sizes() {
		n += size
	}
	return n
}

// batching is a provider whose spans go through a batcher into the sink.
func batching(e sdktrace.SpanExporter, o batch.Options) (*batch.Batcher, func(n int)) {
	b := batch.New(e, o)
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b)).Tracer("test")
	return b, func(n int) {
		for range n {
			_, span := tracer.Start(context.Background(), "span")
			span.End()
		}
	}
}

func TestBatcherSendsFullBatchesAtOnceAndTheRestOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &sink{}
		b, spans := batching(out, batch.Options{MaxQueue: 100, MaxBatch: 10, Delay: time.Second})
		spans(9)
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		if got := out.sizes(); len(got) != 0 {
			t.Errorf("sent %v before the batch was full or its delay over", got)
		}
		spans(1)
		synctest.Wait()
		if got := out.sizes(); len(got) != 1 || got[0] != 10 {
			t.Errorf("got %v, want the full batch at once", got)
		}
		spans(3)
		time.Sleep(1001 * time.Millisecond)
		synctest.Wait()
		if got := out.sizes(); len(got) != 2 || got[1] != 3 {
			t.Errorf("got %v, want the rest after the delay", got)
		}
		if err := b.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.Stats(); got != (batch.Stats{Sent: 13}) {
			t.Errorf("got %+v", got)
		}
	})
}

func TestBatcherDropsWhenItsQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		out := &sink{before: func(context.Context) error { <-release; return nil }}
		b, spans := batching(out, batch.Options{MaxQueue: 20, MaxBatch: 10, Delay: time.Hour})
		spans(10)
		synctest.Wait() // they are being sent
		spans(30)
		if got := b.Stats(); got.Queued != 20 || got.Dropped != 20 {
			t.Errorf("got %+v, want 20 queued and 20 dropped", got)
		}
		close(release)
		if err := b.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.Stats(); got.Sent != 20 || got.Queued != 0 || out.count() != 20 {
			t.Errorf("got %+v, %d arrived", got, out.count())
		}
	})
}

func TestBatcherFlushesAndShutsDown(t *testing.T) {
	out := &sink{err: errors.New("disk")}
	b, spans := batching(out, batch.Options{Delay: time.Hour})
	spans(1300)
	if err := b.ForceFlush(t.Context()); err != nil || out.count() != 1300 {
		t.Errorf("got %v, %d arrived, want all", err, out.count())
	}
	for _, n := range out.sizes() {
		if n > 512 {
			t.Errorf("a batch has %d spans, want at most 512", n)
		}
	}
	spans(5)
	if err := b.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "disk") || out.count() != 1305 {
		t.Errorf("got %v, %d arrived", err, out.count())
	}
	spans(2)
	if err := errors.Join(b.ForceFlush(t.Context()), b.Shutdown(t.Context())); err != nil || out.count() != 1305 ||
		out.shutdown != 1 {
		t.Errorf("after the shutdown: got %v, %d arrived, shut down %d times", err, out.count(), out.shutdown)
	}
	if got := b.Stats().Dropped; got != 2 {
		t.Errorf("%d dropped, want the 2 that came after the shutdown", got)
	}
}

func TestBatcherHeedsContexts(t *testing.T) {
	release := make(chan struct{})
	out := &sink{before: func(context.Context) error { <-release; return nil }}
	b, spans := batching(out, batch.Options{Delay: time.Hour})
	spans(1)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.ForceFlush(over); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, f := range []func(context.Context) error{b.ForceFlush, b.ForceFlush, b.Shutdown} {
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := f(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		cancel()
	}
	close(release)
	until(t, "the span arrives in the end", func() bool { return out.count() == 1 })
}

func TestBatcherSurvivesItsExporter(t *testing.T) {
	told := complaints(t)
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		out := &sink{before: func(ctx context.Context) error {
			switch calls++; calls {
			case 1:
				return errors.New("refused")
			case 2:
				panic("boom")
			case 3:
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return nil
		}}
		b, spans := batching(out, batch.Options{MaxBatch: 2, Delay: time.Hour, ExportTimeout: time.Second})
		for range 4 {
			spans(2)
			synctest.Wait()
			time.Sleep(2 * time.Second)
		}
		if err := b.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.Stats(); got.Failed != 6 || got.Sent != 2 {
			t.Errorf("got %+v", got)
		}
	})
	all := strings.Join(told(), "\n")
	for _, want := range []string{"refused", "panicked", "longer to send than it may"} {
		if !strings.Contains(all, want) {
			t.Errorf("the error handler got %q, want %q in it", all, want)
		}
	}
}

func TestBatcherPassesOverWhatIsNotSampled(t *testing.T) {
	out := &sink{}
	b := batch.New(out, batch.Options{})
	never := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b), sdktrace.WithSampler(recordOnly{})).Tracer("test")
	_, span := never.Start(t.Context(), "x")
	span.End()
	if err := b.Shutdown(t.Context()); err != nil || out.count() != 0 {
		t.Errorf("got %v, %d arrived", err, out.count())
	}
	none, spans := batching(nil, batch.Options{})
	spans(3)
	if err := errors.Join(none.ForceFlush(t.Context()), none.Shutdown(t.Context())); err != nil {
		t.Errorf("without an exporter: got %v", err)
	}
}

// recordOnly records spans and samples none.
type recordOnly struct{}

func (recordOnly) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	return sdktrace.SamplingResult{Decision: sdktrace.RecordOnly,
		Tracestate: trace.SpanContextFromContext(p.ParentContext).TraceState()}
}
func (recordOnly) Description() string { return "recordOnly" }

func TestBatcherReadsTheEnvironment(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "7")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "3")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
	release := make(chan struct{})
	out := &sink{before: func(context.Context) error { <-release; return nil }}
	b, spans := batching(out, batch.Options{})
	spans(20)
	if got := b.Stats(); got.Queued != 7 || got.Dropped != 13 {
		t.Errorf("got %+v, want 7 queued", got)
	}
	close(release)
	if err := b.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, n := range out.sizes() {
		if n > 3 {
			t.Errorf("a batch has %d spans, want at most 3", n)
		}
	}
}

// Whenever it is asked, a span is counted once.
func TestBatcherCountsASpanOnce(t *testing.T) {
	const n = 5000
	b, spans := batching(&sink{}, batch.Options{MaxQueue: n, MaxBatch: 1, Delay: time.Hour})
	spans(n)
	flushed := make(chan error, 1)
	go func() { flushed <- b.ForceFlush(t.Context()) }()
	for done := false; !done; {
		s := b.Stats()
		if got := uint64(s.Queued) + s.Sent + s.Failed + s.Dropped; got != n {
			t.Fatalf("got %+v, which are %d spans, want %d", s, got, n)
		}
		done = s.Sent == n
	}
	if err := errors.Join(<-flushed, b.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestBatcherLosesNothingItHasRoomFor(t *testing.T) {
	out := &sink{}
	b, spans := batching(out, batch.Options{MaxQueue: 1 << 20, MaxBatch: 64, Delay: time.Millisecond})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { spans(5000) })
	}
	wg.Go(func() {
		for range 50 {
			if err := b.ForceFlush(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if err := b.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.Stats(); out.count() != 40_000 || got.Sent != 40_000 || got.Dropped != 0 {
		t.Errorf("%d arrived, %+v", out.count(), got)
	}
}

// until polls for something that another goroutine does.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// complaints takes OpenTelemetry's error handler for the test, and returns the messages it
// got so far.
func complaints(t *testing.T) func() []string {
	var mu sync.Mutex
	var got []string
	before := otel.GetErrorHandler()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, err.Error())
	}))
	t.Cleanup(func() { otel.SetErrorHandler(before) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

// With patience the end of a span waits while batches are being sent, and not for an exporter that
// hangs: that costs one wait, and is over when a batch is sent.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs, sent := make(chan struct{}), 0
		b := batch.New(exporterFunc(func(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
			time.Sleep(900 * time.Millisecond) // slow, but not as slow as the patience
			if sent += len(spans); sent == 40 {
				<-hangs
			}
			return nil
		}), batch.Options{MaxQueue: 8, MaxBatch: 4, Patience: time.Second})
		span := tracetest.SpanStub{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled})}.Snapshot()
		for range 40 {
			b.OnEnd(span)
		}
		if got := b.Stats(); got.Dropped != 0 {
			t.Errorf("while batches are sent: got %+v, want none dropped", got)
		}
		time.Sleep(10 * time.Second) // now it hangs
		start := time.Now()
		for range 20 {
			b.OnEnd(span)
		}
		if took, got := time.Since(start), b.Stats(); took > time.Second || got.Dropped == 0 || got.Dropped > 16 {
			t.Errorf("while it hangs: got %+v after %v, want one wait", got, took)
		}
		close(hangs)
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if got := b.Stats(); got.Sent+got.Dropped != 60 || got.Queued != 0 {
			t.Errorf("got %+v, want 60 spans accounted for", got)
		}
	})
}

type exporterFunc func(context.Context, []sdktrace.ReadOnlySpan) error

func (f exporterFunc) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return f(ctx, spans)
}

func (exporterFunc) Shutdown(context.Context) error { return nil }
