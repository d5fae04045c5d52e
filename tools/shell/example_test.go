// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/shell"
)

func ExampleNew() {
	tool, err := shell.New(shell.Options{Dir: "."})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tool); err != nil {
		fmt.Println(err)
		return
	}
	answer := registry.Execute(context.Background(), toolkit.Call{
		Name:      "shell_run",
		Arguments: json.RawMessage(`{"command": "echo hello; echo no such thing >&2; exit 4"}`),
	})
	fmt.Print(regexp.MustCompile(`after .*`).ReplaceAllString(answer.Result.Output, "after …"))
	// Output:
	// exit code 4 after …
	// stdout:
	// hello
	// stderr:
	// no such thing
}
