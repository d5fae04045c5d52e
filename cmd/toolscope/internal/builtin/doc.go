// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin gives commands tools to run: the built-in ones that options choose, or those of
// MCP servers in a configuration file.
package builtin
