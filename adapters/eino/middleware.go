// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package eino

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// Middleware returns what makes the scope observe and govern the calls of the tools. It is an error
// if a tool has no definition, if two have one name, or if a tool streams and the scope has a policy
// that cannot apply to a stream. A nil scope returns an empty middleware.
func Middleware(ctx context.Context, scope *toolscope.Scope, all ...tool.BaseTool) (compose.ToolMiddleware, error) {
	var m compose.ToolMiddleware
	if scope == nil {
		return m, nil
	}
	tools, kinds, err := read(ctx, all)
	if err != nil {
		return m, err
	}
	if kinds.invokable {
		m.Invokable, err = middleware[compose.InvokableToolEndpoint](scope, invokable(tools))
	}
	if kinds.enhanced && err == nil {
		m.EnhancedInvokable, err = middleware[compose.EnhancedInvokableToolEndpoint](scope, enhanced(tools))
	}
	if kinds.streamable && err == nil {
		m.Streamable, err = middleware[compose.StreamableToolEndpoint](scope, streamable(tools))
	}
	if kinds.enhancedStreamable && err == nil {
		m.EnhancedStreamable, err = middleware[compose.EnhancedStreamableToolEndpoint](scope, enhancedStreamable(tools))
	}
	return m, err
}

// Unknown answers calls of tools that the node does not have, and records them. Without it such a
// call ends the run of the graph with an error, unrecorded. A nil scope only answers.
func Unknown(scope *toolscope.Scope) func(ctx context.Context, name, input string) (string, error) {
	callbacks := toolscope.Must(scope.Callbacks(toolkit.NoTools, toolscope.ObserveOnly()))
	return func(ctx context.Context, name, input string) (string, error) {
		err := &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: name, Message: fmt.Sprintf("there is no tool %q", name)}
		_, running := callbacks.Begin(ctx, toolkit.Call{
			ID: compose.GetToolCallID(ctx), Name: name, Arguments: json.RawMessage(input),
		})
		running.Record().Note(func(d *toolkit.Disposition) { d.Outcome = toolkit.OutcomeRefused })
		running.End(toolkit.Result{}, err)
		return err.Error(), nil
	}
}

// kinds are the kinds of tools that there are.
type kinds struct{ invokable, streamable, enhanced, enhancedStreamable bool }

func read(ctx context.Context, all []tool.BaseTool) (toolkit.Tools, kinds, error) {
	var k kinds
	definitions := make([]toolkit.Definition, len(all))
	for i, t := range all {
		var err error
		if definitions[i], err = DefinitionOf(ctx, t); err != nil {
			return nil, k, fmt.Errorf("eino: tool %d: %w", i, err)
		}
		_, ok := t.(tool.InvokableTool)
		k.invokable = k.invokable || ok
		_, ok = t.(tool.StreamableTool)
		k.streamable = k.streamable || ok
		_, ok = t.(tool.EnhancedInvokableTool)
		k.enhanced = k.enhanced || ok
		_, ok = t.(tool.EnhancedStreamableTool)
		k.enhancedStreamable = k.enhancedStreamable || ok
	}
	tools, err := toolkit.NewTools(definitions...)
	return tools, k, err
}

// DefinitionOf is a tool as policies and spans know it. Hints are read from the Extra of the tool's
// info, where the key "toolscope" may hold a toolkit.Definition; name, description and schema are
// the tool's own.
func DefinitionOf(ctx context.Context, t tool.BaseTool) (toolkit.Definition, error) {
	info, err := t.Info(ctx)
	if err != nil {
		return toolkit.Definition{}, err
	}
	d := toolkit.Definition{Type: toolkit.ToolFunction}
	if own, ok := info.Extra["toolscope"].(toolkit.Definition); ok {
		d = own
	}
	d.Name, d.Description = info.Name, info.Desc
	if info.ParamsOneOf == nil {
		return d, nil
	}
	schema, err := info.ToJSONSchema()
	if err != nil || schema == nil {
		return d, err
	}
	d.InputSchema, err = json.Marshal(schema)
	return d, err
}
