// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"slices"
	"time"
)

// covered is the span of time that an answer really covers.
type covered struct {
	Window  string    `json:"window"`  // name of the window, such as 5m
	From    time.Time `json:"from"`    // beginning of the span covered
	To      time.Time `json:"to"`      // end of the span covered
	Seconds float64   `json:"seconds"` // length of the span covered, in seconds
}

func coveredBy(s *Summary) covered { return covered{s.Window, s.From, s.To, s.Seconds} }

// overview answers /api/v1/summary, and is what a stream sends.
type overview struct {
	covered
	Started   time.Time `json:"started"`   // when the recorder started
	Processes int       `json:"processes"` // number of recorders merged into the answer
	// ToolsUsed is how many tools had calls.
	ToolsUsed int       `json:"tools_used"`
	Overall   ToolStats `json:"overall"` // all tools together; its name is empty
	Health    *Health   `json:"health"`  // health of the agents in the window
	Limits    Limits    `json:"limits"`  // bounds of the recorder and what it holds now
	// Components are the parts that report their state: the statistics, and what HandlerOptions.Health adds.
	Components []Component `json:"components"`
}

// toolList answers /api/v1/tools.
type toolList struct {
	covered
	Tools []ToolStats `json:"tools"` // tools with calls in the window, in the order asked for
}

// toolDetail answers /api/v1/tools/{name}.
type toolDetail struct {
	covered
	ToolStats
	Groups []ErrorGroup `json:"errors_by_group"` // error groups of the tool, the most frequent first
}

// errorList answers /api/v1/errors.
type errorList struct {
	covered
	Errors []ErrorGroup `json:"errors"` // error groups, the most frequent first
	// OtherErrors is how many errors belong to no group listed.
	OtherErrors uint64 `json:"other_errors"`
	MaxUnlisted uint64 `json:"max_unlisted"` // most times that an error not listed can have occurred
}

type sessionList struct {
	Sessions []SessionStats `json:"sessions"`         // sessions held, the one seen last first
	Evicted  uint64         `json:"evicted_sessions"` // sessions removed to make room for others
}

type loopList struct {
	Loops []Loop `json:"loops"` // repeated calls, the most frequent first
}

// The windows that answers are for if a request says nothing: what happened of late,
// and for the raw numbers all of it.
var recently = Window{Last: 5 * time.Minute}

// How many rows a list has, unless the limit parameter says otherwise, and at most.
const (
	listed    = 100
	maxListed = 1000
)

func (h *handler) overview(w Window) overview {
	s := h.recorder.Summary(w)
	started := h.recorder.clock.Wall(h.recorder.started)
	return overview{covered: coveredBy(s), Started: started, Processes: s.Processes, ToolsUsed: len(s.Tools),
		Overall: s.Overall, Health: h.recorder.Health(w), Limits: h.recorder.Limits(), Components: h.components()}
}

func (h *handler) summary(r *request) (any, *problem) {
	w := r.query.window(recently)
	if r.query.problem != nil {
		return nil, nil
	}
	return h.overview(w), nil
}

// orders are how tools can be sorted, the most first but for names.
var orders = []struct {
	name  string
	order func(a, b *ToolStats) int
}{
	{"time", func(a, b *ToolStats) int { return cmp.Compare(b.TotalMs, a.TotalMs) }},
	{"name", func(a, b *ToolStats) int { return 0 }},
	{"calls", func(a, b *ToolStats) int { return cmp.Compare(b.Calls, a.Calls) }},
	{"errors", func(a, b *ToolStats) int { return cmp.Compare(b.Errors, a.Errors) }},
	{"error_rate", func(a, b *ToolStats) int { return cmp.Compare(b.ErrorRate, a.ErrorRate) }},
	{"p50", func(a, b *ToolStats) int { return cmp.Compare(b.P50Ms, a.P50Ms) }},
	{"p95", func(a, b *ToolStats) int { return cmp.Compare(b.P95Ms, a.P95Ms) }},
	{"p99", func(a, b *ToolStats) int { return cmp.Compare(b.P99Ms, a.P99Ms) }},
	{"hits", func(a, b *ToolStats) int { return cmp.Compare(b.HitRatio, a.HitRatio) }},
}

func orderNames() []string {
	names := make([]string, len(orders))
	for i, o := range orders {
		names[i] = o.name
	}
	return names
}

// sortTools sorts by one of the orders, ties by name.
func sortTools(tools []ToolStats, by string) {
	for _, o := range orders {
		if o.name == by {
			slices.SortFunc(tools, func(a, b ToolStats) int { return cmp.Or(o.order(&a, &b), cmp.Compare(a.Tool, b.Tool)) })
		}
	}
}

func (h *handler) tools(r *request) (any, *problem) {
	w, by := r.query.window(recently), r.query.choice("sort", orderNames()...)
	limit := r.query.number("limit", maxListed, 1, maxListed)
	if r.query.problem != nil {
		return nil, nil
	}
	s := h.recorder.Summary(w)
	sortTools(s.Tools, by)
	return toolList{coveredBy(s), head(s.Tools, limit)}, nil
}

// head is the first n of a list, and in JSON [] rather than null.
func head[T any](list []T, n uint64) []T {
	if list == nil {
		return []T{}
	}
	return list[:min(uint64(len(list)), n)]
}

// mustKnow is the problem of a tool that was never called and is not registered.
func (h *handler) mustKnow(tool string) *problem {
	for _, t := range h.recorder.tools.all() {
		if t.name == tool {
			return nil
		}
	}
	if registered, _ := h.recorder.registeredNames(); slices.Contains(registered, tool) {
		return nil
	}
	if h.recorder.Snapshot(Window{}).Tool(tool) != nil { // of a former process
		return nil
	}
	return notFound("got tool " + shown(tool) + ", want one that was called or is registered; /api/v1/tools?window=total lists them")
}

func (h *handler) tool(r *request) (any, *problem) {
	w := r.query.window(recently)
	if r.query.problem != nil {
		return nil, nil
	}
	if p := h.mustKnow(r.argument); p != nil {
		return nil, p
	}
	s := h.recorder.Summary(w)
	d := toolDetail{covered: coveredBy(s), ToolStats: ToolStats{Tool: r.argument}, Groups: ofTool(s.Errors, r.argument)}
	for i := range s.Tools {
		if s.Tools[i].Tool == r.argument {
			d.ToolStats = s.Tools[i]
		}
	}
	return d, nil
}

// ofTool are the groups of one tool; of all if the name is "".
func ofTool(groups []ErrorGroup, tool string) []ErrorGroup {
	some := []ErrorGroup{}
	for _, g := range groups {
		if tool == "" || g.Tool == tool {
			some = append(some, g)
		}
	}
	return some
}

func (h *handler) errors(r *request) (any, *problem) {
	w, limit := r.query.window(recently), r.query.number("limit", listed, 1, maxListed)
	if r.query.problem != nil {
		return nil, nil
	}
	s := h.recorder.Summary(w)
	return errorList{coveredBy(s), head(ofTool(s.Errors, r.query.text("tool")), limit), s.OtherErrors, s.MaxUnlisted}, nil
}

func (h *handler) sessions(r *request) (any, *problem) {
	limit := r.query.number("limit", listed, 1, maxListed)
	if r.query.problem != nil {
		return nil, nil
	}
	return sessionList{h.recorder.latestSessions(int(limit)), h.recorder.Limits().EvictedSessions}, nil
}

func (h *handler) loops(r *request) (any, *problem) {
	limit := r.query.number("limit", listed, 1, maxListed)
	if r.query.problem != nil {
		return nil, nil
	}
	return loopList{head(h.recorder.Loops(), limit)}, nil
}

func (h *handler) snapshot(r *request) (any, *problem) {
	w := r.query.window(Window{})
	if r.query.problem != nil {
		return nil, nil
	}
	return h.recorder.Snapshot(w), nil
}
