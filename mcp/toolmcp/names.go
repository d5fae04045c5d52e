// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

// scopeName is the name of the instrumentation scope. Spans of tools/call are those of package tracing.
const scopeName = "github.com/toolscope/toolscope/mcp/toolmcp"

// The methods that this package knows by name.
const (
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodInitialize = "initialize"
)
