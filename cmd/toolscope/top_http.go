// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// How many rows are asked for of what there may be more of.
const (
	topCalls, topSessions, topRunning = 300, 200, 200
)

// topPrograms shows running programs: those that the command line names, else those
// found running, which may be others each time. It is safe for concurrent use.
type topPrograms struct {
	options *statsOptions
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
	running  []top.Running
	told     bool // whether running calls are told apart
	more     int
	calls    []top.Call
	sessions []stats.SessionStats
	loops    []stats.Loop
}

// State asks all programs.
func (t *topPrograms) State(ctx context.Context, window string) (*top.State, error) {
	o := *t.options
	o.window = window
	sources, err := o.sources(t.token)
	if err != nil {
		return nil, err
	}
	answers, failures := make([]*answer, len(sources)), make([]error, len(sources))
	var all sync.WaitGroup
	turns := make(chan struct{}, 8)
	for i, s := range sources {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			answers[i], failures[i] = t.ask(ctx, s, &o)
			if failures[i] != nil {
				failures[i] = fmt.Errorf("%s: %s%s", s.name, brief(failures[i]), s.hint)
			} else if len(sources) > 1 {
				answers[i].name = s.name
			}
		})
	}
	all.Wait()
	answered := slices.DeleteFunc(slices.Clone(answers), func(p *answer) bool { return p == nil })
	failed := slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	if len(answered) == 0 {
		return nil, errors.Join(failed...)
	}
	s := merged(answered, window)
	s.Source = fmt.Sprintf("%d programs", len(answered))
	if len(sources) == 1 {
		s.Source = sources[0].name
	}
	for _, err := range failed {
		s.Notes = append(s.Notes, err.Error())
	}
	return s, nil
}

// brief is an error without what surrounds it: the URL stands beside it.
func brief(err error) string {
	var system *os.SyscallError
	var network *net.OpError
	var asked *url.Error
	switch {
	case errors.As(err, &system):
		err = system.Err
	case errors.As(err, &network):
		err = network.Err
	case errors.As(err, &asked):
		err = asked.Err
	}
	return err.Error()
}

// ask asks one program for everything.
func (t *topPrograms) ask(ctx context.Context, s *source, o *statsOptions) (*answer, error) {
	v, err := s.view(ctx, &statsOptions{window: o.window})
	if err != nil {
		return nil, err
	}
	p := &answer{snapshot: v.snapshot, before: v.before, loops: v.loops}
	var sessions struct {
		Sessions []stats.SessionStats `json:"sessions"`
	}
	if err := s.get(ctx, "api/v1/sessions", url.Values{"limit": {strconv.Itoa(topSessions)}}, into(&sessions)); err != nil {
		return nil, err
	}
	p.sessions = sessions.Sessions
	var calls struct {
		Calls []stats.RecentCall `json:"calls"`
	}
	if err := s.get(ctx, "api/v1/calls", url.Values{"limit": {strconv.Itoa(topCalls)}}, into(&calls)); err != nil {
		return nil, err
	}
	for _, c := range calls.Calls {
		p.calls = append(p.calls, top.Call{Key: s.base.String() + " " + strconv.FormatUint(c.ID, 10), RecentCall: c})
	}
	var running struct {
		Running []stats.RunningCall `json:"running"`
		More    int                 `json:"more"`
	}
	switch err := s.get(ctx, "api/v1/running", url.Values{"limit": {strconv.Itoa(topRunning)}}, into(&running)); {
	case err == nil:
		p.told, p.more = true, running.More
		for _, c := range running.Running {
			p.running = append(p.running, top.Running{RunningCall: c})
		}
	case !isNotFound(err): // else the program does not tell
		return nil, err
	}
	p.parts, err = t.trend(ctx, s, v.snapshot)
	return p, err
}

// isNotFound reports whether a program has no such resource.
func isNotFound(err error) bool {
	return strings.HasPrefix(err.Error(), strconv.Itoa(http.StatusNotFound)) || strings.Contains(err.Error(), "got "+strconv.Itoa(http.StatusNotFound))
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
		if p.told && s.Running == nil {
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

// trendParts is how many parts of a window a trend has.
const trendParts = 12

// partKey is a part of a window of a program, which does not change once it is over.
type partKey struct {
	program string
	from    int64
	length  time.Duration
}

// trend asks for the parts of a window; those that are over are asked for once.
func (t *topPrograms) trend(ctx context.Context, s *source, of *stats.Snapshot) ([]*stats.Snapshot, error) {
	length := of.To.Sub(of.From) / trendParts
	for _, d := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} { // as programs keep them
		if length <= d {
			length = d
			break
		}
	}
	length = max(length, time.Second)
	end := of.To.Truncate(length).Add(length)
	parts := make([]*stats.Snapshot, 0, trendParts)
	for i := range trendParts {
		from := end.Add(-length * time.Duration(trendParts-i))
		until := from.Add(length)
		if !until.After(of.From) {
			continue
		}
		key := partKey{s.base.String(), from.Unix(), length}
		t.mu.Lock()
		part := t.parts[key]
		t.mu.Unlock()
		if part == nil {
			query := url.Values{"since": {from.Format(time.RFC3339Nano)}, "until": {until.Format(time.RFC3339Nano)}}
			err := s.get(ctx, "api/v1/snapshot", query, func(r io.Reader) (err error) {
				part, err = stats.ReadSnapshot(r)
				return err
			})
			if err != nil {
				return nil, err
			}
			if of.To.Sub(until) > 10*time.Second { // sealed
				t.keep(key, part)
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// maxParts is how many parts are kept.
const maxParts = 64 * trendParts

func (t *topPrograms) keep(key partKey, part *stats.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.parts) >= maxParts {
		clear(t.parts)
	}
	t.parts[key] = part
}

// addTrend adds the calls of each part to the trends of their tools, and of all.
func addTrend(trend map[string][]float64, parts []*stats.Snapshot) {
	for i, part := range parts {
		at := trendParts - len(parts) + i
		for j := range part.Tools {
			x := &part.Tools[j]
			for _, name := range []string{"", x.Tool} {
				if trend[name] == nil {
					trend[name] = make([]float64, trendParts)
				}
				trend[name][at] += float64(x.Calls())
			}
		}
	}
}

// Content asks for the span of a call.
func (t *topPrograms) Content(ctx context.Context, c top.Call) (top.Content, error) {
	base, id, _ := strings.Cut(c.Key, " ")
	s, err := newSource(base, t.token, t.options)
	if err != nil {
		return top.Content{}, err
	}
	var call struct {
		Spans []stats.SpanView `json:"spans"`
	}
	if err := s.get(ctx, "api/v1/calls/"+id, nil, into(&call)); err != nil {
		return top.Content{}, err
	}
	for _, span := range call.Spans {
		if span.SpanID == c.SpanID {
			return contentOf(&span), nil
		}
	}
	why := "No arguments and result: the program keeps no span of this call " +
		"(it needs statshttp.Options.Traces, and a trace that was sampled)."
	return top.Content{Why: why}, nil
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
		c.Why = "The span of this call has no arguments and no result; it has " + display.Clip(strings.Join(slices.Sorted(maps.Keys(values)), ", "), 200) + "."
	}
	return c
}
