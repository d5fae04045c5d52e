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
	keyMethod          = attribute.Key("mcp.method.name")
	keySessionID       = attribute.Key("mcp.session.id")
	keyProtocolVersion = attribute.Key("mcp.protocol.version")
	keyResourceURI     = attribute.Key("mcp.resource.uri")
	keyToolName        = attribute.Key("gen_ai.tool.name")
	keyPromptName      = attribute.Key("gen_ai.prompt.name")
	keyOperation       = attribute.Key("gen_ai.operation.name")

	keyErrorType     = semconv.ErrorTypeKey
	keyStatusCode    = semconv.RPCResponseStatusCodeKey
	keyTransport     = semconv.NetworkTransportKey
	keyProtocolName  = semconv.NetworkProtocolNameKey
	keyServerAddress = semconv.ServerAddressKey
	keyServerPort    = semconv.ServerPortKey
)

// Our own attributes: what a request other than tools/call carried, and what it was
// answered, redacted and cut; and whether a panic of its handler was made an error.
const (
	keyParams    = attribute.Key("toolscope.mcp.params")
	keyResult    = attribute.Key("toolscope.mcp.result")
	keyRecovered = attribute.Key("toolscope.recovered")
	keyRound     = attribute.Key("toolscope.mcp.round") // of a call that was asked for input: its number, from 2

	keySide          = attribute.Key("toolscope.side")                // the same
	keyOutcome       = attribute.Key("toolscope.outcome")             // the same
	keyRequestedName = attribute.Key("toolscope.tool.requested_name") // as package tracing has it
)

// The methods that this package knows by name.
const (
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodGetPrompt  = "prompts/get"
	methodInitialize = "initialize"
)
