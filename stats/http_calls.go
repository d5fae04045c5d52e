// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/toolscope/toolscope/toolkit"
)

// callList answers /api/v1/calls, the latest first.
type callList struct {
	Calls []callLink `json:"calls"` // calls that match, the latest first
	// Next is the value of the parameter before for the calls that follow; left
	// out if there are none.
	Next uint64 `json:"next_before,omitempty"`
}

// callLink is a call with the link to its trace, if there is one.
type callLink struct {
	RecentCall
	TraceURL string `json:"trace_url,omitempty"` // link to the trace in the tracing backend, if one is configured
}

// callDetail answers /api/v1/calls/{id}.
type callDetail struct {
	callLink
	Spans []SpanView `json:"spans,omitempty"` // spans of the call's trace, if they are at hand
}

// callParameters are those that [handler.filter] reads.
var callParameters = []string{"tool", "outcome", "error", "group", "session", "policy", "min_duration", "before", "after", "limit"}

// outcomeNames are the values of the parameter outcome, "" for any.
func outcomeNames() []string {
	names := []string{""}
	for _, o := range toolkit.Outcomes() {
		names = append(names, o.String())
	}
	return names
}

// filter is what the query asks of calls, for at most def of them unless it says
// otherwise.
func (h *handler) filter(q *query, def uint64) Filter {
	f := Filter{
		Tool: q.text("tool"), Session: q.text("session"), ErrorGroup: q.text("group"), Policy: q.text("policy"),
		Outcome:     q.choice("outcome", outcomeNames()...),
		MinDuration: q.duration("min_duration"),
		Before:      q.number("before", 0, 1, 1<<63),
		After:       q.number("after", 0, 0, 1<<63),
		Limit:       int(q.number("limit", def, 1, maxListed)),
	}
	switch e := q.text("error"); e {
	case "any":
		f.ErrorsOnly = true
	default:
		f.ErrorType = e
	}
	if g := f.ErrorGroup; g != "" {
		if _, err := strconv.ParseUint(g, 16, 64); err != nil || len(g) != 16 {
			q.fail("group", "got "+shown(g)+", want the id of an error group: 16 hexadecimal digits")
		}
	}
	return f
}

func (h *handler) calls(r *request) (any, *problem) {
	f := h.filter(r.query, listed)
	if r.query.problem != nil {
		return nil, nil
	}
	list, next := h.find(f)
	return callList{list, next}, nil
}

// find returns the calls selected, and before which the next ones are.
func (h *handler) find(f Filter) (list []callLink, next uint64) {
	want := f.Limit
	f.Limit++
	list = []callLink{}
	for _, c := range h.recorder.Recent(f) {
		if len(list) == want {
			return list, list[want-1].ID
		}
		list = append(list, h.linked(c))
	}
	return list, 0
}

func (h *handler) linked(c RecentCall) callLink {
	l := callLink{RecentCall: c}
	if c.Sampled {
		l.TraceURL = h.config.traceURL(c.TraceID)
	}
	return l
}

func (h *handler) call(r *request) (any, *problem) {
	id, err := strconv.ParseUint(r.argument, 10, 64)
	if err != nil {
		return nil, &problem{Status: http.StatusBadRequest, Detail: "got call " + shown(r.argument) + ", want the number of one"}
	}
	c, ok := h.recorder.Call(id)
	if !ok {
		return nil, notFound(fmt.Sprintf("call %d is not among the recent ones that are kept; /api/v1/calls lists them", id))
	}
	d := callDetail{callLink: h.linked(c)}
	if h.config.Traces != nil && c.TraceID != "" {
		d.Spans, _ = h.config.Traces.Trace(c.TraceID)
		d.Spans = d.Spans[:min(len(d.Spans), maxSpans)]
	}
	return d, nil
}
