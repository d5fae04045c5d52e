// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package bridge is an MCP server over standard input and output whose messages go to a server that speaks
// streamable HTTP, for clients that start their servers. Messages pass as they are.
//
// A stream that breaks before its answer is not resumed: the request ends with an error. Headers that revision
// 2026-07-28 takes from a tool's schema (x-mcp-header) are not sent.
package bridge
