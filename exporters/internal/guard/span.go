// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// fit is what is sent instead of s, nil for s itself, and how many bytes it takes.
func (e *Exporter) fit(s sdktrace.ReadOnlySpan) (sdktrace.ReadOnlySpan, int) {
	n := otlpsize.Span(s)
	r, sound := e.described(s.Resource())
	scope := s.InstrumentationScope()
	if sound && n <= e.limits.Span && e.limits.scopeFits(scope) && e.limits.spanFits(s) {
		return nil, n
	}
	m := &mender{limits: &e.limits}
	fit := m.span(s)
	fit.resource = r
	if !e.limits.scopeFits(scope) {
		fit.scope = m.scope(scope)
	}
	e.mended.Add(1)
	e.note(m)
	return fit, otlpsize.Span(fit)
}

// spanFits reports whether what s says of itself can be sent as it is.
func (l *Limits) spanFits(s sdktrace.ReadOnlySpan) bool {
	if !fits(s.Name(), l.Name) || !fits(s.Status().Description, l.Value) || !l.attributesFit(s.Attributes(), 0) {
		return false
	}
	events, links := s.Events(), s.Links()
	if len(events) > l.Count || len(links) > l.Count {
		return false
	}
	for i := range events {
		if !fits(events[i].Name, l.Name) || !l.attributesFit(events[i].Attributes, 0) {
			return false
		}
	}
	for i := range links {
		if !l.attributesFit(links[i].Attributes, 0) {
			return false
		}
	}
	return true
}

// mended is a span that fits.
type mended struct {
	sdktrace.ReadOnlySpan
	name                                           string
	status                                         sdktrace.Status
	attributes                                     []attribute.KeyValue
	events                                         []sdktrace.Event
	links                                          []sdktrace.Link
	droppedAttributes, droppedEvents, droppedLinks int
	resource                                       *resource.Resource
	scope                                          instrumentation.Scope
}

func (m *mended) Name() string                                { return m.name }
func (m *mended) Status() sdktrace.Status                     { return m.status }
func (m *mended) Attributes() []attribute.KeyValue            { return m.attributes }
func (m *mended) Events() []sdktrace.Event                    { return m.events }
func (m *mended) Links() []sdktrace.Link                      { return m.links }
func (m *mended) DroppedAttributes() int                      { return m.droppedAttributes }
func (m *mended) DroppedEvents() int                          { return m.droppedEvents }
func (m *mended) DroppedLinks() int                           { return m.droppedLinks }
func (m *mended) Resource() *resource.Resource                { return m.resource }
func (m *mended) InstrumentationScope() instrumentation.Scope { return m.scope }

// span is s mended: with its values cut to the limit, if need be ever shorter, and when
// that is not enough with ever fewer of what it has many of.
func (m *mender) span(s sdktrace.ReadOnlySpan) *mended {
	count, longest := m.limits.Count, m.limits.Value
	for {
		try := &mender{limits: m.limits}
		fit := try.once(s, count, longest)
		switch {
		case otlpsize.Span(fit) <= m.limits.Span:
			m.invalid, m.cut, m.dropped = try.invalid, try.cut, try.dropped
			return fit
		case longest > minValue:
			longest = max(longest/2, minValue)
		default:
			count /= 2
		}
	}
}

// once mends a span with values of at most max bytes, and at most count of each thing.
func (m *mender) once(s sdktrace.ReadOnlySpan, count, max int) *mended {
	status := s.Status()
	status.Description = m.text(status.Description, max)
	attributes, events, links := s.Attributes(), s.Events(), s.Links()
	fit := &mended{
		ReadOnlySpan: s, name: m.text(s.Name(), m.limits.Name), status: status, scope: s.InstrumentationScope(),
		droppedAttributes: s.DroppedAttributes() + over(len(attributes), count),
		droppedEvents:     s.DroppedEvents() + over(len(events), count),
		droppedLinks:      s.DroppedLinks() + over(len(links), count),
		attributes:        m.attributes(attributes, count, max, 0),
	}
	m.dropped += over(len(events), count) + over(len(links), count)
	for _, e := range events[:len(events)-over(len(events), count)] {
		e.Name = m.text(e.Name, m.limits.Name)
		e.DroppedAttributeCount += over(len(e.Attributes), count)
		e.Attributes = m.attributes(e.Attributes, count, max, 0)
		fit.events = append(fit.events, e)
	}
	for _, l := range links[:len(links)-over(len(links), count)] {
		l.DroppedAttributeCount += over(len(l.Attributes), count)
		l.Attributes = m.attributes(l.Attributes, count, max, 0)
		fit.links = append(fit.links, l)
	}
	return fit
}

// over is by how much n is above count.
func over(n, count int) int { return max(0, n-count) }
