// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

func ExampleCallLog_WritePage() {
	log := stats.NewCallLog(nil)
	log.KeepTimeline()
	for _, line := range []string{`{"tool":"search","duration_us":1200}`, `{"tool":"search","duration_us":900,"error":"upstream answered 502"}`} {
		if err := log.Add([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	var page strings.Builder
	err := log.WritePage(&page, stats.LogPage{Title: "Yesterday"})
	fmt.Println(strings.Contains(page.String(), "<title>Yesterday</title>"), err)
	// Output: true <nil>
}

func ExampleReadLoggedCall() {
	c, err := stats.ReadLoggedCall([]byte(`{"tool":"search","duration_us":1200,"arguments":{"q":"ducks"},"result":"3 found"}`))
	fmt.Println(c.Tool, c.Duration, string(c.Arguments), c.ResultText(), err)
	_, err = stats.ReadLoggedCall([]byte(`{"tool":"search"}`))
	fmt.Println(err)
	// Output:
	// search 1.2ms {"q":"ducks"} 3 found <nil>
	// duration_us: got none, want the running time of an executed call in microseconds
}

func ExampleNewRunning() {
	running := stats.NewRunning(nil)
	_, call := toolkit.Begin(context.Background(), toolkit.Call{Arguments: []byte(`{"q":"ducks"}`)}, &toolkit.Definition{Name: "search"}, running)
	calls, more := running.Calls(time.Now())
	fmt.Println(calls[0].Tool, calls[0].Arguments, more)
	call.End(toolkit.Result{}, nil)
	calls, _ = running.Calls(time.Now())
	fmt.Println(len(calls))
	// Output:
	// search {"q":"ducks"} 0
	// 0
}
