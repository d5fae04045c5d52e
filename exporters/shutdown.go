// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// shutdownLimit is how long a shutdown may take whose context has no deadline: the
// exporters' own retries could hold a program's exit for minutes.
const shutdownLimit = 5 * time.Second

// Flush sends what has been recorded so far, and returns when it is sent or the
// context is over; one without a deadline is over after 5 seconds. After [Providers.Shutdown] it does nothing.
func (p *Providers) Flush(ctx context.Context) error {
	if p == nil || p.closed == nil || p.isClosed() {
		return nil
	}
	var tasks []func(context.Context) error
	if p.meters != nil {
		tasks = append(tasks, p.meters.ForceFlush)
	}
	if p.loggers != nil {
		tasks = append(tasks, p.loggers.ForceFlush)
	}
	for _, process := range p.processes {
		tasks = append(tasks, process.ForceFlush)
	}
	for _, out := range p.outlets {
		tasks = append(tasks, out.batcher.ForceFlush)
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	err := together(ctx, tasks)
	if p.spool != nil {
		err = errors.Join(err, p.spool.Flush(ctx))
	}
	return err
}

// limited is ctx with a deadline.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, shutdownLimit)
}

// Shutdown sends what has been recorded, stops everything, and returns when that
// is done or the context is over, whichever is first; a context without a deadline
// counts as one of 5 seconds. What a destination did not take in that time is given
// up, and the error says how many spans that is. A second call waits for the first
// and returns the same. Spans begun later are not recorded; the ring can still be read.
func (p *Providers) Shutdown(ctx context.Context) error {
	if p == nil || p.closed == nil {
		return nil
	}
	p.closing.Do(func() {
		p.closeErr = p.shutdown(ctx)
		close(p.closed)
	})
	return p.closeErr
}

func (p *Providers) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// shutdown stops everything at once, so that a dead destination takes no time from
// the others. Shortly before the deadline it gives up what is still being sent: only
// then do the SDK's batcher and the exporter's connection come to an end.
func (p *Providers) shutdown(ctx context.Context) error {
	ctx, end := limited(ctx)
	defer end()
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	flush, cancel := context.WithDeadline(ctx, deadline.Add(-min(left/5, time.Second)))
	defer cancel()
	stop := context.AfterFunc(flush, func() {
		for _, out := range p.outlets {
			out.line.giveUp()
		}
	})

	_ = p.sampler.Shutdown(flush) // what it holds goes to the batchers, before they stop
	if p.unwatch != nil {
		defer p.unwatch() // after the last metrics were sent
	}

	var others []func(context.Context) error
	if p.meters != nil {
		others = append(others, p.meters.Shutdown)
	}
	if p.loggers != nil {
		others = append(others, p.loggers.Shutdown)
	}
	tasks := []func(context.Context) error{func(context.Context) error {
		if err := together(flush, others); err != nil {
			return fmt.Errorf("metrics and logs are not all sent: %w", err)
		}
		return nil
	}}
	if p.tracers != nil {
		// It shuts its processors down one after the other, the application's first, with all the time there
		// is. The batchers have less, so it waits until their shutdown has begun: its own is then a no-op.
		tasks = append(tasks, func(ctx context.Context) error {
			for _, out := range p.outlets {
				<-out.batcher.Stopping()
			}
			return p.tracers.Shutdown(ctx)
		})
	}
	for _, out := range p.outlets {
		tasks = append(tasks, func(ctx context.Context) error { return out.shutdown(flush, ctx) })
	}
	err := together(ctx, tasks)
	lost, causes := uint64(0), []error(nil)
	for _, out := range p.outlets {
		s := out.line.state()
		lost += s.lost
		causes = append(causes, s.cause)
	}
	stop()
	err = errors.Join(err, p.rejected.shutdown(ctx))
	for _, closeIdle := range p.idle {
		closeIdle()
	}
	for _, l := range p.Ledger() {
		l.report(ctx)
	}
	if lost > 0 {
		err = errors.Join(append([]error{fmt.Errorf("%d spans were not delivered", lost), err}, causes...)...)
	}
	if err != nil {
		return fmt.Errorf("exporters: shutdown: %w", err)
	}
	return nil
}

// shutdown shuts the batcher down with what it sends to. A spool needs a moment after the end of flush, to
// put on disk what is being sent: it may take until the end of hard.
func (out *outlet) shutdown(flush, hard context.Context) error {
	err := out.batcher.Shutdown(flush)
	select {
	case <-out.line.ended:
		if out.line.keeps {
			return out.line.state().shutErr
		}
	case <-hard.Done():
	}
	return err
}

// together runs the tasks at the same time and returns when all have returned or
// the context is over, which it tells once.
func together(ctx context.Context, tasks []func(context.Context) error) error {
	returned := make(chan error, len(tasks))
	for _, task := range tasks {
		go func() { returned <- task(ctx) }()
	}
	var errs []error
	for range tasks {
		select {
		case err := <-returned:
			if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
				errs = append(errs, err)
			}
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}
