// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// ScopeName is the name of the instrumentation scope. Spans of tools/call are of
// package tracing's.
const ScopeName = "github.com/toolscope/toolscope/mcp/toolmcp"

// The OpenTelemetry conventions' attributes. Those of MCP and generative AI have no
// released Go package.
const (
	keyMethod          = attribute.Key("mcp.method.name")      // method of the request or notification
	keySessionID       = attribute.Key("mcp.session.id")       // id of the MCP session, as the transport has it
	keyProtocolVersion = attribute.Key("mcp.protocol.version") // version of the protocol that both sides agreed on
	keyResourceURI     = attribute.Key("mcp.resource.uri")     // address of the resource that the request names
	keyToolName        = attribute.Key("gen_ai.tool.name")
	keyPromptName      = attribute.Key("gen_ai.prompt.name") // name of the prompt that the request names
	keyOperation       = attribute.Key("gen_ai.operation.name")

	keyErrorType     = semconv.ErrorTypeKey
	keyStatusCode    = semconv.RPCResponseStatusCodeKey // JSON-RPC error code of an answer that is an error
	keyTransport     = semconv.NetworkTransportKey      // tcp for HTTP, pipe for standard input and output
	keyProtocolName  = semconv.NetworkProtocolNameKey   // http, over HTTP
	keyServerAddress = semconv.ServerAddressKey         // host name or address of the server, over HTTP
	keyServerPort    = semconv.ServerPortKey            // port of the server, over HTTP
)

// Our own attributes: what a request other than tools/call carried, and what it was
// answered, redacted and cut; and whether a panic of its handler was made an error.
const (
	keyParams    = attribute.Key("toolscope.mcp.params")    // content: redacted parameters of a request other than tools/call
	keyResult    = attribute.Key("toolscope.mcp.result")    // content: redacted result of a request other than tools/call
	keyRecovered = attribute.Key("toolscope.mcp.recovered") // true if the middleware made an error of a panic in the handler
	keyRound     = attribute.Key("toolscope.mcp.round")     // number of the round, from 2, of a call that asked for input

	keySide          = attribute.Key("toolscope.side")
	keyOutcome       = attribute.Key("toolscope.outcome")
	keyRequestedName = attribute.Key("toolscope.tool.requested_name")
)

// The methods that this package knows by name.
const (
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodGetPrompt  = "prompts/get"
	methodInitialize = "initialize"
)
