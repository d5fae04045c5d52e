// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

func ExampleNew() {
	tools, err := data.New(data.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tools.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range []struct{ tool, args string }{
		{"calculator", `{"expression": "0.1 + 0.2"}`},
		{"calculator", `{"expression": "60 mph to km/h"}`},
		{"calculator", `{"expression": "sqrt(2)"}`},
		{"text", `{"operation": "regex_replace", "text": "pear, plum", "pattern": "p(\\w)", "replacement": "P$1"}`},
		{"json", `{"operation": "query", "json": {"fruit": [{"name": "pear", "price": 2}]}, "query": ` +
			`"$.fruit[?@.price < 3].name"}`},
		{"csv_to_json", `{"csv": "name;price\npear;2.50", "types": true}`},
		{"date", `{"operation": "add", "date": "2026-01-31", "duration": "1 month"}`},
	} {
		answer := registry.Execute(context.Background(), toolkit.Call{Name: call.tool, Arguments: []byte(call.args)})
		fmt.Println(answer.Result.Output)
	}
	// Output:
	// 0.3
	// 96.56064 km/h
	// ≈ 1.414213562373095048801688724209698
	// 2 replacements
	//
	// Pear, Plum
	// ["pear"]
	// {"rows":[{"name":"pear","price":2.50}],"row_count":1,"truncated":false}
	// {"date":"2026-02-28","weekday":"Saturday","unix":1772236800}
}
