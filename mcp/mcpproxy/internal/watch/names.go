// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

// scopeName is the name of the instrumentation scope. Spans of tools/call are those of package tracing.
const scopeName = "github.com/toolscope/toolscope/mcp/mcpproxy"

// eventStderr is a line that the server wrote to standard error during the call; at most 16 on a span.
const eventStderr = "mcp.server.stderr"

// executeTool is the operation of a tools/call to the conventions.
const executeTool = "execute_tool"
