// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/files"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	tools, err := files.New(files.Options{Roots: []files.Root{{Name: "desk", Path: dir}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	registry := new(toolkit.Registry)
	if err := registry.Register(tools.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range []toolkit.Call{
		{Name: "file_write", Arguments: json.RawMessage(`{"path": "notes/todo.txt", "content": "buy milk\nread a book\n"}`)},
		{Name: "file_edit", Arguments: json.RawMessage(
			`{"path": "notes/todo.txt", "source_text": "milk", "target_text": "bread"}`)},
		{Name: "file_search", Arguments: json.RawMessage(`{"text": "book", "pattern": "*.txt"}`)},
		{Name: "file_read", Arguments: json.RawMessage(`{"path": "../secrets.txt"}`)},
	} {
		fmt.Println(registry.Execute(context.Background(), call).Result.Output)
	}
	// Output:
	// notes/todo.txt: created with 21 bytes
	//
	// edited (matched: exact)
	// --- notes/todo.txt
	// +++ notes/todo.txt
	// @@ -1,2 +1,2 @@
	// -buy milk
	// +buy bread
	//  read a book
	//
	// notes/todo.txt:2: read a book
	//
	// permission denied: path "../secrets.txt" has the part "..": give a path below a root without it
}
