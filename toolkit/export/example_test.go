// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package export_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

func ExampleOpenAI() {
	tool := toolkit.NewTool(toolkit.Definition{
		Name: "add", Description: "Adds two numbers.",
	}, func(context.Context, struct{}) (string, error) { return "", nil })
	defs := []toolkit.Definition{tool.Definition()}
	for _, write := range []func([]toolkit.Definition) (json.RawMessage, error){
		export.OpenAI, export.Anthropic, export.MCP,
	} {
		text, err := write(defs)
		fmt.Println(string(text), err)
	}
	// Output:
	// [{"type":"function","function":{"name":"add","description":"Adds two numbers.","parameters":{"type":"object"}}}] <nil>
	// [{"name":"add","description":"Adds two numbers.","input_schema":{"type":"object"}}] <nil>
	// [{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object"}}] <nil>
}
