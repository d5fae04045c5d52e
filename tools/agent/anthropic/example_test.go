// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic_test

import (
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/agent/anthropic"
)

func ExampleNew() {
	registry := new(toolkit.Registry)
	client := sdk.NewClient(option.WithAPIKey("from your vault"))
	model, err := anthropic.New(client, anthropic.Options{Model: "claude-sonnet-4-5"})
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
