// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// described is what is sent instead of a resource; sound says that it is the resource
// itself. All spans of a provider share one, so that the latest is remembered.
func (e *Exporter) described(r *resource.Resource) (sent *resource.Resource, sound bool) {
	if known := e.resource.Load(); known != nil && known.given == r {
		return known.sent, known.sent == r
	}
	sent = r
	if r != nil && !e.limits.setFits(*r.Set(), r.SchemaURL()) {
		m := &mender{limits: &e.limits}
		sent = resource.NewWithAttributes(m.text(r.SchemaURL(), e.limits.Name), m.set(*r.Set())...)
		e.note(m)
	}
	e.resource.Store(&resources{r, sent})
	return sent, sent == r
}

func (l *Limits) scopeFits(s instrumentation.Scope) bool {
	return fits(s.Name, l.Name) && fits(s.Version, l.Name) && l.setFits(s.Attributes, s.SchemaURL)
}

func (m *mender) scope(s instrumentation.Scope) instrumentation.Scope {
	return instrumentation.Scope{
		Name: m.text(s.Name, m.limits.Name), Version: m.text(s.Version, m.limits.Name),
		SchemaURL: m.text(s.SchemaURL, m.limits.Name), Attributes: attribute.NewSet(m.set(s.Attributes)...),
	}
}

// setFits reports whether attributes of a resource or scope can be sent as they are.
func (l *Limits) setFits(s attribute.Set, schemaURL string) bool {
	if !fits(schemaURL, l.Name) || s.Len() > l.Count {
		return false
	}
	n := 0
	for i := s.Iter(); i.Next(); {
		kv := i.Attribute()
		n += otlpsize.Attribute(&kv)
		if !fits(string(kv.Key), l.Name) || !l.valueFits(kv.Value, 0) {
			return false
		}
	}
	return n <= maxDescribed
}

// set are the attributes of a resource or scope, mended.
func (m *mender) set(s attribute.Set) []attribute.KeyValue {
	list := m.attributes(s.ToSlice(), m.limits.Count, m.limits.Value, 0)
	return first(m, list, maxDescribed, sizeOfAttribute)
}
