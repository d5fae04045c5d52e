// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import "go.opentelemetry.io/otel/trace"

// A decision is what is remembered of a trace.
type decision struct {
	threshold threshold // for what does not matter
	sampled   bool      // where it began
	matters   bool
}

// decisions remembers those of the latest traces.
type decisions struct {
	held  map[trace.TraceID]decision
	order []trace.TraceID // a ring of the ids held
	next  int             // the place of the oldest, once all are taken
	max   int
}

func newDecisions(max int) decisions {
	return decisions{held: make(map[trace.TraceID]decision), max: max}
}

// put remembers a decision; the oldest one makes room.
func (d *decisions) put(id trace.TraceID, what decision) {
	if _, ok := d.held[id]; ok {
		d.held[id] = what
		return
	}
	if len(d.order) < d.max {
		d.order = append(d.order, id)
	} else {
		delete(d.held, d.order[d.next])
		d.order[d.next] = id
		d.next = (d.next + 1) % d.max
	}
	d.held[id] = what
}
