// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/keys"
)

// The OpenTelemetry GenAI conventions' attributes (gen-ai-dev/1.42.0-dev; they
// have no released Go package).
const (
	keyOperation    = keys.Operation
	keyToolName     = keys.ToolName
	keyToolType     = attribute.Key("gen_ai.tool.type")           // function, extension or datastore
	keyToolCallID   = attribute.Key("gen_ai.tool.call.id")        // the model's id of the call
	keyToolDesc     = attribute.Key("gen_ai.tool.description")    // content: description from the tool's definition
	keyArguments    = attribute.Key("gen_ai.tool.call.arguments") // content: redacted arguments as JSON
	keyResult       = attribute.Key("gen_ai.tool.call.result")    // content: redacted result of a successful call
	keySkill        = attribute.Key("gen_ai.skill.name")          // name of the skill that the call loads or reads
	keySkillFile    = attribute.Key("gen_ai.skill.resource.name") // path, inside the skill, of the file that the call reads
	keyAgentName    = attribute.Key("gen_ai.agent.name")          // name of the agent
	keyAgentDesc    = attribute.Key("gen_ai.agent.description")   // description of the agent
	keyConversation = attribute.Key("gen_ai.conversation.id")     // id of the conversation, from the session or agent
	keyRequestModel = attribute.Key("gen_ai.request.model")       // name of the model that the agent uses
	keyInput        = attribute.Key("gen_ai.input.messages")      // content: the agent's prompt as one message of the user, as JSON
	keyInputTokens  = attribute.Key("gen_ai.usage.input_tokens")  // sum of input tokens of the agent's run
	keyOutputTokens = attribute.Key("gen_ai.usage.output_tokens") // sum of output tokens of the agent's run
)

// Attributes of OpenTelemetry's general conventions.
const (
	keyErrorType  = keys.ErrorType
	keySession    = attribute.Key("session.id")              // id of the session, as the application gives it
	keyExecutable = attribute.Key("process.executable.name") // program that the tool started; _OTHER beyond 64 different ones
	keyExitCode   = attribute.Key("process.exit.code")       // exit code of that process
	keyStack      = attribute.Key("exception.stacktrace")    // stack of a panic in a tool
)

// Our own attributes of an execute_tool span. Durations are in seconds.
const (
	keySide               = keys.Side
	keyOutcome            = keys.Outcome
	keyEnding             = attribute.Key("toolscope.ending")    // panicked, goexit or abandoned; absent for a call that returned
	keySuspended          = attribute.Key("toolscope.suspended") // true if the tool waits for input
	keyRequestedName      = keys.RequestedName
	keyArgumentsBytes     = attribute.Key("toolscope.arguments.bytes")     // size of the arguments in bytes, before truncation
	keyArgumentsTruncated = attribute.Key("toolscope.arguments.truncated") // true if the arguments on the span are truncated
	keyResultBytes        = attribute.Key("toolscope.result.bytes")        // size of the result in bytes, before truncation
	keyErrorResult        = attribute.Key("toolscope.error.result")        // content: redacted result of a failed call
	keyResultTruncated    = attribute.Key("toolscope.result.truncated")    // true if the result on the span is truncated
	keyRedactedCount      = attribute.Key("toolscope.redacted.count")      // number of values redacted in arguments and result
	keyRedactedKinds      = attribute.Key("toolscope.redacted.kinds")      // kinds of values redacted, sorted
	// where values were redacted, as kind@part/path; at most 16
	keyRedactedPaths = attribute.Key("toolscope.redacted.paths")
	keyAttempts      = attribute.Key("toolscope.attempts")          // number of attempts, under a retry policy
	keyRepeat        = attribute.Key("toolscope.repeat")            // how often the session made this call before
	keyAge           = attribute.Key("toolscope.age.duration")      // age of a stored answer, in seconds
	keyQueue         = attribute.Key("toolscope.queue.duration")    // time in queues, in seconds
	keyApproval      = attribute.Key("toolscope.approval.duration") // wait for an approval, in seconds
	keyBackoff       = attribute.Key("toolscope.backoff.duration")  // wait between attempts, in seconds
	// running time in seconds, where it is not the span's own duration
	keyRun        = attribute.Key("toolscope.run.duration")
	keyFirstChunk = attribute.Key("toolscope.first_chunk.duration") // time to the first chunk of a stream, in seconds
	keyChunks     = attribute.Key("toolscope.chunks")               // number of chunks of a stream
	keyChunkBytes = attribute.Key("toolscope.chunk.bytes")          // size of a stream's chunks in bytes
	keyProgress   = attribute.Key("toolscope.progress")             // last reported progress, 0 to 1
	keyTenant     = attribute.Key("toolscope.tenant")               // tenant of the session or agent
	keyBatch      = attribute.Key("toolscope.batch")                // batch of parallel calls, from the session
	keyTurn       = attribute.Key("toolscope.turn")                 // number of the model's turn, from 1
	keyCost       = attribute.Key("toolscope.cost")                 // the definition's cost for each run of the tool
	keyIntent     = attribute.Key("toolscope.intent")               // content: the model's stated reason for the call
)

// The attributes of the span invoke_workflow.
const (
	keyWorkflowName       = attribute.Key("gen_ai.workflow.name")          // name of the workflow
	keyWorkflowRun        = attribute.Key("toolscope.workflow.run.id")     // id of the run; ids of its calls begin with it
	keyWorkflowDefinition = attribute.Key("toolscope.workflow.definition") // digest of the definition that was run
)

// The attributes of the spans of single runs of a tool: attempts and background runs. They
// have none of the conventions': backends count each span with gen_ai.tool.name as a
// tool call.
const (
	keyRunTool = attribute.Key("toolscope.tool.name") // name of the tool, on spans of attempts and background runs
	keyAttempt = attribute.Key("toolscope.attempt")   // number of the attempt, from 1
)

// prefix stands before the key of a policy's tag (toolkit.Tag).
const prefix = "toolscope."

// UnknownTool stands for every tool name that is not registered, in span names
// and in metrics.
const UnknownTool = "_unknown"

// other stands for the tools and agents beyond the bound on different ones.
const other = "_OTHER"
