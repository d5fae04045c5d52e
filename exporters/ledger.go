// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/stats"
)

// A Ledger is what became of the spans for one destination. At every moment
//
//	Ended + Found = Delivered + OnDisk + InMemory + SampledOut + what was Dropped
//
// InMemory is the rest: what ended and is nowhere else yet. After [Providers.Shutdown] it is 0, unless
// the deadline was over before all was sent or written.
type Ledger struct {
	Destination string            // the spool, or the exporter
	Ended       uint64            // spans that ended in this process, and were sampled
	Found       uint64            // spans that a process that ended had left on disk
	Delivered   uint64            // taken by the destination
	OnDisk      uint64            // in the spool, to be sent by this process or the next
	InMemory    uint64            // held by the tail sampler, or on their way
	SampledOut  uint64            // left out by the tail sampler
	Dropped     map[string]uint64 // lost, by reason
}

// DroppedSpans is how many were lost, for all reasons.
func (l Ledger) DroppedSpans() (n uint64) {
	for _, dropped := range l.Dropped {
		n += dropped
	}
	return n
}

// String is the ledger in one line.
func (l Ledger) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d ended", l.Destination, l.Ended)
	l.entries(func(account, reason string, n uint64) {
		if reason != "" {
			reason = " (" + reason + ")"
		}
		if account != accountEnded && (n > 0 || account == accountDelivered) {
			fmt.Fprintf(&b, ", %d %s%s", n, strings.ReplaceAll(account, "_", " "), reason)
		}
	})
	return b.String()
}

// The accounts of a ledger, as figures and metrics name them.
const (
	accountEnded     = "ended"
	accountDelivered = "delivered"
	accountDropped   = "dropped"
)

// entries calls f with every account; those that were dropped have a reason.
func (l Ledger) entries(f func(account, reason string, n uint64)) {
	f(accountEnded, "", l.Ended)
	f("found", "", l.Found)
	f(accountDelivered, "", l.Delivered)
	f("on_disk", "", l.OnDisk)
	f("in_memory", "", l.InMemory)
	f("sampled_out", "", l.SampledOut)
	for _, reason := range slices.Sorted(maps.Keys(l.Dropped)) {
		f(accountDropped, reason, l.Dropped[reason])
	}
}

// Ledger is what became of the spans until now, for each destination; consoles and simple processors of a
// configuration file have none. It works on nil.
func (p *Providers) Ledger() (all []Ledger) {
	if p == nil {
		return nil
	}
	for _, out := range p.outlets {
		if out.guard != nil {
			all = append(all, p.ledger(out))
		}
	}
	return all
}

// ledger reads the counts from the destination to where spans come from: so none is missed, and what moves
// on meanwhile counts as in memory.
func (p *Providers) ledger(out *outlet) Ledger {
	l := Ledger{Destination: out.to, Dropped: make(map[string]uint64)}
	drop := func(reason string, n uint64) {
		if n > 0 {
			l.Dropped[reason] += n
		}
	}
	if out.line.keeps {
		s := p.spool.Stats()
		l.Found, l.Delivered, l.OnDisk = s.Found, s.Delivered, uint64(s.Spans)
		for reason, n := range s.Dropped {
			drop(string(reason), n)
		}
	} else {
		s := out.line.state()
		l.Delivered = s.delivered
		drop("failed", s.failed)
		drop(string(spool.DroppedShutdown), s.lost)
	}
	b := out.batcher.Stats()
	l.Ended = b.Sent + b.Failed + b.Dropped + uint64(b.Queued)
	drop(queueFull, b.Dropped-b.Late)
	drop(alreadyShutdown, b.Late)
	if p.sampler != nil {
		s := p.sampler.Stats()
		l.SampledOut = s.SpansLeftOut
		drop(alreadyShutdown, s.AfterShutdown)
		l.Ended = s.SpansKept + s.SpansLeftOut + s.AfterShutdown + uint64(s.Held)
	}
	known := l.Delivered + l.OnDisk + l.SampledOut + l.DroppedSpans()
	l.Ended = max(l.Ended, known-min(known, l.Found)) // with what was given to [Providers.Spool] past the batcher
	l.InMemory = l.Ended + l.Found - known
	return l
}

// component is the ledger for the health of the program.
func (l Ledger) component() stats.Component {
	c := stats.Component{Name: "spans to " + l.Destination}
	l.entries(func(account, reason string, n uint64) {
		c.Figures = append(c.Figures, figure(strings.TrimSuffix(account+"_"+reason, "_"), n))
	})
	return c
}

// observe observes the ledger's metrics.
func (l Ledger) observe(o *observation, base []attribute.KeyValue) {
	base = slices.Clip(base)
	l.entries(func(account, reason string, n uint64) {
		if account == accountDropped {
			o.addValue(o.lost, int64(n), append(base, keyReason.String(reason)), "")
			return
		}
		o.addValue(o.ledger, int64(n), append(base, keyAccount.String(account)), "")
	})
}

// report logs the ledger at the end: as a warning where spans were lost.
func (l Ledger) report(ctx context.Context) {
	level := slog.LevelDebug
	switch {
	case l.InMemory+l.DroppedSpans() > 0:
		level = slog.LevelWarn
	case l.Destination == spoolName:
		level = slog.LevelInfo
	}
	slog.Log(ctx, level, "toolscope: spans to "+l.String())
}
