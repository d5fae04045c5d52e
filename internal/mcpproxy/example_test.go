// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"fmt"
	"io"
	"os"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/mcpproxy"
)

func ExampleWatcher_Run() {
	scope, err := toolscope.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	watcher, err := mcpproxy.New(scope, mcpproxy.Options{Server: "cat"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer watcher.Close()
	client, err := os.CreateTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(client.Name())
	errs, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	stdin, input, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.WriteString(input, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	input.Close()

	exit, err := watcher.Run(mcpproxy.Command{Path: "/bin/sh", Args: []string{"sh", "-c", "cat; exit 3"}, Stdin: stdin, Stdout: client, Stderr: errs})
	fmt.Println(exit.Code, err)
	got, err := os.ReadFile(client.Name())
	fmt.Print(string(got))
	// Output:
	// 3 <nil>
	// {"jsonrpc":"2.0","id":1,"method":"ping"}
}
