// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package eino_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/eino"
	"github.com/toolscope/toolscope/stats"
)

type query struct {
	City string `json:"city"`
}

// A tools node with one tool, and the message of a model that calls it.
func ExampleMiddleware() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	forecast, err := utils.InferTool("forecast", "The weather of a city.",
		func(_ context.Context, q query) (string, error) { return "sunny in " + q.City, nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	middleware, err := eino.Middleware(ctx, scope, forecast)
	if err != nil {
		fmt.Println(err)
		return
	}
	node, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{
		Tools:               []tool.BaseTool{forecast},
		ToolCallMiddlewares: []compose.ToolMiddleware{middleware},
		UnknownToolsHandler: eino.Unknown(scope),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answers, err := node.Invoke(ctx, schema.AssistantMessage("", []schema.ToolCall{
		{ID: "1", Function: schema.FunctionCall{Name: "forecast", Arguments: `{"city":"Rome"}`}},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answers[0].Content)
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// sunny in Rome
	// forecast 1
}
