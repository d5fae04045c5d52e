// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/retention"
)

// A purge is the deletion of a session.
type purge struct {
	id     string
	tenant string          // "" is any
	traces map[string]bool // that have a span of the session
	spans  int             // deleted so far
}

func newPurge(id, tenant string) *purge {
	return &purge{id: id, tenant: tenant, traces: make(map[string]bool)}
}

// look notes the traces of the session's spans.
func (p *purge) look(all []*tracepb.ResourceSpans) {
	each(all, func(s *tracepb.Span) {
		if its, _ := p.owns(s); its {
			p.traces[string(s.GetTraceId())] = true
		}
	})
}

// keeps reports whether a span is to stay.
func (p *purge) keeps(s *tracepb.Span) bool {
	its, unowned := p.owns(s)
	return !its && !(unowned && p.traces[string(s.GetTraceId())])
}

// owns reports whether a span is the session's, or no session's.
func (p *purge) owns(s *tracepb.Span) (its, unowned bool) {
	return retention.Session{ID: p.id, Tenant: p.tenant}.Owns(func(yield func(string, string) bool) {
		for _, kv := range s.GetAttributes() {
			if !yield(kv.GetKey(), kv.GetValue().GetStringValue()) {
				return
			}
		}
	})
}

// all goes through the segments, one at a time, so that others have their turn.
func (p *purge) all(run func(func(*store) error) error, pass func(*store, *segment) error) error {
	var segments []*segment
	err := run(func(st *store) error { segments = slices.Concat(st.lists[:]...); return nil })
	for _, g := range segments {
		if err != nil {
			return err
		}
		err = run(func(st *store) error {
			if !slices.Contains(st.lists[g.class], g) {
				return nil // sent meanwhile
			}
			return pass(st, g)
		})
	}
	return err
}

// search notes the traces of a segment's spans, also of those that were sent already.
func (p *purge) search(st *store, g *segment) error {
	data, _, err := g.peek(st.system)
	scan(data, func(_ int64, _ header, payload []byte) {
		var spans tracepb.TracesData
		if proto.Unmarshal(payload, &spans) == nil {
			p.look(spans.GetResourceSpans())
		}
	})
	return err
}
