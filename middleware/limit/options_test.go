// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

func TestBadOptionsAreNamed(t *testing.T) {
	for want, o := range map[string]limit.Options{
		"limit: Options.Concurrency.Global: got -1, want 0 or more": {
			Concurrency: limit.Concurrency{Global: -1}},
		"limit: Options.Concurrency.PerTool: got -2, want 0 or more": {
			Concurrency: limit.Concurrency{PerTool: -2}},
		"limit: Options.Concurrency.PerKey: got -3, want 0 or more": {
			Concurrency: limit.Concurrency{PerKey: -3}},
		`limit: Options.Concurrency.Tools["a\n"]: got -4, want 0 or more`: {
			Concurrency: limit.Concurrency{Tools: map[string]int{"a\n": -4}}},
		"limit: Options.Concurrency.Order: got 2, want RoundRobin or FIFO": {
			Concurrency: limit.Concurrency{Order: 2}},
		"limit: Options.Rate.MaxWait: got -1s, want 0 or more": {
			Rate: limit.Rate{MaxWait: -time.Second}},
		"limit: Options.Rate.Queue: got -1, want more than 0, or 0 for 1024": {
			Rate: limit.Rate{Queue: -1}},
		"limit: Options.Rate.MaxKeys: got -1, want more than 0, or 0 for 10000": {
			Rate: limit.Rate{MaxKeys: -1}},
		"limit: Options.Rate.Global: got 1 calls in 0s, want no calls, or a number of calls in a window above 0": {
			Rate: limit.Rate{Global: toolkit.RateLimit{MaxCalls: 1}}},
		"limit: Options.Rate.PerKey: got -1 calls in 1s, want no calls, or a number of calls in a window above 0": {
			Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: -1, Window: time.Second}}},
		`limit: Options.Rate.Tools["x"]: got 2 calls in -1s, want no calls, or a number of calls in a window above 0`: {
			Rate: limit.Rate{Tools: map[string]toolkit.RateLimit{"x": {MaxCalls: 2, Window: -time.Second}}}},
	} {
		if _, err := limit.New(o); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestOptionsAreCopied(t *testing.T) {
	tools := map[string]int{"x": 1}
	p := policy(t, limit.Options{Concurrency: limit.Concurrency{Tools: tools, Queue: -1}})
	tools["x"] = 0
	h := p.Wrap(p.Wrap(quick)) // the inner one finds the slot taken
	if _, err := h(t.Context(), toolkit.Call{Name: "x"}); refusal(err) == nil {
		t.Errorf("got %v, want the limit as it was given", err)
	}
}

func TestWithoutLimitsTheHandlerStaysAsItIs(t *testing.T) {
	p := policy(t, limit.Options{Rate: limit.Rate{IgnoreDefinitions: true}})
	if p.Stage() != middleware.StageLimit {
		t.Errorf("got place %v", p.Stage())
	}
	if got := testing.AllocsPerRun(100, func() { p.Wrap(quick)(t.Context(), toolkit.Call{}) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
	if s := p.Stats(); s != (limit.Stats{}) {
		t.Errorf("got %+v", s)
	}
}
