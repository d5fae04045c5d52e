// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Several databases of several servers are in one manager: the name of the server tells them apart.
func TestDatabasesOfServers(t *testing.T) {
	quietEnvironment(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := func(databases ...string) map[string]any {
		args := []string{"serve"}
		for _, d := range databases {
			args = append(args, "--db", d)
		}
		return map[string]any{"command": program, "args": args, "env": map[string]string{programEnv: "toolscope"}}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"orders": server(database(t, 7)),
		"depots": server("north="+database(t, 8), "south="+database(t, 9)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{
		"orders__sql_query": "[[7]]", "depots__north_sql_query": "[[8]]", "depots__south_sql_query": "[[9]]",
	} {
		if got := call(t, exitOK, "", "--mcp-config", path, tool, `{"query":"SELECT a FROM t"}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s in it", tool, got, want)
		}
	}
}

// The tools of MCP servers are listed and called as the built-in ones are: here those of
// this very program.
func TestToolsOfServers(t *testing.T) {
	quietEnvironment(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"own": map[string]any{
			"command":     program,
			"args":        []string{"serve"},
			"env":         map[string]string{programEnv: "toolscope"},
			"autoApprove": []string{},
		},
		"none": map[string]any{"command": "no/such/program"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"tools", "--mcp-config", path, "own__calculator"}, nil, &stdout, &stderr); code != exitOK {
		t.Fatalf("got code %d: %s", code, stderr.String())
	}
	if got := stdout.String(); !strings.Contains(got, "own__calculator") || !strings.Contains(got, `"expression"`) {
		t.Errorf("got %s, want the tool with its schema", got)
	}
	for _, want := range []string{"mcpServers.own.autoApprove", `server "none"`} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("got stderr %s, want %q in it", stderr.String(), want)
		}
	}
	got := call(t, exitOK, "", "--mcp-config", path, "own__calculator", `{"expression":"0.1+0.2"}`)
	if !strings.HasPrefix(got, "0.3") || strings.Count(got, "execute_tool own__calculator") != 1 ||
		strings.Contains(got, "tools/list") {
		t.Errorf("got %s, want the result and the call's trace alone", got)
	}
	if code := run(
		[]string{"tools", "--mcp-config", filepath.Join(t.TempDir(), "none.json")}, nil, &stdout, &stderr,
	); code != exitError {
		t.Errorf("got code %d, want %d for a file that is not there", code, exitError)
	}
}
