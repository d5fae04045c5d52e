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

	keyRequestID    = semconv.JSONRPCRequestIDKey
	keyErrorType    = semconv.ErrorTypeKey
	keyStatusCode   = semconv.RPCResponseStatusCodeKey
	keyTransport    = semconv.NetworkTransportKey
	keyProtocolName = semconv.NetworkProtocolNameKey
)

// Our own attributes: what only who sees the wire knows.
const (
	keyServer       = attribute.Key("toolscope.mcp.server")              // the server's name, as --name says
	keyFrom         = attribute.Key("toolscope.mcp.from")                // "server" for a request that the server made
	keyFrameBytes   = attribute.Key("toolscope.mcp.frame.bytes")         // of an answer too long to be looked at
	keyHung         = attribute.Key("toolscope.mcp.hung")                // "yes" for a call that ran for long
	keyRounds       = attribute.Key("toolscope.mcp.rounds")              // of a call that asked for input in between
	keyTask         = attribute.Key("toolscope.mcp.task.id")             // that a call became, and of requests about it
	keyStderrLines  = attribute.Key("toolscope.mcp.stderr.lines")        // that the server wrote while the call ran
	keyClient       = attribute.Key("toolscope.mcp.client")              // the client's name and version
	keyPeer         = attribute.Key("toolscope.mcp.implementation")      // the server's name and version
	keyCapabilities = attribute.Key("toolscope.mcp.capabilities")        // that the server has
	keyClientCan    = attribute.Key("toolscope.mcp.client.capabilities") // that the client has
	keyTools        = attribute.Key("toolscope.mcp.tools.count")
	keyToolsBytes   = attribute.Key("toolscope.mcp.tools.bytes")
	keyToolsTokens  = attribute.Key("toolscope.mcp.tools.tokens") // roughly
	keyToolsChanged = attribute.Key("toolscope.mcp.tools.changed")
	keySide         = attribute.Key("toolscope.side")    // as package tracing has it
	keyOutcome      = attribute.Key("toolscope.outcome") // the same
	keyObservation  = attribute.Key("toolscope.mcp.observation")
)

// The methods that this package knows by name.
const (
	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodCancelled  = "notifications/cancelled"
)

// executeTool is the operation of a tools/call to the conventions.
const executeTool = "execute_tool"
