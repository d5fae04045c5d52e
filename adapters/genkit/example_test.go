// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package genkit_test

import (
	"context"
	"fmt"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/toolscope/toolscope"
	toolscopegenkit "github.com/toolscope/toolscope/adapters/genkit"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

type place struct {
	City string `json:"city"`
}

type weather struct {
	Sky string `json:"sky"`
}

// The tool is given to genkit.Generate as before; the loop would call it as this example does.
func ExampleFunc() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	forecast := func(_ *ai.ToolContext, p place) (weather, error) { return weather{"sunny in " + p.City}, nil }
	tool := genkit.DefineTool(genkit.Init(ctx), "forecast", "The weather of a city.",
		toolscopegenkit.Func(scope, toolkit.Definition{Name: "forecast", ReadOnly: toolkit.Yes}, forecast))
	fmt.Println(tool.RunRaw(ctx, map[string]any{"city": "Rome"}))
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// map[sky:sunny in Rome] <nil>
	// forecast 1
}
