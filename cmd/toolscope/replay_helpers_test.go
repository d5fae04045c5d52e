// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// answersTo starts a server, sends the input, and returns the lines of the first answers by their ids.
func answersTo(t *testing.T, cmd *exec.Cmd, input string, most int) map[string]string {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, input); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	lines := bufio.NewReader(stdout)
	for len(got) < most {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("got %v after %v", err, got)
		}
		var m struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(line), &m) == nil && m.ID != nil {
			got[strings.Trim(string(m.ID), `"`)] = line
		}
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return got
}

// takeTurns sends each line of the input once the one before has been answered, and waits for the end.
func takeTurns(t *testing.T, cmd *exec.Cmd, input string) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for line := range strings.Lines(input) {
		if _, err := io.WriteString(stdin, line); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"id":`) {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatalf("got %v after %s", err, line)
			}
		}
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the server's own exit code
}

// spanFile is a file of OTLP JSON lines with a call.
func spanFile(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	providers, err := exporters.Setup(t.Context(), exporters.Options{JSONLines: []exporters.JSONLines{{Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{TracerProvider: providers.TracerProvider})
	if err != nil {
		t.Fatal(err)
	}
	tools := new(toolkit.Registry)
	if err := tools.Register(toolkit.NewTool(toolkit.Definition{Name: "echo"}, echo)); err != nil {
		t.Fatal(err)
	}
	if _, err := scope.WrapRegistry(tools)(t.Context(), toolkit.Call{Name: "echo", Arguments: []byte(`{"text":"hello"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := providers.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v (%v), want one file", files, err)
	}
	return files[0]
}

// echo is a tool.
func echo(_ context.Context, in struct {
	Text string `json:"text"`
}) (string, error) {
	return in.Text, nil
}
