// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"context"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A pipeline stands between the SDK's batcher and an exporter. The batcher's shutdown
// leaves its goroutine sending for as long as the exporter retries; giveUp ends that.
type pipeline struct {
	exporter sdktrace.SpanExporter
	stopped  context.Context
	giveUp   context.CancelFunc
	ended    chan struct{} // closed when the exporter is shut down
	once     sync.Once
	keeps    bool // the exporter keeps spans also when it is given up

	mu    sync.Mutex
	count lineState
}

// lineState is what became of a pipeline's spans.
type lineState struct {
	delivered, failed uint64
	lost              uint64 // given up
	cause             error  // why the last of these were not taken
	shutErr           error  // of shutting the exporter down
}

func (p *pipeline) state() lineState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *pipeline) update(f func(*lineState)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.count)
}

func newPipeline(e sdktrace.SpanExporter) *pipeline {
	p := &pipeline{exporter: e, ended: make(chan struct{})}
	p.stopped, p.giveUp = context.WithCancel(context.Background())
	return p
}

// ExportSpans exports, until the pipeline is given up.
func (p *pipeline) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stopped, cancel)()
	n := uint64(len(spans))
	finished := false
	defer func() {
		if !finished { // it panicked
			p.update(func(s *lineState) { s.failed += n })
		}
	}()
	var err error
	if p.stopped.Err() == nil || p.keeps {
		err = p.exporter.ExportSpans(ctx, spans)
	}
	finished = true
	if p.stopped.Err() == nil || p.keeps && err == nil {
		p.update(func(s *lineState) {
			if err == nil {
				s.delivered += n
			} else {
				s.failed += n
			}
		})
		return err
	}
	p.update(func(s *lineState) { s.lost, s.cause = s.lost+n, cmp.Or(err, s.cause) }) // reported by Shutdown
	return nil
}

// Shutdown shuts the exporter down.
func (p *pipeline) Shutdown(ctx context.Context) error {
	err := p.exporter.Shutdown(ctx)
	p.once.Do(func() {
		p.update(func(s *lineState) { s.shutErr = err })
		close(p.ended)
	})
	return err
}
