// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/manager"
)

// mcpConfigHelp is the part of a command's help that tells --mcp-config.
const mcpConfigHelp = `  --mcp-config F  the tools of the MCP servers in this file, {"mcpServers": {…}}, instead of
                  the built-in ones; a tool is called SERVER__TOOL
`

// openServers connects the MCP servers of a configuration file. It tells which are not
// connected, and what it does not know; with none connected it fails. A nil scope does not
// watch the connections.
func openServers(ctx context.Context, path string, scope *toolscope.Scope, stderr io.Writer) (*manager.Manager, error) {
	config, err := manager.ReadConfig(path)
	if err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	for _, field := range config.Unknown {
		fmt.Fprintf(stderr, "unknown and without effect: %s\n", display.Plain(field))
	}
	m, err := manager.New(manager.Options{Servers: config.Servers, Scope: scope})
	if err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	missing := m.Start(ctx)
	connected := false
	for _, s := range m.Status() {
		connected = connected || s.State == manager.Connected
		for _, problem := range s.Problems {
			fmt.Fprintf(stderr, "server %s: %s\n", display.Plain(s.Name), display.Plain(problem))
		}
	}
	if !connected {
		if missing == nil {
			missing = errors.New("got no server that is enabled, want one")
		}
		return nil, errors.Join(fmt.Errorf("--mcp-config: %w", missing), m.Close())
	}
	if missing != nil {
		fmt.Fprintf(stderr, "left out: %s\n", display.Plain(missing.Error()))
	}
	return m, nil
}
