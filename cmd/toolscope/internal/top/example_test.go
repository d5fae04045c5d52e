// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/stats"
)

// One is a source with one tool.
type one struct{}

func (one) State(context.Context, string) (*top.State, error) {
	search := stats.ToolStats{
		Tool:     "search",
		Calls:    3,
		Executed: 3,
		Latency:  stats.Latency{P50Ms: 12, P95Ms: 40, P99Ms: 40},
	}
	return &top.State{
		At:      time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Source:  "an example",
		Window:  "5m",
		Summary: &stats.Summary{Overall: search, Tools: []stats.ToolStats{search}},
	}, nil
}

func (one) Content(context.Context, top.Call) (top.Content, error) { return top.Content{}, nil }

func ExampleOnce() {
	text, err := top.Once(context.Background(), one{}, top.Options{Zone: time.UTC}, 60)
	lines := strings.Split(text, "\n")
	fmt.Println(strings.Join(lines[:6], "\n"), err)
	// Output:
	// toolscope top · an example                     5m · 12:00:00
	// 3 calls  no errors  p50 12.0 ms  p95 40.0 ms  p99 40.0 ms
	//
	// Tools
	//   TOOL        CALLS  ERRORS      P50      P95      P99  TIME
	//   search          3       0  12.0 ms  40.0 ms  40.0 ms   0 % <nil>
}
