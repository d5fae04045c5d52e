// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
)

// unscanned is the kind of what a redactor removed because it could not look at it: nested too
// deep, too costly, or a failure of its own.
const unscanned = "unscanned"

// self is what the scope tells of itself.
type self struct {
	withheld atomic.Uint64 // values removed unscanned
	applied  atomic.Uint64 // how often settings were changed
	unwatch  func()        // ends the metrics

	mu                  sync.Mutex
	observers, adapters noticedPanics
}

// noticedPanics are the panics of a kind that readers have noticed.
type noticedPanics struct {
	panics  uint64    // when a reader last asked
	noticed time.Time // when a reader noticed the latest of them
}

// component reports the panics of a kind, a problem if the latest is recent; effect is what they cause.
func (n *noticedPanics) component(name string, panics uint64, effect string) stats.Component {
	if panics > n.panics {
		n.panics, n.noticed = panics, time.Now()
	}
	c := stats.Component{Name: name, Figures: stats.Figures{{Name: "panics", Value: float64(panics)}}}
	if panics > 0 && time.Since(n.noticed) < lately {
		c.Problems = []string{fmt.Sprintf("%s panicked %d times until now: %s", name, panics, effect)}
	}
	return c
}

// lately is how long a panic is a problem.
const lately = 5 * time.Minute

func (s *self) note(f redact.Findings) {
	for _, found := range f {
		if found.Kind == unscanned {
			s.withheld.Add(uint64(found.Count))
		}
	}
}

// Components report how observing and redacting go, for [statshttp.Options].Health. A panic of an
// observer or of an adapter's function is a problem for some minutes: what is recorded has holes.
func (s *self) Components() []stats.Component {
	s.mu.Lock()
	observers := s.observers.component("observers", counters.ObserverPanics.Load(), "what they observe has holes")
	adapters := s.adapters.component("adapters", counters.AdapterPanics.Load(), "records of their calls have holes")
	s.mu.Unlock()
	redaction := stats.Component{Name: "redaction", Figures: stats.Figures{{Name: "withheld_unscanned",
		Value: float64(s.withheld.Load())}}}
	return []stats.Component{observers, adapters, redaction}
}

// The bounds of a recorder that can overflow.
var overflows = []struct {
	bound string
	of    func(*stats.Limits) uint64
}{
	{"error_groups", func(l *stats.Limits) uint64 { return l.EvictedGroups }},
	{"sessions", func(l *stats.Limits) uint64 { return l.EvictedSessions }},
	{"recent_calls", func(l *stats.Limits) uint64 { return l.DroppedRecent }},
}

// keyBound is the bound that the recorder reached: error_groups, sessions or recent_calls.
const keyBound = attribute.Key("toolscope.self.bound")

// watchSelf makes the metrics about the scope itself.
func (s *Scope) watchSelf() error {
	meter := s.tracer.Protocol().MeterProvider().Meter("github.com/toolscope/toolscope")
	withheld, e1 := meter.Int64ObservableCounter("toolscope.self.redaction.withheld", metric.WithUnit("{value}"),
		metric.WithDescription("The number of values removed because the redactor could not look at them."))
	panics, e2 := meter.Int64ObservableCounter("toolscope.self.observer.panics", metric.WithUnit("{panic}"),
		metric.WithDescription("The number of panics of observers that were swallowed in this process."))
	adapters, e4 := meter.Int64ObservableCounter("toolscope.self.adapter.panics", metric.WithUnit("{panic}"),
		metric.WithDescription("The number of panics of adapters' functions that were contained in this process."))
	overflow, e3 := meter.Int64ObservableCounter("toolscope.self.recorder.overflows", metric.WithUnit("{item}"),
		metric.WithDescription("The number of items that made room in the statistics for others."))
	applied, e5 := meter.Int64ObservableCounter("toolscope.self.settings.applied", metric.WithUnit("{change}"),
		metric.WithDescription("The number of times that settings were changed while the scope was in use."))
	if err := errors.Join(e1, e2, e3, e4, e5); err != nil {
		return err
	}
	sets := make([]metric.MeasurementOption, len(overflows))
	for i, o := range overflows {
		sets[i] = metric.WithAttributeSet(attribute.NewSet(keyBound.String(o.bound)))
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(withheld, int64(s.self.withheld.Load()))
		o.ObserveInt64(applied, int64(s.self.applied.Load()))
		o.ObserveInt64(panics, int64(counters.ObserverPanics.Load()))
		o.ObserveInt64(adapters, int64(counters.AdapterPanics.Load()))
		if s.recorder != nil {
			limits := s.recorder.Limits()
			for i := range overflows {
				o.ObserveInt64(overflow, int64(overflows[i].of(&limits)), sets[i])
			}
		}
		return nil
	}, withheld, applied, panics, adapters, overflow)
	if err != nil {
		return err
	}
	s.self.unwatch = func() { _ = registration.Unregister() }
	return nil
}
