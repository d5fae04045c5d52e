// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/python"
)

func ExampleNew() {
	tool, err := python.New(python.Options{
		Level:        python.Strict,
		ExtraModules: map[python.Level][]string{python.Strict: {"json"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tool); err != nil {
		fmt.Println(err)
		return
	}
	def := registry.Lookup("python_run")
	fmt.Println(def.Title, def.Timeout, def.Risk)

	_, err = python.New(python.Options{Level: "careful"})
	fmt.Println(err)
	// Output:
	// Run a Python program 10s medium
	// python: Options.Level: got "careful", want "lenient", "standard" or "strict"
}
