// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// An Answer makes the value that answers a request.
type Answer func(s *Source, r *Request) (any, *answer.Problem)

// Overview is the answer of /api/v1/summary for a window.
func (s *Source) Overview(w stats.Window) Overview {
	sum := s.Recorder.Summary(w)
	return Overview{
		covered: coveredBy(sum), Started: s.Recorder.Started(), Processes: sum.Processes, ToolsUsed: len(sum.Tools),
		Overall: sum.Overall, Health: s.Recorder.Health(w), Limits: s.Recorder.Limits(), Components: s.Components(),
	}
}

// Summary answers /api/v1/summary.
func (s *Source) Summary(r *Request) (any, *answer.Problem) { return s.Overview(r.Window), nil }

// Tools answers /api/v1/tools.
func (s *Source) Tools(r *Request) (any, *answer.Problem) {
	sum := s.Recorder.Summary(r.Window)
	query.SortTools(sum.Tools, r.Sort)
	return ToolList{coveredBy(sum), Head(sum.Tools, r.Limit)}, nil
}

// mustKnow is the problem of a tool that was never called and is not registered.
func (s *Source) mustKnow(tool string) *answer.Problem {
	if tool == stats.UnknownTool || tool == stats.Other || s.Recorder.Snapshot(stats.Window{}).Tool(tool) != nil {
		return nil
	}
	if slices.Contains(s.Recorder.Health(stats.Window{}).Unused, tool) {
		return nil
	}
	return answer.NotFound("got tool " + display.Quoted(tool) +
		", want one that was called or is registered; /api/v1/tools?window=total lists them")
}

// Tool answers /api/v1/tools/{name}.
func (s *Source) Tool(r *Request) (any, *answer.Problem) {
	name := r.PathValue("name")
	if p := s.mustKnow(name); p != nil {
		return nil, p
	}
	sum := s.Recorder.Summary(r.Window)
	d := ToolDetail{covered: coveredBy(sum), ToolStats: stats.ToolStats{Tool: name}, Groups: GroupsOf(sum.Errors, name)}
	for i := range sum.Tools {
		if sum.Tools[i].Tool == name {
			d.ToolStats = sum.Tools[i]
		}
	}
	return d, nil
}

// Histogram answers /api/v1/tools/{name}/histogram: the running times of a tool in a form of HdrHistogram.
func (s *Source) Histogram(r *Request) ([]byte, *answer.Problem) {
	name := r.PathValue("name")
	if p := s.mustKnow(name); p != nil {
		return nil, p
	}
	var b bytes.Buffer
	var err error
	if r.Format == "hlog" {
		err = stats.WriteHlog(&b, name, s.Recorder.Intervals(r.Window)...)
	} else {
		err = s.Recorder.Snapshot(r.Window).Executed(name).WriteHgrm(&b)
	}
	if err != nil {
		return nil, answer.Internal("the histogram could not be encoded")
	}
	return b.Bytes(), nil
}

// GroupsOf are the error groups of one tool, or all of them if the name is "".
func GroupsOf(groups []stats.ErrorGroup, tool string) []stats.ErrorGroup {
	some := []stats.ErrorGroup{}
	for _, g := range groups {
		if tool == "" || g.Tool == tool {
			some = append(some, g)
		}
	}
	return some
}

// Errors answers /api/v1/errors.
func (s *Source) Errors(r *Request) (any, *answer.Problem) {
	sum := s.Recorder.Summary(r.Window)
	groups := GroupsOf(sum.Errors, r.Filter.Tool)
	if id := r.Filter.ErrorGroup; id != "" {
		groups = slices.DeleteFunc(groups, func(g stats.ErrorGroup) bool { return !strings.EqualFold(g.ID, id) })
	}
	return ErrorList{coveredBy(sum), Head(groups, r.Limit), sum.OtherErrors, sum.MaxUnlisted}, nil
}

// Sessions answers /api/v1/sessions.
func (s *Source) Sessions(r *Request) (any, *answer.Problem) {
	return SessionList{s.Recorder.Sessions(r.Limit), s.Recorder.Limits().EvictedSessions}, nil
}

// Loops answers /api/v1/loops.
func (s *Source) Loops(r *Request) (any, *answer.Problem) {
	return LoopList{Head(s.Recorder.Loops(), r.Limit)}, nil
}

// Snapshot answers /api/v1/snapshot.
func (s *Source) Snapshot(r *Request) (any, *answer.Problem) {
	return s.Recorder.Snapshot(r.Window), nil
}

// RunningCalls answers /api/v1/running.
func (s *Source) RunningCalls(r *Request) (any, *answer.Problem) {
	if s.Running == nil {
		return nil, answer.NotFound("running calls are not tracked here: the handler was made without " +
			"statshttp.Options.Running; /api/v1/tools has how many there are")
	}
	calls, more := s.Running.Calls(r.Now)
	list := Head(calls, r.Limit)
	return RunningList{list, more + len(calls) - len(list)}, nil
}

// Registered answers /api/v1/registered.
func (s *Source) Registered(r *Request) (any, *answer.Problem) {
	tools, categories := stats.RegisteredTools(s.Recorder), []string{}
	for _, t := range tools {
		if t.Category != "" && !slices.Contains(categories, t.Category) {
			categories = append(categories, t.Category)
		}
	}
	if only := r.Text("category"); only != "" {
		if !slices.Contains(categories, only) {
			return nil, answer.BadParameter("category", "got "+display.Quoted(only)+", want one of those listed", categories...)
		}
		tools = slices.DeleteFunc(tools, func(t stats.RegisteredTool) bool { return t.Category != only })
	}
	list := Head(tools, r.Limit)
	return RegisteredList{categories, list, len(tools) - len(list)}, nil
}

// WorkflowList answers /api/v1/workflows.
func (s *Source) WorkflowList(*Request) (any, *answer.Problem) {
	if s.Workflows == nil {
		return nil, answer.NotFound("no workflows are served here: the handler was made without statshttp.Options.Workflows")
	}
	return WorkflowList{s.Workflows.Workflows()}, nil
}

// Healthz answers /healthz: that the process answers, and the state of its components. A component with a problem is no
// reason to restart the process or to route requests elsewhere. So the status is 200, unless the request asks for 503.
func (s *Source) Healthz(r *Request) (any, *answer.Problem) {
	a := HealthAnswer{Status: "ok", Components: s.Components()}
	var problems []string
	for _, c := range a.Components {
		for _, p := range c.Problems {
			problems = append(problems, c.Name+": "+p)
		}
	}
	if len(problems) == 0 {
		return a, nil
	}
	a.Status = "degraded"
	if r.Fail == "degraded" {
		detail := display.Clip(strings.Join(problems, "; "), 1000)
		return nil, &answer.Problem{Status: http.StatusServiceUnavailable, Detail: detail}
	}
	return a, nil
}
