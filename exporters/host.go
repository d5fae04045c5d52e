// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"reflect"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// ours are the global providers that Setup made, as opposed to the application's.
var ours struct {
	sync.Mutex
	tracers trace.TracerProvider
	meters  metric.MeterProvider
	loggers log.LoggerProvider
	carries propagation.TextMapPropagator
}

type carrying struct{ propagation.TextMapPropagator }

// adoptGlobals takes the providers and the propagator that the host made global before, one by one, so that nothing
// is built in their place.
func (p *Providers) adoptGlobals() {
	ours.Lock()
	defer ours.Unlock()
	if g := otel.GetTracerProvider(); hosts(g, ours.tracers) {
		p.TracerProvider = g
	}
	if g := otel.GetMeterProvider(); hosts(g, ours.meters) {
		p.MeterProvider = g
	}
	if g := otel.GetLoggerProvider(); hosts(g, ours.loggers) {
		p.LoggerProvider = g
	}
	if g := otel.GetTextMapPropagator(); hosts(g, ours.carries) {
		p.Propagator, p.hostsPropagator = g, true
	}
}

// hosts reports whether a global provider is the application's: not toolscope's, and not the placeholder
// that stands there until the application sets one, whose type is in an internal package of
// OpenTelemetry's.
func hosts(global, our any) bool {
	if global == nil {
		return false
	}
	t := reflect.TypeOf(global)
	if t.Comparable() && t == reflect.TypeOf(our) && global == our {
		return false
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() != "go.opentelemetry.io/otel/internal/global"
}

// setGlobals makes global what Setup built.
func (p *Providers) setGlobals() {
	ours.Lock()
	defer ours.Unlock()
	if p.tracers != nil {
		ours.tracers = p.TracerProvider
		otel.SetTracerProvider(p.TracerProvider)
	}
	if p.meters != nil {
		ours.meters = p.MeterProvider
		otel.SetMeterProvider(p.MeterProvider)
	}
	if p.loggers != nil {
		ours.loggers = p.LoggerProvider
		otel.SetLoggerProvider(p.LoggerProvider)
	}
	if !p.hostsPropagator {
		ours.carries = &carrying{p.Propagator} // a pointer has an identity to compare
		otel.SetTextMapPropagator(ours.carries)
	}
}
