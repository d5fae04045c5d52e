// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import "github.com/toolscope/toolscope/stats"

// Source shows the ring's traces on the dashboard, through statshttp.Options.Traces. A nil
// ring has none. A scope or handler that has it makes the ring keep the traces of its example calls.
func (r *Ring) Source() stats.TraceSource { return source{r} }

type source struct{ ring *Ring }

// KeepExamplesOf makes the ring keep the traces of the example calls of a recorder's error groups.
func (s source) KeepExamplesOf(recorder exampleSource) {
	if s.ring == nil {
		return
	}
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	s.ring.held.addSource(recorder)
}

// Trace returns the spans of a trace with their attributes.
func (s source) Trace(id string) ([]stats.SpanView, bool) {
	t, ok := s.ring.Trace(id)
	if !ok {
		return nil, false
	}
	views := make([]stats.SpanView, len(t.Spans))
	for i, span := range viewsOf(t.Spans) {
		v := stats.SpanView{SpanID: span.SpanID, ParentID: span.ParentID, Name: span.Name, Start: span.Start,
			End: span.End, Failed: span.Failed}
		for _, a := range span.Attributes {
			v.Attributes = append(v.Attributes, stats.SpanAttribute{Key: a.Key, Value: a.Value})
		}
		views[i] = v
	}
	return views, true
}
