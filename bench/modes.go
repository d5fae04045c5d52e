// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// A Wrapped is a tool with something around it, ready to be called.
type Wrapped struct {
	Handler toolkit.Handler
	Context context.Context
	Close   func()
}

// A Mode is one way to observe a tool, or none.
type Mode struct {
	Name string
	// Wrap puts it around a tool.
	Wrap func(tool toolkit.Handler) (Wrapped, error)
}

// Bare are the modes without toolscope.
func Bare() []Mode {
	return []Mode{
		{"nothing", func(tool toolkit.Handler) (Wrapped, error) {
			return Wrapped{tool, Context, func() {}}, nil
		}},
		hand("hand", NoProcessor, true, ByHand),
		hand("hand-span", NoProcessor, false, ByHand),
		hand("hand-careful", NoProcessor, true, ByCarefulHand),
		hand("hand-unsampled", NeverSampled, false, ByHand),
		hand("hand-sdk-batcher", SDKBatcher, false, ByHand),
		hand("hand-our-batcher", OurBatcher, false, ByHand),
		{"diy", func(tool toolkit.Handler) (Wrapped, error) {
			tracers := Tracers(NoProcessor)
			return Wrapped{HandWritten(tracers, Meters(), tool), Context, closing(tracers.Shutdown)}, nil
		}},
	}
}

func hand(
	name, processor string, metrics bool,
	by func(trace.TracerProvider, metric.MeterProvider, toolkit.Handler) toolkit.Handler,
) Mode {
	return Mode{name, func(tool toolkit.Handler) (Wrapped, error) {
		tracers := Tracers(processor)
		var meters metric.MeterProvider
		if metrics {
			meters = Meters()
		}
		return Wrapped{by(tracers, meters, tool), Context, closing(tracers.Shutdown)}, nil
	}}
}

// Ours are toolscope's modes, the cheapest first.
func Ours() []Mode {
	return []Mode{
		{"off", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{Settings: toolscope.Settings{Off: true}})
		}},
		{"stats", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{NoTracing: true, NoMetrics: true})
		}},
		{"no-provider", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, "", toolscope.Options{
				TracerProvider: tracenoop.NewTracerProvider(),
				MeterProvider:  metricnoop.NewMeterProvider(),
			})
		}},
		{"no-provider-set", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, "", toolscope.Options{})
		}},
		{"unsampled", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NeverSampled, toolscope.Options{NoMetrics: true})
		}},
		{"unsampled-metrics", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NeverSampled, toolscope.Options{})
		}},
		{"sampled-no-content", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{Content: tracing.ContentOff})
		}},
		{"sampled-off", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{Redactor: redactorOff()})
		}},
		{"sampled-no-stats", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{NoStats: true})
		}},
		{"sampled", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, NoProcessor, toolscope.Options{})
		}},
		{"sampled-sdk-batcher", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, SDKBatcher, toolscope.Options{})
		}},
		{"sampled-our-batcher", func(tool toolkit.Handler) (Wrapped, error) {
			return scoped(tool, OurBatcher, toolscope.Options{})
		}},
		{"everything", everything},
		{"everything-cancelable", cancelable},
	}
}

// redactorOff removes nothing: contents are only cut.
func redactorOff() *redact.Redactor {
	r, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		panic(err) // the option has no argument that could be wrong
	}
	return r
}

// everything is the sampled mode under every policy, in a session.
func everything(tool toolkit.Handler) (Wrapped, error) { return EverythingBut("")(tool) }

// cancelable is the same for a caller that may give up while duplicates wait for its run.
func cancelable(tool toolkit.Handler) (Wrapped, error) {
	w, err := everything(tool)
	if err != nil {
		return w, err
	}
	ctx, cancel := context.WithCancel(w.Context)
	shut := w.Close
	w.Context, w.Close = ctx, func() { cancel(); shut() }
	return w, nil
}

// EverythingBut is the mode "everything" without the policy at the place of that name: what is
// missing then is what the policy costs among the others. "all" leaves out each.
func EverythingBut(place string) func(tool toolkit.Handler) (Wrapped, error) {
	return func(tool toolkit.Handler) (Wrapped, error) {
		policies, err := Policies()
		if err != nil {
			return Wrapped{}, err
		}
		policies = slices.DeleteFunc(
			policies, func(p middleware.Policy) bool { return place == "all" || p.Stage().String() == place },
		)
		w, err := scoped(tool, NoProcessor, toolscope.Options{Policies: policies})
		w.Context = toolkit.WithSession(
			context.Background(), toolkit.Session{ID: "0b6d6a5e-4f0f-4e0e-8f6a-5f7d3f1c2a11", Agent: "planner"},
		)
		return w, err
	}
}

// scoped wraps a tool in a scope of its own; without a processor it has no providers.
func scoped(tool toolkit.Handler, processor string, o toolscope.Options) (Wrapped, error) {
	shut := func(context.Context) error { return nil }
	if processor != "" {
		tracers := Tracers(processor)
		shut = tracers.Shutdown
		o.TracerProvider, o.MeterProvider = tracers, Meters()
	}
	scope, err := toolscope.New(o)
	if err != nil {
		return Wrapped{}, err
	}
	return Wrapped{scope.Wrap(tool, toolkit.Lookup(Lookup)), Context, closing(scope.Shutdown, shut)}, nil
}

// closing shuts down what a mode has started, in order.
func closing(steps ...func(context.Context) error) func() {
	return func() {
		for _, step := range steps {
			_ = step(context.Background()) // nothing here can fail
		}
	}
}

// Find is the mode of a name; it panics if there is none.
func Find(name string) Mode {
	for _, m := range append(Bare(), Ours()...) {
		if m.Name == name {
			return m
		}
	}
	panic("bench: Find: got " + name + ", want the name of a mode")
}
