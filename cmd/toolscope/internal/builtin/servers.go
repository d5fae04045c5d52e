// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/manager"
)

// DefineServers defines the option --mcp-config.
func DefineServers(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "mcp-config", "", "the tools of the MCP servers in `FILE`, {\"mcpServers\": {…}}, "+
		"instead of the built-in ones; "+
		"a tool is called SERVER__TOOL")
}

// OpenServers connects the MCP servers of a configuration file. It prints which are not
// connected, and unknown fields; with none connected it fails. Without a scope the
// connections are not watched.
func OpenServers(ctx context.Context, path string, scope *toolscope.Scope, stderr io.Writer) (*manager.Manager, error) {
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
