// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"slices"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/spanowner"
)

// Forget removes the spans of a session from the ring: those that name it, and those of the same
// trace that name no other one. It returns how many. The id is as spans have it, after
// redaction. A tenant that is not "" spares the sessions of that id of other tenants. A
// span that ends meanwhile may be kept.
func (r *Ring) Forget(session, tenant string) (removed int) {
	if r == nil || session == "" {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for e := r.order.Front(); e != nil; {
		next := e.Next()
		t := e.Value.(*kept)
		owner := func(s sdktrace.ReadOnlySpan) (its, nobodys bool) { return owned(s, session, tenant) }
		if slices.ContainsFunc(t.spans, func(s sdktrace.ReadOnlySpan) bool { its, _ := owner(s); return its }) {
			t.spans = slices.DeleteFunc(t.spans, func(s sdktrace.ReadOnlySpan) bool {
				its, nobodys := owner(s)
				if !its && !nobodys {
					return false
				}
				n := size(s)
				t.bytes -= n
				r.bytes -= n
				r.spans--
				removed++
				return true
			})
			if len(t.spans) == 0 {
				r.order.Remove(e)
				delete(r.traces, t.id)
			}
		}
		e = next
	}
	return removed
}

// owned reports whether a span is the session's, or nobody's.
func owned(s sdktrace.ReadOnlySpan, session, tenant string) (its, nobodys bool) {
	return spanowner.Session{ID: session, Tenant: tenant}.Owns(func(yield func(string, string) bool) {
		for _, kv := range s.Attributes() {
			if !yield(string(kv.Key), kv.Value.AsString()) {
				return
			}
		}
	})
}
