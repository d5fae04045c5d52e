// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/shell"
)

// processOf is what a call of the tool notes of its process.
func processOf(t *testing.T, tool toolkit.Tool, command string) *toolkit.Process {
	t.Helper()
	var ended toolkit.Ended
	arguments, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	execute := toolkit.Observe(func(string) *toolkit.Definition { return nil }, observeEnd(func(e *toolkit.Ended) { ended = *e }))(
		tool.Handle)
	if _, err := execute(t.Context(), toolkit.Call{Name: "shell_run", Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	return ended.Disposition.Process
}

// observeEnd is an observer of ends.
type observeEnd func(*toolkit.Ended)

func (observeEnd) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (observeEnd) Wants(context.Context) bool                { return false }
func (f observeEnd) End(_ context.Context, e *toolkit.Ended) { f(e) }

// TestProcess: a command line of one program notes its name, and every command its exit code.
func TestProcess(t *testing.T) {
	tool := newTool(t, shell.Options{})
	for command, want := range map[string]toolkit.Process{
		"ls -d /":                         {Executable: "ls"},
		"/bin/ls -d / > /dev/null":        {Executable: "ls"},
		"LC_ALL=C ls -d '/'":              {Executable: "ls"},
		"sh -c 'exit 3'":                  {Executable: "sh", ExitCode: 3},
		"ls / | head -1":                  {},
		"ls -d /; ls -d /":                {},
		"ls -d $(echo /)":                 {},
		"cat <(echo x)":                   {},
		"true":                            {},
		"cd /":                            {},
		"exit 4":                          {ExitCode: 4},
		`x=ls; $x -d /`:                   {},
		"if true; then ls -d /; fi":       {},
		"no-such-program-of-this-machine": {Executable: "no-such-program-of-this-machine", ExitCode: 127},
	} {
		if got := processOf(t, tool, command); got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", command, got, want)
		}
	}
}
