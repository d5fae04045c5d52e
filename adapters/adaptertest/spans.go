// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adaptertest

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
)

// provider remembers all spans. It is not the SDK's, which would be a dependency of every adapter.
type provider struct {
	embedded.TracerProvider
	mu    sync.Mutex
	spans []*span
}

func (p *provider) Tracer(scope string, _ ...trace.TracerOption) trace.Tracer {
	return &tracer{provider: p, scope: scope}
}

// all are the spans that have started.
func (p *provider) all() []*span {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.spans)
}

type tracer struct {
	embedded.Tracer
	provider *provider
	scope    string
}

func (t *tracer) Start(
	ctx context.Context, name string, options ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	start := trace.NewSpanStartConfig(options...)
	t.provider.mu.Lock()
	defer t.provider.mu.Unlock()
	s := &span{provider: t.provider, scope: t.scope, name: name, attributes: map[attribute.Key]attribute.Value{}}
	if parent := trace.SpanContextFromContext(ctx); parent.IsValid() && !start.NewRoot() {
		s.parent = parent.SpanID()
		s.context = parent
	}
	number := uint64(len(t.provider.spans) + 1)
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], number)
	if !s.context.IsValid() {
		var trace16 trace.TraceID
		binary.BigEndian.PutUint64(trace16[8:], number)
		s.context = trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace16, TraceFlags: trace.FlagsSampled})
	}
	s.context = s.context.WithSpanID(id).WithRemote(false)
	s.set(start.Attributes())
	t.provider.spans = append(t.provider.spans, s)
	return trace.ContextWithSpan(ctx, s), s
}

// span is a span that has started. Its fields are the provider's lock's.
type span struct {
	embedded.Span
	provider   *provider
	scope      string
	name       string
	parent     trace.SpanID
	context    trace.SpanContext
	attributes map[attribute.Key]attribute.Value
	ended      int
}

func (s *span) set(kv []attribute.KeyValue) {
	for _, a := range kv {
		s.attributes[a.Key] = a.Value
	}
}

func (s *span) SetAttributes(kv ...attribute.KeyValue) {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	s.set(kv)
}

func (s *span) End(...trace.SpanEndOption) {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	s.ended++
}

func (s *span) SetName(name string) {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	s.name = name
}

// attribute is the value of an attribute as text.
func (s *span) attribute(key attribute.Key) string {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	return s.attributes[key].String()
}

// Attributes are as a span of the SDK has them, for adapters that read a framework's span.
func (s *span) Attributes() []attribute.KeyValue {
	s.provider.mu.Lock()
	defer s.provider.mu.Unlock()
	var all []attribute.KeyValue
	for key, value := range s.attributes {
		all = append(all, attribute.KeyValue{Key: key, Value: value})
	}
	return all
}

func (s *span) SpanContext() trace.SpanContext           { return s.context }
func (s *span) IsRecording() bool                        { return true }
func (s *span) TracerProvider() trace.TracerProvider     { return s.provider }
func (s *span) AddEvent(string, ...trace.EventOption)    {}
func (s *span) AddLink(trace.Link)                       {}
func (s *span) RecordError(error, ...trace.EventOption)  {}
func (s *span) SetStatus(code codes.Code, reason string) {}
