// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent

import (
	"context"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/resultformat"
)

type (
	runCall   = func(context.Context, call) outcome[any]
	runStream = func(context.Context, call) outcome[*tool.StreamReader]
)

// wrap returns a tool that can do what t can: the framework asks tools for their methods. It is a pointer, since
// tools may be compared.
func wrap(t tool.Tool, name string, call runCall, stream runStream) tool.Tool {
	g := &governed{Tool: t, name: name}
	calls, chunks := caller{g, call}, streamer{g, stream}
	_, isCallable := t.(tool.CallableTool)
	isStreamable := streams(t)
	_, a := t.(stateOfRun)
	_, b := t.(stateOfCall)
	switch isStateful := a || b; {
	case isCallable && isStreamable && isStateful:
		return &struct {
			*governed
			caller
			streamer
			stateful
		}{g, calls, chunks, stateful{t}}
	case isCallable && isStreamable:
		return &struct {
			*governed
			caller
			streamer
		}{g, calls, chunks}
	case isCallable && isStateful:
		return &struct {
			*governed
			caller
			stateful
		}{g, calls, stateful{t}}
	case isCallable:
		return &struct {
			*governed
			caller
		}{g, calls}
	case isStreamable && isStateful:
		return &struct {
			*governed
			streamer
			stateful
		}{g, chunks, stateful{t}}
	case isStreamable:
		return &struct {
			*governed
			streamer
		}{g, chunks}
	}
	return t
}

// streams reports whether the framework takes the results of a tool as streams.
func streams(t tool.Tool) bool {
	type asked interface{ StreamInner() bool }
	_, ok := t.(tool.StreamableTool)
	return ok && has(t, asked.StreamInner, true)
}

func callOf(ctx context.Context, g *governed, arguments []byte) call {
	id, _ := tool.ToolCallIDFromContext(ctx)
	return call{tool: g.Tool, id: id, name: g.name, arguments: arguments}
}

type caller struct {
	of  *governed
	run runCall
}

// Call runs the tool.
func (c caller) Call(ctx context.Context, arguments []byte) (any, error) {
	o := c.run(begin(ctx, c.of.name), callOf(ctx, c.of, arguments))
	return o.result, o.err
}

type streamer struct {
	of  *governed
	run runStream
}

// StreamableCall runs the tool.
func (s streamer) StreamableCall(ctx context.Context, arguments []byte) (*tool.StreamReader, error) {
	o := s.run(begin(ctx, s.of.name), callOf(ctx, s.of, arguments))
	return o.result, o.err
}

type (
	stateOfRun interface {
		StateDeltaForInvocation(run *agent.Invocation, id string, arguments, result []byte) map[string][]byte
	}
	stateOfCall interface {
		StateDelta(id string, arguments, result []byte) map[string][]byte
	}
)

// A stateful tool changes the state of its session.
type stateful struct{ tool tool.Tool }

// StateDeltaForInvocation is the tool's own.
func (s stateful) StateDeltaForInvocation(
	run *agent.Invocation, id string, arguments, result []byte,
) map[string][]byte {
	if own, ok := s.tool.(stateOfRun); ok {
		return own.StateDeltaForInvocation(run, id, arguments, result)
	}
	return s.tool.(stateOfCall).StateDelta(id, arguments, result)
}

// governed has the methods of tools that may be missing. Each answers as the framework does without it.
type governed struct {
	tool.Tool
	name string
}

// has reports what a method of the tool says, or what it would say if the tool does not have it.
func has[I any](t tool.Tool, ask func(I) bool, without bool) bool {
	if own, ok := t.(I); ok {
		return ask(own)
	}
	return without
}

// LongRunning reports whether the tool may answer later.
func (g *governed) LongRunning() bool {
	type asked interface{ LongRunning() bool }
	return has(g.Tool, asked.LongRunning, false)
}

// SkipSummarization reports whether the turn ends with the tool's result.
func (g *governed) SkipSummarization() bool {
	type asked interface{ SkipSummarization() bool }
	return has(g.Tool, asked.SkipSummarization, false)
}

// TRPCAgentGoStructuredStreamErrorsOptIn reports whether the tool's stream has errors as chunks.
func (g *governed) TRPCAgentGoStructuredStreamErrorsOptIn() bool {
	type asked interface{ TRPCAgentGoStructuredStreamErrorsOptIn() bool }
	return has(g.Tool, asked.TRPCAgentGoStructuredStreamErrorsOptIn, false)
}

// PollutesAutoMemory reports whether results of the tool, or of one that it wraps, are from outside.
func (g *governed) PollutesAutoMemory() bool {
	type asked interface{ PollutesAutoMemory() bool }
	for t := g.Tool; t != nil; {
		if has(t, asked.PollutesAutoMemory, false) {
			return true
		}
		wrapper, ok := t.(interface{ Original() tool.Tool })
		if !ok || wrapper.Original() == t {
			return false
		}
		t = wrapper.Original()
	}
	return false
}

// InnerTextMode is whether the text of an inner agent is passed on.
func (g *governed) InnerTextMode() tool.InnerTextMode {
	if own, ok := g.Tool.(interface{ InnerTextMode() tool.InnerTextMode }); ok {
		return own.InnerTextMode()
	}
	return tool.InnerTextModeInclude
}

// ToolMetadata is what the tool publishes.
func (g *governed) ToolMetadata() tool.ToolMetadata { return tool.MetadataOf(g.Tool) }

// ShouldDefer reports whether the model gets the tool only when it searches for it.
func (g *governed) ShouldDefer(ctx context.Context) bool { return tool.ShouldDefer(ctx, g.Tool) }

// CheckPermission is the tool's own check.
func (g *governed) CheckPermission(
	ctx context.Context, r *tool.PermissionRequest,
) (tool.PermissionDecision, error) {
	if own, ok := g.Tool.(tool.PermissionChecker); ok {
		return own.CheckPermission(ctx, r)
	}
	return tool.AllowPermission(), nil
}

// ResultFormatter is how the tool's results are written for the model. Answers of policies are written as they are.
func (g *governed) ResultFormatter() resultformat.Formatter {
	if own, ok := g.Tool.(interface{ ResultFormatter() resultformat.Formatter }); ok && own.ResultFormatter() != nil {
		return formatter{own.ResultFormatter()}
	}
	return nil
}

type formatter struct{ resultformat.Formatter }

// Format writes a result for the model.
func (f formatter) Format(ctx context.Context, result any) (string, error) {
	if answer, ok := result.(policyAnswer); ok {
		return answer.String(), nil
	}
	return f.Formatter.Format(ctx, result)
}
