// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The workflow writes a file, and then waits for longer than the test runs.
const endlessFlow = `policies: {recover: {}, validate: {}, permit: {}, limit: {}, timeout: {}}
workflows:
  endless:
    steps:
      - id: draft
        call: file_write
        with: {path: draft.txt, content: x}
        undo: {call: file_delete, with: {path: draft.txt}}
      - id: rest
        loop: {while: "${ true }", max: 1000, delay: 1s, do: {call: date_now}}
`

// A server that is asked to end cancels the workflows in flight, which are undone, and answers their calls.
func TestServeUndoesWorkflowsWhenAskedToEnd(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, overHTTP := range []bool{false, true} {
		for _, sent := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(map[bool]string{false: "stdio", true: "http"}[overHTTP]+" "+sent.String(), func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "toolscope.yaml")
				if err := os.WriteFile(file, []byte(endlessFlow), 0o600); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, self, "serve", "--write", "--dir", dir, "--config", file)
				cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+t.TempDir(), "TOOLSCOPE_TOKEN=")
				stderr := new(told)
				cmd.Stderr = stderr
				client := startServer(ctx, t, cmd, stderr, overHTTP)
				answers := make(chan *mcp.CallToolResult, 1)
				go func() {
					res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "endless"})
					if err != nil {
						t.Error(err)
					}
					answers <- res
				}()
				draft := filepath.Join(dir, "draft.txt")
				for _, err := os.Stat(draft); err != nil; _, err = os.Stat(draft) {
					if ctx.Err() != nil {
						t.Fatal("the first step did not run")
					}
					time.Sleep(time.Millisecond) // in a poll for what another process does
				}
				if err := cmd.Process.Signal(sent); err != nil {
					t.Fatal(err)
				}
				const want = "the workflow endless failed at rest"
				if res := <-answers; res == nil || !res.IsError {
					t.Errorf("got %+v, want an error", res)
				} else if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, want) ||
					!strings.Contains(text, "toolscope serve was asked to end; undone: draft") {
					t.Errorf("got %q, want %q and what was undone", text, want)
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("got %v, want exit code 0", err)
				}
				stderr.find(t, `(cancelled the workflow endless, run \w+, at rest\S*; undone: draft\n)`)
				if _, err := os.Stat(draft); err == nil {
					t.Error("the first step was not undone")
				}
			})
		}
	}
}

// startServer starts a server over standard input and output or over HTTP, and connects a client.
func startServer(ctx context.Context, t *testing.T, cmd *exec.Cmd, stderr *told, overHTTP bool) *mcp.ClientSession {
	t.Helper()
	var transport mcp.Transport
	if overHTTP {
		cmd.Args = append(cmd.Args, "--http", "127.0.0.1:0")
	} else {
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		transport = &mcp.IOTransport{Reader: stdout, Writer: stdin}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if overHTTP {
		transport = &mcp.StreamableClientTransport{Endpoint: stderr.find(t, `serving MCP at (\S+)`)}
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
