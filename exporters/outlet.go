// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/batch"
	"github.com/toolscope/toolscope/exporters/internal/guard"
	"github.com/toolscope/toolscope/exporters/scrub"
	"github.com/toolscope/toolscope/stats"
)

// An outlet is a queue of spans with the exporter behind it.
type outlet struct {
	name    string // otel.component.name of the batcher
	to      string // what spans go to
	batcher *batch.Batcher
	line    *pipeline
	guard   *guard.Exporter // nil for a console
	scrub   *scrub.Exporter // nil with Options.NoScrub
}

// addOutlet makes the batcher in front of an exporter. What it passes on is redacted before anything is cut.
func (p *Providers) addOutlet(o *Options, e sdktrace.SpanExporter, to string, guarded *guard.Exporter,
	batching batch.Options) *batch.Batcher {
	var scrubbed *scrub.Exporter
	if !o.NoScrub {
		scrubbed = scrub.New(e, o.Redactor)
		e = scrubbed
	}
	line := newPipeline(e)
	line.keeps = to == spoolName
	b := batch.New(line, batching)
	p.outlets = append(p.outlets, &outlet{name: fmt.Sprintf("%s/%d", batcherType, len(p.outlets)), to: to, batcher: b,
		line: line, guard: guarded, scrub: scrubbed})
	return b
}

func (out *outlet) component() stats.Component {
	s := out.batcher.Stats()
	c := stats.Component{Name: "queue to " + out.to, Figures: []stats.Figure{
		figure("queued", s.Queued), figure("capacity", out.batcher.Capacity()), figure("sent", s.Sent),
		figure("failed", s.Failed), figure("dropped_queue_full", s.Dropped-s.Late),
		figure("dropped_after_shutdown", s.Late), figure("given_up", out.line.state().lost),
	}}
	if out.guard != nil {
		g := out.guard.Stats()
		c.Figures = append(c.Figures, figure("mended", g.Mended), figure("mended_invalid", g.Invalid),
			figure("mended_cut", g.Cut), figure("mended_dropped", g.Dropped), figure("parts", g.Parts))
	}
	if out.scrub != nil {
		s := out.scrub.Stats()
		c.Figures = append(c.Figures, figure("scrubbed_spans", s.Spans), figure("scrubbed_values", s.Values))
	}
	if last := out.batcher.LastDrop(); time.Since(last) < lately {
		c.Problems = append(c.Problems, fmt.Sprintf("%d spans were dropped until now, the last one at %s: the queue is full",
			s.Dropped-s.Late, last.UTC().Format(time.RFC3339)))
	}
	return c
}

func (out *outlet) observe(o *observation) {
	s, base := out.batcher.Stats(), component(batcherType, out.name)
	o.addValue(o.queue, int64(s.Queued), base, "")
	o.addValue(o.capacity, int64(out.batcher.Capacity()), base, "")
	o.addValue(o.processed, int64(s.Sent+s.Failed), base, "")
	o.addValue(o.processed, int64(s.Dropped-s.Late), base, queueFull)
	o.addValue(o.processed, int64(s.Late), base, alreadyShutdown)
	if out.guard != nil {
		o.addValue(o.mended, int64(out.guard.Stats().Mended), base, "")
	}
	if out.scrub != nil {
		o.addValue(o.scrubbed, int64(out.scrub.Stats().Spans), base, "")
	}
}
