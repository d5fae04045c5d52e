// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// weather answers for two cities and fails for a third.
func weather(_ context.Context, in struct{ City string }) (string, error) {
	if in.City == "Atlantis" {
		return "", fmt.Errorf("station %q: no answer after 3 tries", in.City)
	}
	return "sunny", nil
}

// The recorder watches a registry; its summary is what an operator reads.
func Example() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "weather", Description: "Tells the weather.",
	}, weather)); err != nil {
		fmt.Println(err)
		return
	}
	execute := toolkit.Observe(registry.Lookup, recorder)(registry.Handle)
	for _, city := range []string{"Lyon", "Oslo", "Atlantis"} {
		_, _ = execute(context.Background(), toolkit.Call{Name: "weather", Arguments: []byte(`{"City":"` + city + `"}`)})
	}
	summary := recorder.Summary(stats.Window{Last: 5 * time.Minute})
	tool := summary.Tools[0]
	fmt.Printf("%s: %d calls, %d failed\n", tool.Tool, tool.Calls, tool.Failed)
	fmt.Printf("%d × %s: %s\n", summary.Errors[0].Count, summary.Errors[0].Type, summary.Errors[0].Message)
	// Output:
	// weather: 3 calls, 1 failed
	// 1 × tool_error: station <str>: no answer after <num> tries
}

// Snapshots of several processes add up to what one process would have counted.
func ExampleMerge() {
	worker := func(run ...time.Duration) *stats.Snapshot {
		recorder, err := stats.New(stats.Options{})
		if err != nil {
			panic(err)
		}
		tool := &toolkit.Definition{Name: "search"}
		for _, d := range run {
			e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: tool}, Disposition: toolkit.Disposition{Run: d}, End: time.Now()}
			ctx := recorder.Begin(context.Background(), e.Call, &e.Info)
			recorder.End(ctx, e)
		}
		return recorder.Snapshot(stats.Window{})
	}
	fleet := stats.Merge(worker(10*time.Millisecond, 20*time.Millisecond), worker(30*time.Millisecond, 40*time.Millisecond))
	h := fleet.Tool("search").Executed
	fmt.Println(fleet.Processes, "processes,", h.Count(), "calls")
	fmt.Println("median", h.Quantile(0.5).Round(time.Millisecond), "maximum", h.Max().Round(time.Millisecond))
	// Output:
	// 2 processes, 4 calls
	// median 20ms maximum 40ms
}

// What was counted between two snapshots is their difference.
func ExampleSnapshot_Sub() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := &toolkit.Definition{Name: "search"}
	count := func(n int) {
		for range n {
			e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: tool}, Disposition: toolkit.Disposition{Run: time.Second}, End: time.Now()}
			recorder.End(recorder.Begin(context.Background(), e.Call, &e.Info), e)
		}
	}
	count(3)
	before := recorder.Snapshot(stats.Window{})
	count(2)
	fmt.Println(recorder.Snapshot(stats.Window{}).Sub(before).Tools[0].Calls())
	// Output: 2
}

// Recent calls can be filtered; texts of errors were redacted before they were
// stored.
func ExampleRecorder_Recent() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"", "password=hunter2-is-mine refused", ""} {
		e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "login"}}, Start: time.Now(), End: time.Now()}
		if text != "" {
			e.Err, e.ErrorType = errors.New(text), "tool_error"
		}
		recorder.End(recorder.Begin(context.Background(), e.Call, &e.Info), e)
	}
	for _, c := range recorder.Recent(stats.Filter{ErrorsOnly: true}) {
		fmt.Println(c.ID, c.Tool, c.ErrorType, strings.Contains(c.Error, "hunter2"))
	}
	// Output: 2 login tool_error false
}

// A histogram is written in the forms that HdrHistogram's own tools read.
func ExampleHistogram_WriteHgrm() {
	recorder, err := stats.New(stats.Options{Digits: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "t"}},
		Disposition: toolkit.Disposition{Run: 20 * time.Millisecond}, End: time.Now()}
	recorder.End(recorder.Begin(context.Background(), e.Call, &e.Info), e)
	if err := recorder.Snapshot(stats.Window{}).Tools[0].Executed.WriteHgrm(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//  Value	Percentile	TotalCount	1/(1-Percentile)
	//
	//       20.054     0.000000            1         1.00
	//       20.054     1.000000            1          inf
	// #[Mean    =       19.988, StdDeviation   =        0.000]
	// #[Max     =       20.054, Total count    =            1]
	// #[Buckets =           29, SubBuckets     =          256]
}

// A registered registry shows which of its tools no agent uses.
func ExampleRecorder_Register() {
	recorder, err := stats.New(stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recorder.Close(context.Background())
	registry := new(toolkit.Registry)
	if err := registry.Register(
		toolkit.NewTool(toolkit.Definition{Name: "weather"}, weather),
		toolkit.NewTool(toolkit.Definition{Name: "tides"}, weather),
	); err != nil {
		fmt.Println(err)
		return
	}
	recorder.Register(registry)
	execute := toolkit.Observe(registry.Lookup, recorder)(registry.Handle)
	_, _ = execute(context.Background(), toolkit.Call{Name: "weather", Arguments: []byte(`{"city":"Oslo"}`)})
	fmt.Println("never used:", recorder.Health(stats.Window{}).Unused)
	// Output: never used: [tides]
}
