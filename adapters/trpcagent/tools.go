// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/trace"
	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/tool"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// Tools returns the tools, observed and governed by the scope, in their order. A tool that cannot be called
// stays as it is. For a tool.ToolSet, pass what its Tools returns. A nil scope returns the framework's own
// tools. Two tools of one name, and a policy that cannot apply to a tool that streams, are mistakes in the
// program, and a panic.
func Tools(scope *toolscope.Scope, all ...tool.Tool) []tool.Tool {
	out := make([]tool.Tool, len(all))
	definitions := make([]toolkit.Definition, len(all))
	for i, t := range all {
		out[i], definitions[i] = original(t), toolscope.Must(DefinitionOf(t))
	}
	if scope == nil {
		return out
	}
	registered := toolscope.Must(toolkit.NewTools(definitions...))
	call := toolscope.Must(toolscope.WrapFunc(scope, execute, callable(registered)))
	var stream runStream
	if slices.ContainsFunc(out, streams) {
		stream = toolscope.Must(toolscope.WrapFunc(scope, open, streamable(registered)))
	}
	for i, t := range out {
		out[i] = wrap(t, definitions[i].Name, call, stream)
	}
	return out
}

// DefinitionOf is a tool as policies and spans know it, with the hints that its metadata has. Add others
// with [Define].
func DefinitionOf(t tool.Tool) (toolkit.Definition, error) {
	if own, ok := t.(*defined); ok {
		return own.definition, nil
	}
	known, hints := t.Declaration(), tool.MetadataOf(t)
	if known == nil {
		return toolkit.Definition{}, fmt.Errorf("trpcagent: tool of type %T: got no declaration, want one with a name", t)
	}
	d := toolkit.Definition{
		Name: known.Name, Description: known.Description, Type: toolkit.ToolFunction,
		ReadOnly: yesIf(hints.ReadOnly), Destructive: yesIf(hints.Destructive), OpenWorld: yesIf(hints.OpenWorld),
	}
	if known.InputSchema == nil {
		return d, nil
	}
	var err error
	d.InputSchema, err = json.Marshal(known.InputSchema)
	return d, err
}

// yesIf is no hint for false: the framework does not tell that from a tool that says nothing.
func yesIf(hint bool) toolkit.Hint {
	if hint {
		return toolkit.Yes
	}
	return toolkit.Unsaid
}

// Define gives a tool for [Tools] what policies need to know of it, such as ReadOnly, Timeout or a rate limit.
// Name, Description and InputSchema are the tool's own.
func Define(t tool.Tool, d toolkit.Definition) (tool.Tool, error) {
	own, err := DefinitionOf(t)
	if err != nil {
		return nil, err
	}
	d.Name, d.Description, d.InputSchema = own.Name, own.Description, own.InputSchema
	if d.Type == "" {
		d.Type = own.Type
	}
	return &defined{original(t), d}, nil
}

// A defined tool only carries a definition to [Tools], which takes it off.
type defined struct {
	tool.Tool
	definition toolkit.Definition
}

func original(t tool.Tool) tool.Tool {
	if d, ok := t.(*defined); ok {
		return d.Tool
	}
	return t
}

// Session is the session of a run as toolscope knows it; ok is false if it has none. The tenant is the
// application and the user.
func Session(run *agent.Invocation) (s toolkit.Session, ok bool) {
	if run == nil || run.Session == nil || run.Session.ID == "" {
		return s, false
	}
	of := run.Session
	return toolkit.Session{
		Tenant: of.AppName + "/" + of.UserID, ID: of.ID, Conversation: of.ID, Agent: run.AgentName,
	}, true
}

// begin is the context of a call: with the run's session, and the framework's span of the tool as the call's own.
func begin(ctx context.Context, name string) context.Context {
	out := ctx
	if toolkit.SessionFrom(ctx) == nil {
		run, _ := agent.InvocationFromContext(ctx)
		if s, ok := Session(run); ok {
			out = toolkit.WithSession(out, s)
		}
	}
	span := trace.SpanFromContext(ctx)
	if named, ok := span.(interface{ Name() string }); ok && named.Name() == "execute_tool "+name {
		out = spans.With(out, spans.Adopting(span))
	}
	return out
}
