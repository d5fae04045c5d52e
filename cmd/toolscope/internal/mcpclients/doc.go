// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpclients edits the configuration files in which MCP clients name the servers they
// start or connect to, so that a server is started behind a proxy, and back:
//
//	wrapped, err := mcpclients.Wrap(text, "files", "", []string{"/usr/bin/toolscope", "mcp", "--log", "/tmp/calls.jsonl"})
//	text, err = mcpclients.Unwrap(wrapped, "files", "")
//
// Every byte that need not change stays: comments, order, blanks, line ends. Unwrap gives back,
// byte for byte, what Wrap was given. [Files] are the places in which known clients keep
// theirs, in JSON or TOML.
package mcpclients
