// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openaiagents

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/nlpodyssey/openai-agents-go/memory"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// Tools returns the tools, observed and governed by the scope, in their order. Only function tools are: others,
// such as a search of OpenAI's or a computer, stay as they are. A nil scope returns the tools as they are. Two
// function tools of one name are a mistake in the program, and a panic.
//
// The framework's tools have no hints for policies: definitions give them, such as ReadOnly, Timeout or
// a rate limit, to the tools of their names. A definition of no function tool is a panic too.
func Tools(scope *toolscope.Scope, all []agents.Tool, definitions ...toolkit.Definition) []agents.Tool {
	if scope == nil {
		return all
	}
	var offered []toolkit.Definition
	for _, t := range all {
		if f, ok := t.(agents.FunctionTool); ok {
			offered = append(offered, toolscope.Must(DefinitionOf(f)))
		}
	}
	complete(offered, definitions)
	run := toolscope.Must(toolscope.WrapFunc(scope, execute, adapter(toolscope.Must(toolkit.NewTools(offered...)))))
	wrapped := slices.Clone(all)
	for i, t := range all {
		f, ok := t.(agents.FunctionTool)
		if !ok {
			continue
		}
		inner := f.OnInvokeTool
		f.OnInvokeTool = func(ctx context.Context, arguments string) (any, error) {
			c := call{name: f.Name, arguments: arguments, run: inner}
			if of := agents.ToolDataFromContext(ctx); of != nil {
				c.id = of.ToolCallID
			}
			o := run(ctx, c)
			return o.value, o.err
		}
		wrapped[i] = f
	}
	return wrapped
}

// complete gives the tools that are offered what their definitions say of them.
func complete(offered, definitions []toolkit.Definition) {
	for _, d := range definitions {
		i := slices.IndexFunc(offered, func(o toolkit.Definition) bool { return o.Name == d.Name })
		if i < 0 {
			panic(fmt.Errorf("openaiagents: Tools: got a definition of %q, want the name of a function tool", d.Name))
		}
		d.Description, d.InputSchema = offered[i].Description, offered[i].InputSchema
		if d.Type == "" {
			d.Type = offered[i].Type
		}
		offered[i] = d
	}
}

// DefinitionOf is a tool as policies and spans know it.
func DefinitionOf(t agents.FunctionTool) (toolkit.Definition, error) {
	d := toolkit.Definition{Name: t.Name, Description: t.Description, Type: toolkit.ToolFunction}
	if d.Description == "" { // tools of NewFunctionTool have it there
		d.Description, _ = t.ParamsJSONSchema["description"].(string)
	}
	if len(t.ParamsJSONSchema) == 0 {
		return d, nil
	}
	var err error
	d.InputSchema, err = json.Marshal(t.ParamsJSONSchema)
	return d, err
}

// Session is a session of the framework as toolscope knows it, for toolkit.WithSession in the context of the run:
// the framework does not give tools the session of their run.
func Session(ctx context.Context, s memory.Session) toolkit.Session {
	id := s.SessionID(ctx)
	return toolkit.Session{ID: id, Conversation: id}
}

type call struct {
	id, name  string
	arguments string
	run       func(ctx context.Context, arguments string) (any, error)
}

// An outcome is what a tool returned, or a policy in its place.
type outcome struct {
	value any
	err   error
}

func execute(ctx context.Context, c call) outcome {
	value, err := c.run(ctx, c.arguments)
	return outcome{value, err}
}

func adapter(tools toolkit.Tools) toolkit.Adapter[call, outcome] {
	return toolkit.Adapter[call, outcome]{
		Tools: tools,
		Call: func(c call) toolkit.Call {
			return toolkit.Call{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments)}
		},
		With: func(c call, arguments json.RawMessage) call {
			c.arguments = string(arguments)
			return c
		},
		Result: func(o outcome, _ error) toolkit.Result { return toolkit.Result{Fault: o.err} },
		Content: func(o outcome, to *toolkit.Result) {
			switch value := o.value.(type) {
			case nil:
			case string:
				to.Output = value
			case []byte:
				to.Output = string(value)
			default:
				if text, err := json.Marshal(value); err == nil {
					to.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: text}}
				}
			}
		},
		Answer: func(_ call, r toolkit.Result, err error) outcome {
			switch {
			case err == nil && len(r.Parts) > 0:
				return outcome{value: json.RawMessage(r.Parts[0].JSON)}
			case err != nil && r.Output == "":
				return outcome{value: err.Error()}
			}
			return outcome{value: r.Output}
		},
	}
}
