// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

// A server that is down is left alone; what its calls end with says until when.
func Example() {
	policy, err := breaker.New(breaker.Options{
		Consecutive: 2,
		OnChange:    func(c breaker.Change) { fmt.Printf("%s: %v, %s, for %v\n", c.Key, c.To, c.Failure, c.RetryIn) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tries := 0
	handle := policy.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		tries++
		return toolkit.Result{}, errors.New("connection refused")
	})
	for range 3 {
		res, err := handle(context.Background(), toolkit.Call{Name: "search"})
		fmt.Println(middleware.ErrorType(res, err))
	}
	fmt.Println("tries:", tries)
	for _, c := range policy.States() {
		fmt.Println(c.Key, c.State, c.Opened, c.RetryIn > 0)
	}
	// Output:
	// _OTHER
	// search: open, _OTHER, for 30s
	// _OTHER
	// circuit_open
	// tries: 2
	// search open 1 true
}

// One circuit for all tools of a server.
func ExampleOptions_key() {
	servers := map[string]string{"read": "files", "write": "files", "search": "web"}
	policy, err := breaker.New(breaker.Options{
		Consecutive: 1,
		Key:         func(_ context.Context, call toolkit.Call) string { return servers[call.Name] },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	handle := policy.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		if call.Name == "read" {
			return toolkit.Result{}, toolkit.ErrTimeout
		}
		return toolkit.Result{Output: "done"}, nil
	})
	for _, tool := range []string{"read", "write", "search"} {
		res, err := handle(context.Background(), toolkit.Call{Name: tool})
		fmt.Printf("%s: %q, error type %q\n", tool, res.Output, toolkit.TypeOf(err))
	}
	// Output:
	// read: "", error type "timeout"
	// write: "", error type "circuit_open"
	// search: "done", error type ""
}
