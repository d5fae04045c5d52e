// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openaiagents_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nlpodyssey/openai-agents-go/agents"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/openaiagents"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

type place struct {
	City string `json:"city"`
}

type weather struct {
	Sky string `json:"sky"`
}

// The model is a script that calls the tool once.
func ExampleTools() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	forecast := agents.NewFunctionTool("forecast", "The weather of a city.",
		func(_ context.Context, p place) (weather, error) { return weather{"sunny in " + p.City}, nil })
	llm := &script{answers: map[string]adaptertest.Answer{}, turn: adaptertest.Turn{
		Calls: []toolkit.Call{{ID: "call_1", Name: "forecast", Arguments: json.RawMessage(`{"city":"Rome"}`)}},
	}}
	a := agents.New("agent").WithModelInstance(llm).
		WithTools(openaiagents.Tools(scope, []agents.Tool{forecast}, toolkit.Definition{
			Name: "forecast", ReadOnly: toolkit.Yes, // what policies need to know
		})...)
	runner := agents.Runner{Config: agents.RunConfig{TracingDisabled: true}}
	if _, err := runner.Run(context.Background(), a, "What will the weather be?"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(llm.answers["call_1"].Text)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// {"sky":"sunny in Rome"}
	// forecast 1
}
