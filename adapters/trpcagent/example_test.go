// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent_test

import (
	"context"
	"encoding/json"
	"fmt"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/trpcagent"
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
	forecast := function.NewFunctionTool(
		func(_ context.Context, p place) (weather, error) { return weather{"sunny in " + p.City}, nil },
		function.WithName("forecast"), function.WithDescription("The weather of a city."),
	)
	llm := &script{answers: map[string]adaptertest.Answer{}, turn: adaptertest.Turn{
		Calls: []toolkit.Call{{ID: "call_1", Name: "forecast", Arguments: json.RawMessage(`{"city":"Rome"}`)}},
	}}
	a := llmagent.New("agent", llmagent.WithModel(llm), llmagent.WithTools(trpcagent.Tools(scope, forecast)))
	r := runner.NewRunner("example", a)
	defer r.Close()
	events, err := r.Run(context.Background(), "kim", "s1", model.NewUserMessage("go"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range events {
		if e.Error != nil {
			fmt.Println(e.Error.Message)
		}
	}
	fmt.Println(llm.answers["call_1"].Text)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// {"sky":"sunny in Rome"}
	// forecast 1
}
