// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package langchain_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/tools"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/langchain"
	"github.com/toolscope/toolscope/stats"
)

// The tools are given to an agent as before; an executor would call them as this example does.
func ExampleTools() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range langchain.Tools(scope, tools.Calculator{}) {
		fmt.Println(t.Call(context.Background(), "6 * 7"))
	}
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// 42 <nil>
	// calculator 1
}
