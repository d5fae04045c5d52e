// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

func ExampleWatcher_Run() {
	scope, err := toolscope.New(toolscope.Options{})
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

	exit, err := watcher.Run(
		mcpproxy.Command{Path: "/bin/sh", Args: []string{"sh", "-c", "cat; exit 3"}, Stdin: stdin, Stdout: client, Stderr: errs},
	)
	fmt.Println(exit.Code, err)
	got, err := os.ReadFile(client.Name())
	fmt.Print(string(got))
	// Output:
	// 3 <nil>
	// {"jsonrpc":"2.0","id":1,"method":"ping"}
}

func ExampleWatcher_Serve() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	watcher, err := mcpproxy.New(scope, mcpproxy.Options{Server: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer watcher.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- watcher.Serve(ctx, l, target) }()

	resp, err := http.Post(
		"http://"+l.Addr().String()+"/mcp",
		"application/json",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Println(string(got), err)
	stop()
	fmt.Println(<-ended)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}} <nil>
	// <nil>
}
