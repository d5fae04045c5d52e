// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"time"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/stats"
)

var _ stats.HealthSource = (*Providers)(nil)

// parts lists all of them. A new kind of part is a row here.
func (p *Providers) parts() (all []part) {
	for _, out := range p.outlets {
		all = append(all, out)
	}
	for _, w := range p.watches {
		all = append(all, w)
	}
	if p.sampler != nil {
		all = append(all, sampling{p.sampler})
	}
	if p.spool != nil {
		all = append(all, spooling{p.spool})
	}
	if p.Ring != nil {
		all = append(all, p.Ring)
	}
	return all
}

// lately is how long a span that was dropped is a problem.
const lately = 5 * time.Minute

// Components are the state of the queues, the exporters, the sampler, the spool, the ring and the ledger, for
// [statshttp.Options].Health. Nil providers have none.
func (p *Providers) Components() []stats.Component {
	if p == nil {
		return nil
	}
	var all []stats.Component
	for _, part := range p.parts() {
		all = append(all, part.component())
	}
	for _, l := range p.Ledger() {
		all = append(all, l.component())
	}
	return all
}

// sampling is the tail sampler as a part.
type sampling struct{ *tailsample.Processor }

func (s sampling) component() stats.Component {
	n := s.Stats()
	return stats.Component{Name: "tail sampler", Figures: []stats.Figure{
		figure("traces_followed", n.Following), figure("spans_held", n.Held), figure("bytes_held", n.HeldBytes),
		figure("traces_mattered", n.Mattered), figure("traces_sampled", n.Sampled), figure("traces_left_out", n.LeftOut),
		figure("judged_early", n.Early), figure("came_late", n.Late), figure("after_shutdown", n.AfterShutdown),
		figure("spans_kept", n.SpansKept), figure("spans_left_out", n.SpansLeftOut), figure("panics", n.Panics),
	}}
}

func (s sampling) observe(o *observation) {
	n := s.Stats()
	o.addValue(o.held, int64(n.Held), nil, "")
	o.addValue(o.sampled, int64(n.SpansKept), decision("kept"), "")
	o.addValue(o.sampled, int64(n.SpansLeftOut), decision("left_out"), "")
	o.addValue(o.sampled, int64(n.AfterShutdown), decision("none"), alreadyShutdown)
}

func (r *Ring) component() stats.Component {
	s := r.state()
	return stats.Component{Name: "ring", Figures: []stats.Figure{
		figure("spans", s.Spans), figure("traces", s.Traces), figure("bytes", s.Bytes),
		figure("traces_held", s.Held), figure("spans_made_room", s.Dropped),
	}}
}

// observe does nothing: there are no metrics of a ring.
func (*Ring) observe(*observation) {}
