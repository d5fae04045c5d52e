// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// How many rows are asked for of what there may be more of.
const (
	maxCalls, maxSessions, maxRunning = 300, 200, 200
)

// live shows running programs: those that the command line names, else those found
// running, which may be others each time. It is safe for concurrent use.
type live struct {
	options programs.Options
	token   string

	mu    sync.Mutex
	parts map[partKey]*stats.Snapshot // of trends: parts of a window that are over
}

// answer is what one program answered.
type answer struct {
	name     string // "" for the only one
	snapshot *stats.Snapshot
	before   *stats.Snapshot
	parts    []*stats.Snapshot
	running  []top.Running // nil if the program serves their number only
	more     int
	calls    []top.Call
	sessions []stats.SessionStats
	loops    []stats.Loop
}

// State asks all programs.
func (t *live) State(ctx context.Context, window string) (*top.State, error) {
	sources, err := t.options.Sources(t.token)
	if err != nil {
		return nil, err
	}
	answers, failures := programs.AskAll(sources, func(s *programs.Source) (*answer, error) { return t.ask(ctx, s, window) })
	var answered []*answer
	var failed []error
	for i, s := range sources {
		if failures[i] != nil {
			failed = append(failed, fmt.Errorf("%s: %s", s.Name, s.Explain(failures[i])))
			continue
		}
		if len(sources) > 1 {
			answers[i].name = s.Name
		}
		answered = append(answered, answers[i])
	}
	if len(answered) == 0 {
		return nil, errors.Join(failed...)
	}
	s := merged(answered, window)
	s.Source = fmt.Sprintf("%d programs", len(answered))
	if len(sources) == 1 {
		s.Source = sources[0].Name
	}
	for _, err := range failed {
		s.Notes = append(s.Notes, err.Error())
	}
	return s, nil
}

// ask asks one program for everything.
func (t *live) ask(ctx context.Context, s *programs.Source, window string) (_ *answer, err error) {
	p := new(answer)
	if p.snapshot, err = s.Snapshot(ctx, url.Values{"window": {window}}); err != nil {
		return nil, err
	}
	if p.before, err = s.Before(ctx, p.snapshot, window); err != nil {
		return nil, err
	}
	if p.loops, err = s.Loops(ctx); err != nil {
		return nil, err
	}
	if p.sessions, err = s.Sessions(ctx, strconv.Itoa(maxSessions)); err != nil {
		return nil, err
	}
	var calls struct{ Calls []stats.RecentCall }
	if err := s.Get(ctx, "api/v1/calls", url.Values{"limit": {strconv.Itoa(maxCalls)}}, &calls); err != nil {
		return nil, err
	}
	for _, c := range calls.Calls {
		p.calls = append(p.calls, top.Call{Key: s.Base.String() + " " + strconv.FormatUint(c.ID, 10), RecentCall: c})
	}
	if err := p.askRunning(ctx, s); err != nil {
		return nil, err
	}
	p.parts, err = t.trend(ctx, s, p.snapshot)
	return p, err
}

// askRunning asks for the running calls, which not every program serves.
func (p *answer) askRunning(ctx context.Context, s *programs.Source) error {
	var running struct {
		Running []stats.RunningCall
		More    int
	}
	err := s.Get(ctx, "api/v1/running", url.Values{"limit": {strconv.Itoa(maxRunning)}}, &running)
	var status *programs.StatusError
	if errors.As(err, &status) && status.Code == http.StatusNotFound {
		return nil
	}
	p.running, p.more = []top.Running{}, running.More
	for _, c := range running.Running {
		p.running = append(p.running, top.Running{RunningCall: c})
	}
	return err
}

// merged is one state of all programs that answered.
func merged(programs []*answer, window string) *top.State {
	s := &top.State{Window: window, Trend: make(map[string][]float64)}
	var snapshots, before []*stats.Snapshot
	for _, p := range programs {
		snapshots = append(snapshots, p.snapshot)
		if p.before != nil {
			before = append(before, p.before)
		}
		for i := range p.running {
			p.running[i].Program = p.name
		}
		if p.running != nil && s.Running == nil {
			s.Running = []top.Running{}
		}
		s.Running, s.RunningMore = append(s.Running, p.running...), s.RunningMore+p.more
		for i := range p.calls {
			p.calls[i].Program = p.name
		}
		s.Calls = append(s.Calls, p.calls...)
		s.Sessions, s.Loops = append(s.Sessions, p.sessions...), append(s.Loops, p.loops...)
		addTrend(s.Trend, p.parts)
	}
	all := stats.Merge(snapshots...)
	var was *stats.Snapshot
	if len(before) == len(programs) { // else programs that are new would look like a change
		was = stats.Merge(before...)
	}
	s.At, s.Summary = all.To, stats.Summarise(all, was)
	slices.SortStableFunc(s.Calls, func(a, b top.Call) int { return b.Time.Add(took(&b)).Compare(a.Time.Add(took(&a))) })
	slices.SortStableFunc(s.Running, func(a, b top.Running) int { return cmp.Compare(b.RunningMs, a.RunningMs) })
	slices.SortStableFunc(s.Sessions, func(a, b stats.SessionStats) int { return b.LastSeen.Compare(a.LastSeen) })
	slices.SortStableFunc(s.Loops, func(a, b stats.Loop) int { return cmp.Compare(b.Times, a.Times) })
	return s
}

func took(c *top.Call) time.Duration { return time.Duration(c.DurationMs * float64(time.Millisecond)) }

// Content asks for the span of a call.
func (t *live) Content(ctx context.Context, c top.Call) (top.Content, error) {
	base, id, _ := strings.Cut(c.Key, " ")
	s, err := programs.NewSource(base, t.token, t.options.Timeout)
	if err != nil {
		return top.Content{}, err
	}
	var call struct{ Spans []stats.SpanView }
	if err := s.Get(ctx, "api/v1/calls/"+id, nil, &call); err != nil {
		return top.Content{}, err
	}
	for _, span := range call.Spans {
		if span.SpanID == c.SpanID {
			return contentOf(&span), nil
		}
	}
	return top.Content{Why: "No arguments and result: the program keeps no span of this call " +
		"(it needs statshttp.Options.Traces, and a trace that was sampled)."}, nil
}

// contentOf is what a span has of a call's content.
func contentOf(span *stats.SpanView) top.Content {
	values := make(map[string]string, len(span.Attributes))
	for _, a := range span.Attributes {
		values[a.Key] = a.Value
	}
	result := cmp.Or(values["gen_ai.tool.call.result"], values["toolscope.error.result"])
	c := top.Content{Arguments: values["gen_ai.tool.call.arguments"], Result: result}
	if c == (top.Content{}) {
		names := strings.Join(slices.Sorted(maps.Keys(values)), ", ")
		c.Why = "The span of this call has no arguments and no result; it has " + display.Clip(names, 200) + "."
	}
	return c
}
