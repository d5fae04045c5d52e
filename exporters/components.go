// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"
	"slices"
	"time"

	"github.com/toolscope/toolscope/exporters/guard"
	"github.com/toolscope/toolscope/stats"
)

// An outlet is a queue of spans with what stands behind it.
type outlet struct {
	name    string // otel.component.name of the batcher
	to      string // what spans go to
	batcher *Batcher
	line    *pipeline
	guard   *guard.Exporter // nil for a console
}

var _ stats.HealthSource = (*Providers)(nil)

// slowExport is how long an export may take before it is a problem.
const slowExport = 5 * time.Second

// lately is how long a span that was dropped is a problem.
const lately = 5 * time.Minute

// Components tell how the queues, the exporters, the sampler, the spool and the ring are, for
// [statshttp.Options].Health. Nil providers have none.
func (p *Providers) Components() []stats.Component {
	if p == nil {
		return nil
	}
	var all []stats.Component
	for _, out := range p.outlets {
		all = append(all, out.component())
	}
	for _, w := range p.watches {
		all = append(all, w.component())
	}
	if p.Sampler != nil {
		s := p.Sampler.Stats()
		all = append(all, stats.Component{Name: "tail sampler", Figures: []stats.Figure{
			{Name: "traces_followed", Value: float64(s.Following)}, {Name: "spans_held", Value: float64(s.Held)},
			{Name: "traces_mattered", Value: float64(s.Mattered)}, {Name: "traces_sampled", Value: float64(s.Sampled)},
			{Name: "traces_left_out", Value: float64(s.LeftOut)}, {Name: "judged_early", Value: float64(s.Early)}, {Name: "came_late", Value: float64(s.Late)},
			{Name: "spans_kept", Value: float64(s.SpansKept)}, {Name: "spans_left_out", Value: float64(s.SpansLeftOut)},
		}})
	}
	if p.Spool != nil {
		all = append(all, spoolComponent(p.Spool.Stats()))
	}
	if p.Ring != nil {
		s := p.Ring.State()
		all = append(all, stats.Component{Name: "ring", Figures: []stats.Figure{
			{Name: "spans", Value: float64(s.Spans)}, {Name: "bytes", Value: float64(s.Bytes)}, {Name: "spans_made_room", Value: float64(s.Dropped)},
		}})
	}
	return all
}

func (out *outlet) component() stats.Component {
	s := out.batcher.Stats()
	c := stats.Component{Name: "queue to " + out.to, Figures: []stats.Figure{
		{Name: "queued", Value: float64(s.Queued)}, {Name: "capacity", Value: float64(out.batcher.options.MaxQueue)}, {Name: "sent", Value: float64(s.Sent)},
		{Name: "failed", Value: float64(s.Failed)}, {Name: "dropped_queue_full", Value: float64(s.Dropped - s.Late)},
		{Name: "dropped_after_shutdown", Value: float64(s.Late)}, {Name: "given_up", Value: float64(out.line.lost.Load())},
	}}
	if out.guard != nil {
		g := out.guard.Stats()
		c.Figures = append(c.Figures, stats.Figure{Name: "mended", Value: float64(g.Mended)}, stats.Figure{Name: "mended_invalid", Value: float64(g.Invalid)},
			stats.Figure{Name: "mended_cut", Value: float64(g.Cut)}, stats.Figure{Name: "mended_dropped", Value: float64(g.Dropped)}, stats.Figure{Name: "parts", Value: float64(g.Parts)})
	}
	if last := out.batcher.lastDrop.Load(); last != 0 && time.Since(time.Unix(0, last)) < lately {
		c.Problems = append(c.Problems, fmt.Sprintf("%d spans were dropped until now, the last one at %s: the queue is full",
			s.Dropped-s.Late, time.Unix(0, last).UTC().Format(time.RFC3339)))
	}
	return c
}

func (w *watch) component() stats.Component {
	s := w.state()
	c := stats.Component{Name: w.name, Figures: []stats.Figure{{Name: "inflight", Value: float64(s.inflight)}, {Name: "exported", Value: float64(s.exported)}}}
	kinds := make([]string, 0, len(s.failed))
	for kind := range s.failed {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		c.Figures = append(c.Figures, stats.Figure{Name: "failed_" + kind, Value: float64(s.failed[kind])})
	}
	if took := time.Since(s.since); s.inflight > 0 && took > slowExport {
		c.Problems = append(c.Problems, fmt.Sprintf("an export of %d spans has been running for %v", s.inflight, took.Round(time.Second)))
	}
	switch {
	case s.streak == 1:
		c.Problems = append(c.Problems, fmt.Sprintf("the last export failed (%s)", s.last))
	case s.streak > 1:
		c.Problems = append(c.Problems, fmt.Sprintf("the last %d exports failed (%s)", s.streak, s.last))
	}
	return c
}
