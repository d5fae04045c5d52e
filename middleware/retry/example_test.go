// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// A read-only tool whose transport fails is tried again: "_OTHER" is the type of an error
// that says nothing of itself.
func Example() {
	search := tooltest.Scripted(toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes},
		tooltest.Step{Err: errors.New("connection reset")},
		tooltest.Text("three results"))
	policy, err := retry.New(retry.Options{
		On:        []toolkit.Kind{toolkit.TypeOther, toolkit.ErrTimeout},
		BaseDelay: time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var seen tooltest.Recorder
	lookup := func(string) *toolkit.Definition { def := search.Definition(); return &def }
	handle := toolkit.Chain(search.Handle, toolkit.Observe(lookup, &seen), policy.Wrap)

	res, err := handle(context.Background(), toolkit.Call{Name: "search"})
	fmt.Println(res.Output, err)
	fmt.Println("attempts:", seen.All()[0].Disposition.Attempts)
	// Output:
	// three results <nil>
	// attempts: 2
}

// A tool that may write is not run twice, unless the host names it.
func ExampleOptions_tools() {
	for _, named := range [][]string{nil, {"pay"}} {
		pay := tooltest.Scripted(toolkit.Definition{Name: "pay"}, tooltest.Step{Err: toolkit.ErrTimeout}, tooltest.Text("paid"))
		policy, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Tools: named, BaseDelay: time.Millisecond})
		if err != nil {
			fmt.Println(err)
			return
		}
		res, err := policy.Wrap(pay.Handle)(context.Background(), toolkit.Call{Name: "pay"})
		fmt.Printf("%d attempts: %q %v\n", len(pay.Calls()), res.Output, err)
	}
	// Output:
	// 1 attempts: "" timeout
	// 2 attempts: "paid" <nil>
}
