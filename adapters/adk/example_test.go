// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adk_test

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/adk"
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
	forecast, err := functiontool.New(functiontool.Config{Name: "forecast", Description: "The weather of a city."},
		func(_ agent.Context, p place) (weather, error) { return weather{"sunny in " + p.City}, nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &script{answers: map[string]adaptertest.Answer{}, turn: adaptertest.Turn{
		Calls: []toolkit.Call{{ID: "call_1", Name: "forecast", Arguments: json.RawMessage(`{"city":"Rome"}`)}},
	}}
	a, err := llmagent.New(llmagent.Config{Name: "agent", Model: model, Tools: adk.Tools(scope, forecast)})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := runner.NewInMemory("example", a)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, err := range r.Run(context.Background(), "kim", "s1", genai.NewContentFromText("go", "user"), agent.RunConfig{}) {
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(model.answers["call_1"].Text)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// map[sky:sunny in Rome]
	// forecast 1
}
