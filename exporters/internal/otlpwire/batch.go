// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// maxKept is how much memory is kept for the next batch, in bytes. Batches are seldom larger: a
// collector takes messages of 4 MiB.
const maxKept = 4 << 20

// A Batch writes batches of spans, one after the other, into memory that it uses again.
// The zero value is ready for use. It is not safe for concurrent use.
type Batch struct {
	scopes []scope
	spare  [][]byte
}

// scope are the spans of one scope of one resource.
type scope struct {
	resource *resource.Resource
	scope    instrumentation.Scope
	spans    []byte // the fields of a ScopeSpans that hold them
}

// Spans writes spans by their resources and scopes, in their order. Fields of what is returned
// hold the schemas' addresses and the scopes' lists; all else stands in it as fields
// that were written before, which protobuf passes on as they are when the messages
// are written. They are good until Spans is called again. Texts must be valid UTF-8: see package guard.
func (b *Batch) Spans(spans []sdktrace.ReadOnlySpan) []*tracepb.ResourceSpans {
	b.reset()
	var current *scope
	for _, s := range spans {
		if s == nil {
			continue
		}
		if r, in := s.Resource(), s.InstrumentationScope(); current == nil || current.resource != r || current.scope != in {
			current = b.find(r, in)
		}
		current.spans = appendSpan(current.spans, s)
	}
	return b.messages()
}

// reset takes the memory of the batch before.
func (b *Batch) reset() {
	kept := 0
	for _, buffer := range b.spare {
		kept += cap(buffer)
	}
	for i := range b.scopes {
		buffer := b.scopes[i].spans
		if kept += cap(buffer); kept > maxKept {
			break
		}
		b.spare = append(b.spare, buffer[:0])
	}
	clear(b.scopes)
	b.scopes = b.scopes[:0]
}

// find is the scope of a resource: there are few in a batch.
func (b *Batch) find(r *resource.Resource, in instrumentation.Scope) *scope {
	for i := range b.scopes {
		if s := &b.scopes[i]; s.resource.Equivalent() == r.Equivalent() && s.scope == in {
			return s
		}
	}
	b.scopes = append(b.scopes, scope{resource: r, scope: in})
	s := &b.scopes[len(b.scopes)-1]
	if n := len(b.spare) - 1; n >= 0 {
		s.spans, b.spare = b.spare[n], b.spare[:n]
	}
	return s
}

// messages puts the scopes into messages.
func (b *Batch) messages() []*tracepb.ResourceSpans {
	var all []*tracepb.ResourceSpans
	known := make(map[attribute.Distinct]*tracepb.ResourceSpans, 1)
	for i := range b.scopes {
		s := &b.scopes[i]
		of := known[s.resource.Equivalent()]
		if of == nil {
			of = &tracepb.ResourceSpans{SchemaUrl: s.resource.SchemaURL()}
			if s.resource != nil {
				written(of, appendResource(nil, s.resource))
			}
			known[s.resource.Equivalent()] = of
			all = append(all, of)
		}
		in := &tracepb.ScopeSpans{SchemaUrl: s.scope.SchemaURL}
		spans := s.spans
		if s.scope != (instrumentation.Scope{}) {
			spans = appendScope(spans, s.scope)
			s.spans = spans
		}
		written(in, spans)
		of.ScopeSpans = append(of.ScopeSpans, in)
	}
	return all
}

// written gives a message fields that are written already.
func written(m proto.Message, fields []byte) { m.ProtoReflect().SetUnknown(fields) }

func appendResource(b []byte, r *resource.Resource) []byte {
	b, at := begin(b, 1)
	b = appendSet(b, 1, *r.Set())
	return end(b, at)
}

func appendScope(b []byte, s instrumentation.Scope) []byte {
	b, at := begin(b, 1)
	b = appendText(b, 1, s.Name)
	b = appendText(b, 2, s.Version)
	b = appendSet(b, 3, s.Attributes)
	return end(b, at)
}

func appendSet(b []byte, field protowire.Number, set attribute.Set) []byte {
	for i := set.Iter(); i.Next(); {
		kv := i.Attribute()
		b = appendAttribute(b, field, &kv)
	}
	return b
}
