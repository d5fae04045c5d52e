// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients_test

import (
	"fmt"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
)

func ExampleWrap() {
	text := []byte(`{"mcpServers": {"files": {"command": "npx", "args": ["server-filesystem", "/tmp"]}}}`)
	wrapped, err := mcpclients.Wrap(text, "files", "", []string{"toolscope", "mcp", "--log", "/tmp/calls.jsonl"})
	fmt.Printf("%s %v\n", wrapped, err)
	text, err = mcpclients.Unwrap(wrapped, "files", "")
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// {"mcpServers": {"files": {"command": "toolscope", "args": ["mcp", "--log", "/tmp/calls.jsonl", "--", "npx", "server-filesystem", "/tmp"]}}} <nil>
	// {"mcpServers": {"files": {"command": "npx", "args": ["server-filesystem", "/tmp"]}}} <nil>
}
