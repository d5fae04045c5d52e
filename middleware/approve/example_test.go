// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// The host asks by a function of its own.
func Example() {
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(
		func(_ context.Context, r approve.Request) (approve.Answer, error) {
			fmt.Println("asked:", r.Tool, r.Arguments, "because", r.Reason)
			return approve.Answer{By: "ada", Note: "not on a Friday"}, nil
		})}})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "deploy", RequiresApproval: true})); err != nil {
		fmt.Println(err)
		return
	}
	handle := toolkit.Observe(registry.Lookup, new(tooltest.Recorder))(middleware.Wrap(registry.Handle, policy))
	_, err = handle(context.Background(), toolkit.Call{Name: "deploy", Arguments: json.RawMessage(`{"to":"production"}`)})
	fmt.Println(err.Error())
	// Output:
	// asked: deploy {"to":"production"} because the tool asks for approval of each call
	// tool "deploy": approval denied: a person was asked and said no; do not make this call again unless they ask for it: not on a Friday
}
