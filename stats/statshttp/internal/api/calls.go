// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
)

// maxSpans is how many spans of a call's trace are answered.
const maxSpans = 5000

// Calls answers /api/v1/calls.
func (s *Source) Calls(r *Request) (any, *answer.Problem) {
	list, next := s.Find(r.Filter, r.Limit)
	return CallList{list, next}, nil
}

// Find returns the calls selected, at most limit, and the id before which the next ones are; 0 if there are none.
func (s *Source) Find(f stats.Filter, limit int) (list []CallLink, next uint64) {
	f.Limit = limit + 1
	list = []CallLink{}
	for _, c := range s.Recorder.Recent(f) {
		if len(list) == limit {
			return list, list[limit-1].ID
		}
		list = append(list, s.Linked(c))
	}
	return list, 0
}

// Linked is a call with the link to its trace.
func (s *Source) Linked(c stats.RecentCall) CallLink {
	l := CallLink{RecentCall: c}
	if c.Sampled {
		l.TraceURL = s.TraceURL(c.TraceID)
	}
	return l
}

// Call answers /api/v1/calls/{id}.
func (s *Source) Call(r *Request) (any, *answer.Problem) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, &answer.Problem{Status: http.StatusBadRequest,
			Detail: "got call " + display.Quoted(r.PathValue("id")) + ", want the number of one"}
	}
	c, ok := s.Recorder.Call(id)
	if !ok {
		return nil, answer.NotFound(fmt.Sprintf(
			"call %d is not among the recent ones that are kept; /api/v1/calls lists them", id))
	}
	d := CallDetail{CallLink: s.Linked(c)}
	if s.Traces != nil && c.TraceID != "" {
		d.Spans, _ = s.Traces.Trace(c.TraceID)
		d.Spans = Head(d.Spans, maxSpans)
	}
	return d, nil
}
