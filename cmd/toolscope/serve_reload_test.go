// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServeReloadsOnSIGHUP sends the real command SIGHUP while its configuration is half written, or has a
// budget for tenants that the command has not: the tool that is turned off stays off, and the server keeps serving. A
// whole file is applied.
func TestServeReloadsOnSIGHUP(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "toolscope.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const whole = "policies:\n  timeout: {max: 10s}\ntools:\n  file_read: {enabled: false}\n"
	write(whole)
	cmd := exec.CommandContext(t.Context(), self, "serve", "--dir", servedDir(t), "--config", file)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope", "TOOLSCOPE_TOKEN=", "TOOLSCOPE_TENANT=")
	var stderr told
	cmd.Stderr = &stderr
	d := talk(t, cmd)
	calls := 0
	read := func() string {
		t.Helper()
		calls++
		return d.ask(callOf(fmt.Sprint(calls), "file_read", `{"path":"a.txt"}`))
	}
	if got := read(); !strings.Contains(got, "turned off") {
		t.Fatalf("before: got %s", got)
	}
	for i, half := range []string{
		"", "policies:\n", "policies:\n  timeout: {max: 10s}\n", "policies:\n  timeout: {max: 10s}\ntools:",
		"policies:\n  timeout: {max: 10s}\n  budget: {tenant: {calls: 5}}\ntools:\n  file_read: {enabled: true}\n",
	} {
		write(half)
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		stderr.find(t, fmt.Sprintf(`(?s)((toolscope serve: reload: .*){%d})`, i+1))
		if got := read(); !strings.Contains(got, "turned off") {
			t.Errorf("after %q: got %s, want the tool still turned off", half, got)
		}
	}
	write(strings.Replace(whole, "false", "true", 1))
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	stderr.find(t, `(toolscope serve: reloaded )`)
	if got := read(); !strings.Contains(got, "hello") {
		t.Errorf("after the whole file: got %s, want the file's text", got)
	}
}
