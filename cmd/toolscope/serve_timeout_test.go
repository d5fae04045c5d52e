// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeCapsTheShellTool serves the real shell tool, whose definition allows 35 s, below the ceiling of
// the command's configuration.
func TestServeCapsTheShellTool(t *testing.T) {
	t.Setenv("TOOLSCOPE_TOKEN", "")
	file := filepath.Join(t.TempDir(), "toolscope.yaml")
	if err := os.WriteFile(file, []byte("policies:\n  timeout: {default: 100ms, max: 300ms}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	args := []string{"serve", "--dir", servedDir(t), "--shell", "--config", file}
	ended := make(chan error, 1)
	go func() {
		err := served(t.Context(), args, toServer, fromServer, io.Discard)
		fromServer.CloseWithError(err)
		ended <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	params := &mcp.CallToolParams{Name: "shell_run", Arguments: map[string]any{"command": "sleep 20"}}
	res, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if took := time.Since(start); took > 10*time.Second || !res.IsError ||
		!strings.Contains(text, "one attempt may run for 300ms") {
		t.Errorf("the command ran for %v and ended with %s, want a timeout after 300ms", took, text)
	}
	if err := errors.Join(session.Close(), <-ended); err != nil {
		t.Error(err)
	}
}
