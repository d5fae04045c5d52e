// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/anthropic"
	"github.com/toolscope/toolscope/stats"
)

type forecast struct{}

func (forecast) Name() string                              { return "forecast" }
func (forecast) Description() string                       { return "The weather of a city." }
func (forecast) InputSchema() sdk.BetaToolInputSchemaParam { return sdk.BetaToolInputSchemaParam{} }
func (forecast) Execute(context.Context, json.RawMessage) ([]sdk.BetaToolResultBlockParamContentUnion, error) {
	return []sdk.BetaToolResultBlockParamContentUnion{{OfText: &sdk.BetaTextBlockParam{Text: "sunny"}}}, nil
}

// The tools are given to NewToolRunner as before; a runner would call them as this example does.
func ExampleTools() {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range anthropic.Tools(scope, forecast{}) {
		content, err := t.Execute(context.Background(), json.RawMessage(`{"city":"Rome"}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(content[0].OfText.Text)
	}
	for _, t := range scope.Stats().Summary(stats.Window{}).Tools {
		fmt.Println(t.Tool, t.Calls)
	}
	// Output:
	// sunny
	// forecast 1
}
