// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/toolkit"
)

// A file, or its text, becomes the options of a scope. A SIGHUP's handler would call
// File.Reload.
func ExampleOpenText() {
	file, err := config.OpenText("toolscope.yaml", []byte(`
tools:
  disk_wipe: {enabled: false}
policies:
  timeout: {default: 30s}
`))
	if err != nil {
		log.Fatal(err)
	}
	scope, err := toolscope.New(file.Options(toolscope.Options{}))
	if err != nil {
		log.Fatal(err)
	}
	definition := toolkit.Definition{Name: "disk_wipe"}
	execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "all is gone"}, nil
	}, toolkit.Lookup(func(string) *toolkit.Definition { return &definition }))
	_, err = execute(context.Background(), toolkit.Call{Name: "disk_wipe", Arguments: json.RawMessage(`{}`)})
	fmt.Println(err)
	// Output: tool "disk_wipe": permission denied
}

// All that is wrong in a file is reported at once, before a program uses it.
func ExampleCheck() {
	err := config.Check("toolscope.yaml", []byte(`
policies:
  timeout: {default: 30}
  cache: {share: everybody}
`))
	fmt.Println(err)
	err = config.Check("toolscope.yaml", []byte(`
policies:
  retry: {attempts: -3}
`))
	fmt.Println(err)
	// Output:
	// toolscope.yaml:3: policies.timeout.default: got "30", want a time with its unit, such as 30s or 5m
	// toolscope.yaml:4: policies.cache.share: got "everybody", want session, tenant or global
	// toolscope.yaml:3: policies.retry: retry: Options.Attempts: got -3, want 1 to 100, or 0 for 3
}
