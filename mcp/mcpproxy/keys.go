// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// ScopeName is the name of the instrumentation scope. Spans of tools/call are of
// package tracing's.
const ScopeName = "github.com/toolscope/toolscope/mcp/mcpproxy"

// The OpenTelemetry conventions' attributes. Those of MCP and generative AI have no
// released Go package.
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keySessionID       = attribute.Key("mcp.session.id")
	keyProtocolVersion = attribute.Key("mcp.protocol.version")
	keyResourceURI     = attribute.Key("mcp.resource.uri")
	keyToolName        = attribute.Key("gen_ai.tool.name")
	keyPromptName      = attribute.Key("gen_ai.prompt.name")
	keyOperation       = attribute.Key("gen_ai.operation.name")

	keyRequestID    = semconv.JSONRPCRequestIDKey // id of the JSON-RPC request
	keyErrorType    = semconv.ErrorTypeKey
	keyStatusCode   = semconv.RPCResponseStatusCodeKey
	keyTransport    = semconv.NetworkTransportKey
	keyProtocolName = semconv.NetworkProtocolNameKey
)

// Our own attributes: what only who sees the wire knows.
const (
	keyServer       = attribute.Key("toolscope.mcp.server")              // name of the server, from the options
	keyFrom         = attribute.Key("toolscope.mcp.from")                // server, for a request that the server made
	keyFrameBytes   = attribute.Key("toolscope.mcp.frame.bytes")         // size in bytes of an answer too long to be parsed
	keyHung         = attribute.Key("toolscope.mcp.hung")                // yes, for a call that ran longer than the limit
	keyRounds       = attribute.Key("toolscope.mcp.rounds")              // number of rounds of a call that asked for input
	keyTask         = attribute.Key("toolscope.mcp.task.id")             // id of the task that the call became, or that the request is about
	keyStderrLines  = attribute.Key("toolscope.mcp.stderr.lines")        // lines that the server wrote to standard error during the call
	keyClient       = attribute.Key("toolscope.mcp.client")              // name and version of the client
	keyPeer         = attribute.Key("toolscope.mcp.implementation")      // name and version that the server gives
	keyCapabilities = attribute.Key("toolscope.mcp.capabilities")        // capabilities that the server declared
	keyClientCan    = attribute.Key("toolscope.mcp.client.capabilities") // capabilities that the client declared
	keyTools        = attribute.Key("toolscope.mcp.tools.count")         // number of tools that the server lists
	keyToolsBytes   = attribute.Key("toolscope.mcp.tools.bytes")         // size of the tool list in bytes
	keyToolsTokens  = attribute.Key("toolscope.mcp.tools.tokens")        // estimated size of the tool list in tokens, four bytes each
	keyToolsChanged = attribute.Key("toolscope.mcp.tools.changed")       // tools whose definition changed
	keySide         = attribute.Key("toolscope.side")
	keyOutcome      = attribute.Key("toolscope.outcome")
	keyStderrText   = attribute.Key("text")                      // redacted line of standard error, on the event mcp.server.stderr
	keyObservation  = attribute.Key("toolscope.mcp.observation") // kind of what the proxy noticed on the wire
)

// The methods that this package knows by name.
const (
	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodCancelled  = "notifications/cancelled"
)

// eventStderr is a line that the server wrote to standard error during the call; at most 16 on a span.
const eventStderr = "mcp.server.stderr"

// executeTool is the operation of a tools/call to the conventions.
const executeTool = "execute_tool"
