// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
)

// The OpenTelemetry GenAI conventions' attributes (gen-ai-dev/1.42.0-dev; they
// have no released Go package).
const (
	keyOperation    = attribute.Key("gen_ai.operation.name")
	keyToolName     = attribute.Key("gen_ai.tool.name")
	keyToolType     = attribute.Key("gen_ai.tool.type")
	keyToolCallID   = attribute.Key("gen_ai.tool.call.id")
	keyToolDesc     = attribute.Key("gen_ai.tool.description")
	keyArguments    = attribute.Key("gen_ai.tool.call.arguments")
	keyResult       = attribute.Key("gen_ai.tool.call.result")
	keyAgentName    = attribute.Key("gen_ai.agent.name")
	keyAgentDesc    = attribute.Key("gen_ai.agent.description")
	keyConversation = attribute.Key("gen_ai.conversation.id")
	keyRequestModel = attribute.Key("gen_ai.request.model")
	keyInput        = attribute.Key("gen_ai.input.messages")
	keyInputTokens  = attribute.Key("gen_ai.usage.input_tokens")
	keyOutputTokens = attribute.Key("gen_ai.usage.output_tokens")
)

// Attributes of OpenTelemetry's general conventions.
const (
	keyErrorType = attribute.Key("error.type")
	keySession   = attribute.Key("session.id")
	keyStack     = attribute.Key("exception.stacktrace")
)

// Our own attributes of an execute_tool span. Durations are in seconds.
const (
	keySide               = attribute.Key("toolscope.side")
	keyOutcome            = attribute.Key("toolscope.outcome")
	keyEnding             = attribute.Key("toolscope.ending")
	keySuspended          = attribute.Key("toolscope.suspended")
	keyRequestedName      = attribute.Key("toolscope.tool.requested_name")
	keyArgumentsBytes     = attribute.Key("toolscope.arguments.bytes")
	keyArgumentsTruncated = attribute.Key("toolscope.arguments.truncated")
	keyResultBytes        = attribute.Key("toolscope.result.bytes")
	keyErrorResult        = attribute.Key("toolscope.error.result") // of a failed call
	keyResultTruncated    = attribute.Key("toolscope.result.truncated")
	keyRedactedCount      = attribute.Key("toolscope.redacted.count")
	keyRedactedKinds      = attribute.Key("toolscope.redacted.kinds")
	keyRedactedPaths      = attribute.Key("toolscope.redacted.paths")
	keyAttempts           = attribute.Key("toolscope.attempts")
	keyRepeat             = attribute.Key("toolscope.repeat")
	keyAge                = attribute.Key("toolscope.age.duration")
	keyQueue              = attribute.Key("toolscope.queue.duration")
	keyApproval           = attribute.Key("toolscope.approval.duration")
	keyBackoff            = attribute.Key("toolscope.backoff.duration")
	keyRun                = attribute.Key("toolscope.run.duration")
	keyFirstChunk         = attribute.Key("toolscope.first_chunk.duration")
	keyChunks             = attribute.Key("toolscope.chunks")
	keyChunkBytes         = attribute.Key("toolscope.chunk.bytes")
	keyProgress           = attribute.Key("toolscope.progress")
	keyTenant             = attribute.Key("toolscope.tenant")
	keyBatch              = attribute.Key("toolscope.batch")
	keyTurn               = attribute.Key("toolscope.turn")
	keyCost               = attribute.Key("toolscope.cost") // as Definition.Cost, for each run
	keyIntent             = attribute.Key("toolscope.intent")
)

// The attributes of the spans of single runs of a tool: attempts and background runs. They
// have none of the conventions': backends count each span with gen_ai.tool.name as a
// tool call.
const (
	keyRunTool = attribute.Key("toolscope.tool.name")
	keyAttempt = attribute.Key("toolscope.attempt") // the number of the attempt, from 1
)

// The sides that can record one call, as toolscope.side in metrics, and on spans but for the agent's. The
// conventions' gen_ai.execute_tool.duration is the agent's alone, so that its count is the number of calls whoever
// else records them; toolscope.tool.run.duration is recorded by each side.
const (
	SideAgent  = "agent"  // who executes a tool for a model: a wrapped registry, or a client of a protocol
	SideServer = "server" // who handles a call that came by a protocol
	SideProxy  = "proxy"  // who passes such a call on
)

// prefix stands before the key of a policy's tag (toolkit.Tag).
const prefix = "toolscope."

// UnknownTool stands for every tool name that is not registered, in span names
// and in metrics.
const UnknownTool = "_unknown"

// Other stands for the tools and agents beyond the bound on different ones.
const Other = "_OTHER"

var ownKeys = []attribute.Key{
	keySide,
	keyOutcome, keyEnding, keySuspended, keyRequestedName, keyArgumentsBytes, keyArgumentsTruncated, keyResultBytes, keyErrorResult,
	keyResultTruncated, keyRedactedCount, keyRedactedKinds, keyRedactedPaths, keyAttempts, keyRepeat, keyAge, keyQueue, keyApproval,
	keyBackoff, keyRun, keyFirstChunk, keyChunks, keyChunkBytes, keyProgress, keyTenant, keyBatch, keyTurn, keyCost, keyIntent,
}

// Keys lists the attributes under toolscope.* that an execute_tool span can carry.
func Keys() []attribute.Key { return slices.Clone(ownKeys) }
