// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"fmt"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/agent/openai"
)

func ExampleNew() {
	registry := new(toolkit.Registry)
	client := sdk.NewClient(option.WithBaseURL("http://localhost:8080/v1"), option.WithAPIKey("none"))
	model, err := openai.New(client, openai.Options{Model: "qwen3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, err := agent.New(model, agent.Options{Handler: registry.Handle, Tools: registry})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.Definition().Name)
	// Output: agent_delegate
}
