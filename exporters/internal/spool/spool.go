// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A Spool is a span exporter that keeps on disk what its destination does not take, and
// sends it later. Make one with [New]; the zero value and nil are not usable. It is safe for
// concurrent use. It has two goroutines, which start with the first span, or at once
// if a process that ended has left something, and end with [Spool.Shutdown].
type Spool struct {
	client   otlptrace.Client
	dir      string
	pressed  atomic.Pointer[func() bool]                          // see SetPressed
	setAside atomic.Pointer[func([]*tracepb.ResourceSpans) error] // see SetRejected
	options  *Options
	tally    *tally
	disk     *disk

	turn  chan struct{} // held by who exports
	round chan struct{} // held by the sender while it sends
	start sync.Once
	wake  chan struct{} // there may be something to send
	kick  chan struct{} // a flush wants a request now
	stop  chan struct{} // closed by Shutdown
	ended chan struct{} // closed when the sender has returned
	life  context.Context
	kill  context.CancelFunc // ends the request under way

	mu       sync.Mutex
	memory   []*unit       // what is not on disk, in order
	bytes    int           // of these
	step     chan struct{} // closed when the sender or the disk has done something
	failed   int           // requests that failed, so far
	stuck    bool          // nothing but what cannot be read now is left on disk
	requests int           // under way
	underWay time.Time     // when the first of these began; zero if there is none
	closed   bool
	shut     chan struct{}
	shutErr  error

	// The sender's own.
	width      int       // how many requests may be sent at the same time
	far        int       // how often in a row the destination looked far away
	streak     int       // requests that failed, in a row
	complained time.Time // when dropped spans were last reported
	notBefore  time.Time // of the next request
	throttled  bool      // by the destination
	lastTried  bool      // the request that a shutdown makes in any case was made
	lastFailed time.Time // when a request last failed
	suspected  *entry    // what failed while others were taken
	blame      int       // how often
	proved     bool      // each time in a way that spans can cause
	passedOver []*entry  // to be sent after all others: they fail, which is not proved to be their fault
	ahead      *work     // read from disk while a request was under way, to be sent next; or nil
	aheadOf    uint64    // purges when it was read

	purges atomic.Uint64 // deletions so far: what was read before one is not sent after it
}

var _ sdktrace.SpanExporter = (*Spool)(nil)

// New makes a spool in a directory, which it makes if need be, in front of a client: one of
// otlptracegrpc.NewClient or otlptracehttp.NewClient without retries of its own, or what
// [Around] makes of an exporter. It starts the client, and Shutdown stops it. What processes that ended left in the
// directory is sent first; those that still run may use the same directory.
//
// An option that cannot be, and a directory that is none, may not be used, or can be
// written by others, are errors. A disk that is full or read-only is none: it is
// reported by [Spool.Stats], and used as soon as it works.
func New(dir string, client otlptrace.Client, options Options) (*Spool, error) {
	return build(dir, client, options, newSystem())
}

func build(dir string, client otlptrace.Client, options Options, files *system) (*Spool, error) {
	if dir == "" {
		return nil, errors.New(`spool: directory: got "", want a path`)
	}
	if client == nil {
		return nil, errors.New("spool: client: got nil, want one that is not")
	}
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("spool: directory: %w", err)
	}
	t := newTally()
	if err := prepare(dir); err != nil {
		if errors.Is(err, errDirectory) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) ||
			errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("spool: directory: got %q: %w", dir, err)
		}
		t.fault(err)
	}
	if err := client.Start(context.Background()); err != nil {
		return nil, fmt.Errorf("spool: client: %w", err)
	}
	s := &Spool{
		client: client, dir: dir, options: o, tally: t,
		turn: make(chan struct{}, 1), round: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		kick: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
		step: make(chan struct{}), shut: make(chan struct{}),
	}
	s.life, s.kill = context.WithCancel(context.Background())
	s.disk = newDisk(newStore(dir, o, t, files), s.wakeUp, s.stepped)
	if left, _ := folders(dir); len(left) > 0 {
		s.begin()
	}
	return s, nil
}

var errDirectory = errors.New("want a directory that only its owner can write to")

// prepare makes the directory, or checks the one there is: who can write to it could
// have spans of theirs sent in our name.
func prepare(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700)
	}
	if err == nil && (!info.IsDir() || info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows") {
		err = fmt.Errorf("%w, but it is %v", errDirectory, info.Mode())
	}
	return err
}

// begin starts the goroutines.
func (s *Spool) begin() {
	s.start.Do(func() {
		s.disk.begin()
		go s.send()
	})
}

func (s *Spool) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Stats is the state now.
func (s *Spool) Stats() Stats {
	stats := s.tally.snapshot()
	s.mu.Lock()
	defer s.mu.Unlock()
	stats.MemoryBytes = int64(s.bytes)
	const slack = time.Second
	if !s.underWay.IsZero() && time.Since(s.underWay) > s.options.Timeout+slack && stats.FailingSince.IsZero() {
		stats.HealthySince, stats.FailingSince = time.Time{}, s.underWay
		stats.LastError, stats.LastErrorAt = "a request has not returned though its time is over",
			s.underWay.Add(s.options.Timeout)
	}
	return stats
}

// Flush sends what waits, without regard to the time between requests that MinBackoff asks
// for, and returns when all is sent, the first request has failed, or the context is
// over. What then still waits is kept as before.
func (s *Spool) Flush(ctx context.Context) error {
	s.mu.Lock()
	before := s.failed
	s.mu.Unlock()
	if s.disk.begun.Load() && !s.isClosed() { // what was left by others is known when the first task has run
		_, err := ask(ctx, s.disk, func(*store) (struct{}, error) { return struct{}{}, nil }, nil)
		if ctx.Err() != nil {
			return err
		}
	}
	for {
		s.mu.Lock()
		failed, step, idle, stuck := s.failed > before, s.step, len(s.memory) == 0 && s.underWay.IsZero(), s.stuck
		s.mu.Unlock()
		stats := s.tally.snapshot()
		switch {
		case idle && stats.Oldest.IsZero():
			return nil
		case failed:
			return fmt.Errorf("spool: %d spans are kept on disk: %s", stats.Spans, stats.LastError)
		case idle && stuck:
			return fmt.Errorf("spool: a part of what is on disk cannot be read: %s", stats.DiskError)
		}
		select {
		case s.kick <- struct{}{}:
		default:
		}
		select {
		case <-step:
		case <-s.shut:
			return errClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stepped tells those who flush that the sender or the disk has done something.
func (s *Spool) stepped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.step)
	s.step = make(chan struct{})
}

// Shutdown takes no more spans, sends what waits until it is all sent, a request fails,
// or the context is over, and stops the client. What is on disk by then is not lost, and no
// error: the next process sends it. Only the first call does something; the others
// wait for it and return the same.
func (s *Spool) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if !first {
		select {
		case <-s.shut:
			return s.shutErr
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.shutErr = s.shutdown(ctx)
	close(s.shut)
	return s.shutErr
}

func (s *Spool) shutdown(ctx context.Context) error {
	defer s.kill()
	select {
	case s.turn <- struct{}{}: // an export may be under way
		<-s.turn
	case <-ctx.Done():
	}
	close(s.stop)
	idle := false
	s.start.Do(func() { idle = true }) // from here on nothing starts any more
	var errs []error
	if !idle {
		errs = append(errs, s.end(ctx))
		s.reportKept()
	}
	late, cancel := grace(ctx) // no request is under way any more, so that it takes no time
	defer cancel()
	errs = append(errs, s.client.Stop(late))
	return errors.Join(errs...)
}

// reportKept reports to OpenTelemetry's error handler what a shutdown left on disk.
func (s *Spool) reportKept() {
	stats := s.Stats()
	if stats.Spans == 0 {
		return
	}
	why := ""
	if stats.LastError != "" {
		why = "; the last error was: " + stats.LastError
	}
	complain(fmt.Errorf("spool: %d spans (%d bytes) are kept in %s and sent by the next process that uses it%s",
		stats.Spans, stats.Bytes, s.dir, why))
}

// end waits for the goroutines, and writes what is only in memory.
func (s *Spool) end(ctx context.Context) error {
	late, cancel := grace(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, s.kill)
	defer stop()
	select {
	case <-s.ended:
	case <-late.Done(): // the client does not heed its context
	}
	err := s.save(ctx)
	s.mu.Lock()
	left := 0
	for _, u := range s.memory {
		left += u.spans
		u.settled = true // a request that has not returned counts no more
	}
	s.memory, s.bytes = nil, 0
	s.mu.Unlock()
	if left > 0 {
		s.tally.drop(DroppedShutdown, left)
		err = fmt.Errorf("spool: %d spans are lost at shutdown: %w", left, err)
	} else {
		err = nil
	}
	late, cancel = grace(ctx)
	defer cancel()
	_, closeErr := ask(late, s.disk, func(st *store) (struct{}, error) { st.close(); return struct{}{}, nil }, nil)
	close(s.disk.quit)
	if closeErr == nil {
		<-s.disk.ended
	}
	return errors.Join(err, closeErr)
}

// grace is a context that is over shortly after ctx: what is under way then may still
// reach the disk. The function is to be called at the end.
func grace(ctx context.Context) (context.Context, context.CancelFunc) {
	const short = 100 * time.Millisecond
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(short, cancel) })
	return late, func() { stop(); cancel() }
}
