// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Commands that run one after the other share a rate on a Redis server; without the server calls are refused.
func TestCommandsShareARate(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatal(err)
		}
		t.Skip("redis-server is not installed")
	}
	dir, address := t.TempDir(), freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	t.Cleanup(stop)
	awaitListener(t, address)
	secret, file := filepath.Join(dir, "secret"), filepath.Join(dir, "toolscope.yaml")
	if err := os.WriteFile(secret, []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("redis:\n  url_env: TOOLSCOPE_REDIS_URL\n  secret_file: %s\n  share: [rates]\n"+
		"policies:\n  limit: {rate: {global: {calls: 2, window: 1h}, when_away: refuse}}\n  recover: {}\n", secret)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLSCOPE_REDIS_URL", "redis://"+address+"/0")
	if code, _, stderr := invoke("config", "", file); code != exitOK {
		t.Fatalf("config: got %d %s", code, stderr)
	}
	for i, want := range []int{exitOK, exitOK, exitError} {
		code, stdout, stderr := invoke("call", "", "--config", file, "--dir", dir, "file_list", "{}")
		if code != want || want == exitError && !strings.Contains(stdout+stderr, "rate") {
			t.Errorf("call %d: got %d, want %d: %s %s", i+1, code, want, stdout, stderr)
		}
	}
	stop()
	code, stdout, stderr := invoke("call", "", "--config", file, "--dir", dir, "file_list", "{}")
	if code == exitOK || !strings.Contains(stdout+stderr, "overloaded") {
		t.Errorf("without the server: got %d, want a refusal: %s %s", code, stdout, stderr)
	}
}
