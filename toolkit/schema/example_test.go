// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/schema"
)

func ExampleNewTool() {
	type args struct {
		City string `json:"city" jsonschema:"the city's name"`
		Days int    `json:"days,omitempty"`
	}
	tool, err := schema.NewTool(toolkit.Definition{
		Name: "forecast", Description: "Tells the weather.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(_ context.Context, in args) (string, error) {
		return "sunny in " + in.City, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(tool.Definition().InputSchema))
	res, _ := tool.Handle(context.Background(), toolkit.Call{Name: "forecast", Arguments: []byte(`{"city":"Oslo"}`)})
	fmt.Println(res.Output)
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"the city's name"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}
	// sunny in Oslo
}
