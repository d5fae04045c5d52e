// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"slices"
)

// maxReported is how many open sessions a report has.
const maxReported = 100

// Report is what was seen of all that passed before. After Close it has what was known
// then. An error says that ctx was over first.
func (w *Watcher) Report(ctx context.Context) (*Report, error) {
	r := &Report{
		Server: w.clean(w.Server), Counts: map[string]uint64{}, LostBytes: w.Tap.Lost(),
		Sessions: []SessionReport{}, Observations: []Observation{},
	}
	sessions := make(chan []SessionReport, 1)
	if w.Tap.CallNow(func() {
		var open []SessionReport
		for s := range w.Sessions {
			if len(open) == maxReported {
				break
			}
			open = append(open, s.report(true))
		}
		slices.SortFunc(open, func(a, b SessionReport) int { return a.Began.Compare(b.Began) })
		sessions <- open
	}) {
		select {
		case open := <-sessions:
			r.Sessions = append(r.Sessions, open...)
		case <-w.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	n := w.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	for kind, count := range n.counts {
		r.Counts[string(kind)] = count
	}
	r.Total = n.total
	r.Sessions = append(r.Sessions, n.ended...)
	r.Observations = append(r.Observations, n.latest...)
	return r, nil
}
