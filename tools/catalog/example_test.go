// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
)

func ExampleNew() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("buy milk\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	tools, err := catalog.New(catalog.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	for _, call := range []toolkit.Call{
		{Name: "file_search", Arguments: json.RawMessage(`{"text": "milk"}`)},
		{Name: "file_delete", Arguments: json.RawMessage(`{"path": "notes.txt"}`)},
	} {
		fmt.Println(tools.Registry.Execute(context.Background(), call).Result.Output)
	}
	// Output:
	// notes.txt:1: buy milk
	//
	// tool "file_delete": unknown tool: use one of the tools listed
}
