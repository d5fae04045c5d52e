// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

func ExampleNewRunning() {
	running := stats.NewRunning(nil)
	_, call := toolkit.Begin(context.Background(), toolkit.Call{Arguments: []byte(`{"q":"ducks"}`)},
		&toolkit.Definition{Name: "search"}, running)
	calls, more := running.Calls(time.Now())
	fmt.Println(calls[0].Tool, calls[0].Arguments, more)
	call.End(toolkit.Result{}, nil)
	calls, _ = running.Calls(time.Now())
	fmt.Println(len(calls))
	// Output:
	// search {"q":"ducks"} 0
	// 0
}
