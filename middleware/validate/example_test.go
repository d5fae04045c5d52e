// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func Example() {
	registry := new(toolkit.Registry)
	err := registry.Register(tooltest.Echo(toolkit.Definition{Name: "file_read", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer","minimum":1}},` +
			`"required":["path"],"additionalProperties":false}`)}))
	if err != nil {
		fmt.Println(err)
		return
	}
	arguments, err := validate.New(validate.Options{Coerce: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	observe := toolkit.Observe(registry.Lookup, new(tooltest.Recorder))
	handle := toolkit.Chain(middleware.Wrap(registry.Handle, arguments), observe)

	res, err := handle(context.Background(),
		toolkit.Call{Name: "file_read", Arguments: json.RawMessage(`{"path":"a.txt","lines":"20"}`)})
	fmt.Println(res.Output, err)
	_, err = handle(context.Background(), toolkit.Call{Name: "file_read", Arguments: json.RawMessage(`{"file":"a.txt","lines":0}`)})
	fmt.Println(err.Error())
	// Output:
	// {"path":"a.txt","lines":20} <nil>
	// tool "file_read": invalid arguments: the arguments do not fit the tool's schema (3 wrong):
	// - /path must be given
	// - /file is not among what the tool takes
	// - /lines: minimum: got 0, want 1
	// The tool takes: path (string, required), lines (integer)
}
