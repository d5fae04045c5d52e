// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/texttool"
	"github.com/toolscope/toolscope/toolkit"
)

// A Run runs the tool of that name. The model reads its error.
type Run func(ctx context.Context, name string, arguments json.RawMessage) (string, error)

// Chat returns what runs a tool call of a chat completion, observed and governed by the scope, and
// makes the message for the model. tools are those that the model is offered. A nil scope only runs
// the tool. Two functions of one name are an error.
//
// The library's tools have no hints for policies: definitions give them, such as ReadOnly, Timeout or
// a rate limit, to the tools of their names. A definition of no tool is an error.
func Chat(
	scope *toolscope.Scope, tools []openai.ChatCompletionToolUnionParam, run Run, definitions ...toolkit.Definition,
) (func(context.Context, openai.ChatCompletionMessageToolCallUnion) openai.ChatCompletionMessageParamUnion, error) {
	var offered []toolkit.Definition
	for _, t := range tools {
		if d, ok := DefinitionOf(t); ok {
			offered = append(offered, d)
		}
	}
	execute, err := wrap(scope, offered, definitions, run)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c openai.ChatCompletionMessageToolCallUnion) openai.ChatCompletionMessageParamUnion {
		name, arguments := c.Function.Name, c.Function.Arguments
		if c.Type == "custom" {
			name, arguments = c.Custom.Name, c.Custom.Input
		}
		return openai.ToolMessage(execute(ctx, c.ID, name, arguments), c.ID)
	}, nil
}

// Responses is [Chat] for the API of responses.
func Responses(
	scope *toolscope.Scope, tools []responses.ToolUnionParam, run Run, definitions ...toolkit.Definition,
) (func(context.Context, responses.ResponseFunctionToolCall) responses.ResponseInputItemUnionParam, error) {
	var offered []toolkit.Definition
	for _, t := range tools {
		if f := t.OfFunction; f != nil {
			offered = append(offered, definition(f.Name, f.Description, f.Parameters))
		}
	}
	execute, err := wrap(scope, offered, definitions, run)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c responses.ResponseFunctionToolCall) responses.ResponseInputItemUnionParam {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(execute(ctx, c.CallID, c.Name, c.Arguments))
		item.OfFunctionCallOutput.CallID = param.NewOpt(c.CallID)
		return item
	}, nil
}

// DefinitionOf is a tool as policies and spans know it; ok is false for a tool that the program does
// not run. Parameters that cannot be encoded are left out.
func DefinitionOf(t openai.ChatCompletionToolUnionParam) (d toolkit.Definition, ok bool) {
	switch {
	case t.OfFunction != nil:
		f := t.OfFunction.Function
		return definition(f.Name, f.Description, f.Parameters), true
	case t.OfCustom != nil:
		c := t.OfCustom.Custom
		return definition(c.Name, c.Description, nil), true
	}
	return d, false
}

func definition(name string, description param.Opt[string], parameters map[string]any) toolkit.Definition {
	d := toolkit.Definition{Name: name, Description: description.Or(""), Type: toolkit.ToolFunction}
	if len(parameters) > 0 {
		if schema, err := json.Marshal(parameters); err == nil {
			d.InputSchema = schema
		}
	}
	return d
}

// wrap returns what runs a call and gives the text for the model.
func wrap(
	scope *toolscope.Scope, offered, definitions []toolkit.Definition, run Run,
) (func(ctx context.Context, id, name, arguments string) string, error) {
	if err := complete(offered, definitions); err != nil {
		return nil, err
	}
	tools, err := toolkit.NewTools(offered...)
	if err != nil {
		return nil, err
	}
	execute, err := texttool.Wrap(scope, tools, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, id, name, arguments string) string {
		a := execute(ctx, texttool.Call{
			Call: toolkit.Call{ID: id, Name: name, Arguments: json.RawMessage(arguments)},
			Run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				return run(ctx, name, arguments)
			},
		})
		if a.Err != nil && a.Text == "" {
			return a.Err.Error()
		}
		return a.Text
	}, nil
}

// complete gives the tools that are offered what their definitions say of them.
func complete(offered, definitions []toolkit.Definition) error {
	for _, d := range definitions {
		i := slices.IndexFunc(offered, func(o toolkit.Definition) bool { return o.Name == d.Name })
		if i < 0 {
			return fmt.Errorf("openai: got a definition of %q, want the name of a tool that is offered", d.Name)
		}
		d.Description, d.InputSchema = offered[i].Description, offered[i].InputSchema
		if d.Type == "" {
			d.Type = offered[i].Type
		}
		offered[i] = d
	}
	return nil
}
