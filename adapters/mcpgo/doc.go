// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgo observes and governs the tools of a server of github.com/mark3labs/mcp-go:
//
//	server.NewMCPServer("files", "1.0.0", mcpgo.Instrument(scope))
//
// Every tools/call becomes a span of kind SERVER by the OpenTelemetry conventions for MCP, below the
// caller's span if the request's _meta carries one, and is subject to the scope's policies. What a
// policy refuses is a result with isError. Calls of unknown tools are recorded.
//
// List [Instrument] last among the server's options: hooks that are set after it replace its own,
// and a recovery that is listed after it hides panics from it. Do not use the server's WithTracer
// together with it: that makes a second span of each call.
package mcpgo
