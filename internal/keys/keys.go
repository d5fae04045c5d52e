// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package keys

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// Attributes of the OpenTelemetry conventions for generative AI and MCP, which have no released Go package.
const (
	Operation       = attribute.Key("gen_ai.operation.name") // execute_tool for a tool call, invoke_agent for a run of an agent
	ToolName        = attribute.Key("gen_ai.tool.name")      // name of the tool; _unknown if not registered, _OTHER beyond the bound
	PromptName      = attribute.Key("gen_ai.prompt.name")    // name of the prompt that the request names
	Method          = attribute.Key("mcp.method.name")       // method of the request or notification
	SessionID       = attribute.Key("mcp.session.id")        // id of the MCP session, as the transport has it
	ProtocolVersion = attribute.Key("mcp.protocol.version")  // version of the protocol that both sides agreed on
	ResourceURI     = attribute.Key("mcp.resource.uri")      // address of the resource that the request names
)

// Attributes of OpenTelemetry's general conventions.
const (
	ErrorType     = attribute.Key("error.type")      // class of the error, of a failed or refused call, request, run or export
	RequestID     = semconv.JSONRPCRequestIDKey      // id of the JSON-RPC request
	StatusCode    = semconv.RPCResponseStatusCodeKey // JSON-RPC error code of an answer that is an error
	Transport     = semconv.NetworkTransportKey      // tcp for HTTP, pipe for standard input and output
	ProtocolName  = semconv.NetworkProtocolNameKey   // http, over HTTP
	ServerAddress = semconv.ServerAddressKey         // host name or address of the server, over HTTP
	ServerPort    = semconv.ServerPortKey            // port of the server, over HTTP
)

// Attributes of toolscope on calls of all sides.
const (
	Side          = attribute.Key("toolscope.side")                // recording side: agent (in metrics only), server or proxy
	Outcome       = attribute.Key("toolscope.outcome")             // executed, cache_hit, coalesced, repeated or refused
	RequestedName = attribute.Key("toolscope.tool.requested_name") // name as called, if no such tool is registered
)

// The sides that can record one call, as toolscope.side in metrics, and on spans but for the agent's. The
// conventions' gen_ai.execute_tool.duration is the agent's alone, so that its count is the number of calls, whichever
// other sides record them; toolscope.tool.run.duration is recorded by each side.
const (
	SideAgent  = "agent"  // who executes a tool for a model: a wrapped registry, or a client of a protocol
	SideServer = "server" // who handles a call that came by a protocol
	SideProxy  = "proxy"  // who passes such a call on
)

// Attributes of MCP requests that toolscope adds.
const (
	Params    = attribute.Key("toolscope.mcp.params")    // content: redacted parameters of a request other than tools/call
	Result    = attribute.Key("toolscope.mcp.result")    // content: redacted result of a request other than tools/call
	Recovered = attribute.Key("toolscope.mcp.recovered") // true if the middleware made an error of a panic in the handler
	Round     = attribute.Key("toolscope.mcp.round")     // number of the round, from 2, of a call that asked for input
	Rounds    = attribute.Key("toolscope.mcp.rounds")    // number of rounds of a call that asked for input
	Task      = attribute.Key("toolscope.mcp.task.id")   // id of the task that the call became, or that the request is about
)

// Attributes of the MCP proxy: what only the wire shows.
const (
	Server             = attribute.Key("toolscope.mcp.server")              // name of the server, from the options
	From               = attribute.Key("toolscope.mcp.from")                // server, for a request that the server made
	FrameBytes         = attribute.Key("toolscope.mcp.frame.bytes")         // size in bytes of an answer too long to be parsed
	Hung               = attribute.Key("toolscope.mcp.hung")                // yes, for a call that ran longer than the limit
	StderrLines        = attribute.Key("toolscope.mcp.stderr.lines")        // lines of the server's standard error during the call
	StderrText         = attribute.Key("text")                              // redacted line of standard error (mcp.server.stderr)
	Client             = attribute.Key("toolscope.mcp.client")              // name and version of the client
	Implementation     = attribute.Key("toolscope.mcp.implementation")      // name and version that the server gives
	Capabilities       = attribute.Key("toolscope.mcp.capabilities")        // capabilities that the server declared
	ClientCapabilities = attribute.Key("toolscope.mcp.client.capabilities") // capabilities that the client declared
	ToolsCount         = attribute.Key("toolscope.mcp.tools.count")         // number of tools that the server lists
	ToolsBytes         = attribute.Key("toolscope.mcp.tools.bytes")         // size of the tool list in bytes
	ToolsTokens        = attribute.Key("toolscope.mcp.tools.tokens")        // estimated tokens of the tool list, four bytes each
	ToolsChanged       = attribute.Key("toolscope.mcp.tools.changed")       // tools whose definition changed
	Observation        = attribute.Key("toolscope.mcp.observation")         // kind of what the proxy noticed on the wire
)
