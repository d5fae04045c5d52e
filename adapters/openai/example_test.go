// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/openai"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// One tool, and the call of a model, as the loop of a program runs it.
func ExampleChat() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := []sdk.ChatCompletionToolUnionParam{
		sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{Name: "forecast"}),
	}
	execute, err := openai.Chat(scope, tools, func(_ context.Context, name string, _ json.RawMessage) (string, error) {
		return name + ": sunny", nil
	}, toolkit.Definition{Name: "forecast", ReadOnly: toolkit.Yes})
	if err != nil {
		fmt.Println(err)
		return
	}
	var call sdk.ChatCompletionMessageToolCallUnion
	call.ID, call.Type, call.Function.Name, call.Function.Arguments = "call_1", "function", "forecast", `{"city":"Rome"}`
	message := execute(context.Background(), call)
	fmt.Println(message.OfTool.ToolCallID, message.OfTool.Content.OfString.Value)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// call_1 forecast: sunny
	// forecast 1
}
