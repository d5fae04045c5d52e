// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"context"
	"net/http"
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
	for _, http := range []bool{false, true} {
		for _, sent := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(map[bool]string{false: "stdio", true: "http"}[http]+" "+sent.String(), func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "toolscope.yaml")
				if err := os.WriteFile(file, []byte(endlessFlow), 0o600); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, self, "serve", "--write", "--dir", dir, "--config", file)
				cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+t.TempDir(), "TOOLSCOPE_TOKEN=")
				client := endingClient(ctx, t, cmd, http)
				answers := make(chan *mcp.CallToolResult, 1)
				go func() {
					res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "endless"})
					if err != nil {
						t.Error(err)
					}
					answers <- res
				}()
				draft := filepath.Join(dir, "draft.txt")
				until(t, "the first step", func() bool {
					_, err := os.Stat(draft)
					return err == nil
				})
				if err := cmd.Process.Signal(sent); err != nil {
					t.Fatal(err)
				}
				const want = "the workflow endless failed at rest/"
				if res := <-answers; res == nil || !res.IsError || !strings.Contains(textOf(res), want) ||
					!strings.Contains(textOf(res), "toolscope serve was asked to end; undone: draft") {
					t.Errorf("got %+v, want %q and what was undone", res, want)
				}
				err := cmd.Wait()
				stderr := cmd.Stderr.(*bytes.Buffer).String()
				if err != nil || !strings.Contains(stderr, "cancelled the workflow endless, run ") ||
					!strings.Contains(stderr, "; undone: draft\n") {
					t.Errorf("got %v and %q, want exit code 0 and the run", err, stderr)
				}
				if _, err := os.Stat(draft); err == nil {
					t.Error("the first step was not undone")
				}
			})
		}
	}
}
