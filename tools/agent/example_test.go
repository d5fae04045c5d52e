// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
)

func ExampleNew() {
	registry := new(toolkit.Registry)
	// A real model is that of tools/agent/openai or tools/agent/anthropic.
	model := agent.Model(func(_ context.Context, r agent.Request) (agent.Reply, error) {
		if last := r.Messages[len(r.Messages)-1]; last.Role == agent.RoleTool {
			return agent.Reply{Text: "The capital is " + last.Text + "."}, nil
		}
		country := strings.TrimPrefix(r.Messages[0].Text, "Find the capital of ")
		arguments, err := json.Marshal(map[string]string{"country": country})
		return agent.Reply{Calls: []toolkit.Call{{ID: "1", Name: "capital_of", Arguments: arguments}}}, err
	})
	delegate, err := agent.New(model, agent.Options{Handler: registry.Handle, Tools: registry})
	if err != nil {
		fmt.Println(err)
		return
	}
	capitals := map[string]string{"Norway": "Oslo", "Peru": "Lima"}
	capital := toolkit.NewTool(toolkit.Definition{
		Name: "capital_of", Description: "Tells a country's capital.",
	}, func(_ context.Context, in struct{ Country string }) (string, error) {
		return capitals[in.Country], nil
	})
	if err := registry.Register(delegate, capital); err != nil {
		fmt.Println(err)
		return
	}
	answer := registry.Execute(context.Background(), toolkit.Call{
		Name: "agent_delegate", Arguments: json.RawMessage(
			`{"tasks": ["Find the capital of Norway", "Find the capital of Peru"]}`),
	})
	fmt.Print(answer.Result.Output)
	// Output:
	// 2 of 2 tasks done
	//
	// --- task 1: done (turns 2, calls 1, of which 0 failed, tokens 0)
	// The capital is Oslo.
	//
	// --- task 2: done (turns 2, calls 1, of which 0 failed, tokens 0)
	// The capital is Lima.
}
