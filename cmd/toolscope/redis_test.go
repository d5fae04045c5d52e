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

// startRedis starts a server that keeps its data in dir, and returns its address and what ends it. Without redis-server the
// test is skipped, unless TOOLSCOPE_E2E is 1.
func startRedis(t *testing.T, dir string) (address string, stop func()) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatal(err)
		}
		t.Skip("redis-server is not installed")
	}
	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	t.Cleanup(stop)
	awaitListener(t, address)
	return address, stop
}

// Commands that run one after the other share a rate on a Redis server; without the server calls are refused.
func TestCommandsShareARate(t *testing.T) {
	dir := t.TempDir()
	address, stop := startRedis(t, dir)
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

// Commands that run one after the other share a tenant's budget. Without a tenant the budget is an error.
func TestCommandsShareATenantsBudget(t *testing.T) {
	dir := t.TempDir()
	address, _ := startRedis(t, dir)
	file := filepath.Join(dir, "toolscope.yaml")
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "redis: {secret_file: secret, share: [budgets]}\npolicies: {budget: {tenant: {calls: 2}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLSCOPE_REDIS_URL", "redis://"+address+"/0")
	call := []string{"--config", file, "--dir", dir, "--json", "file_list", "{}"}
	if code, _, stderr := invoke("call", "", call...); code == exitOK || !strings.Contains(stderr, "budget.tenant") {
		t.Errorf("without a tenant: got %d, want an error that names the field: %s", code, stderr)
	}
	for i, want := range []string{`"failed":false`, `"failed":false`, "budget_exceeded"} {
		_, stdout, stderr := invoke("call", "", append([]string{"--tenant", "acme"}, call...)...)
		if !strings.Contains(strings.ReplaceAll(stdout, " ", ""), want) {
			t.Errorf("call %d: got %s %s, want %s", i+1, stdout, stderr, want)
		}
	}
	t.Setenv("TOOLSCOPE_TENANT", "other")
	if code, stdout, stderr := invoke("call", "", call...); code != exitOK {
		t.Errorf("another tenant: got %d: %s %s", code, stdout, stderr)
	}
}
