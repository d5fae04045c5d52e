// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package langchain

import (
	"context"
	"encoding/json"

	"github.com/tmc/langchaingo/tools"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/texttool"
	"github.com/toolscope/toolscope/toolkit"
)

// Tools returns the tools, observed and governed by the scope, in their order. A nil scope returns
// them as they are. Two tools of one name are a mistake in the program, and a panic.
func Tools(scope *toolscope.Scope, all ...tools.Tool) []tools.Tool {
	if scope == nil {
		return all
	}
	definitions := make([]toolkit.Definition, len(all))
	for i, t := range all {
		definitions[i] = DefinitionOf(t)
	}
	registered := toolscope.Must(toolkit.NewTools(definitions...))
	execute := toolscope.Must(texttool.Wrap(scope, registered, nil))
	wrapped := make([]tools.Tool, len(all))
	for i, t := range all {
		wrapped[i] = &tool{t, execute}
	}
	return wrapped
}

// DefinitionOf is a tool as policies and spans know it. The framework's tools have a name and a
// description only: hints such as ReadOnly are given with [Define].
func DefinitionOf(t tools.Tool) toolkit.Definition {
	if d, ok := t.(*defined); ok {
		return d.definition
	}
	return toolkit.Definition{Name: t.Name(), Description: t.Description(), Type: toolkit.ToolFunction}
}

// Define gives a tool what policies need to know of it, such as ReadOnly, Timeout or a rate limit.
// Name and Description are the tool's own.
func Define(t tools.Tool, d toolkit.Definition) tools.Tool {
	d.Name, d.Description = t.Name(), t.Description()
	return &defined{t, d}
}

type defined struct {
	tools.Tool
	definition toolkit.Definition
}

type tool struct {
	tools.Tool
	execute texttool.Execute
}

// Call runs the tool. The input of the framework is a text: policies see it as the JSON that it is,
// or else as a JSON string.
func (t *tool) Call(ctx context.Context, input string) (string, error) {
	arguments, quoted := json.RawMessage(input), false
	if !json.Valid(arguments) {
		arguments, _ = json.Marshal(input)
		quoted = true
	}
	a := t.execute(ctx, texttool.Call{
		Call: toolkit.Call{Name: t.Name(), Arguments: arguments},
		Run: func(ctx context.Context, now json.RawMessage) (string, error) {
			return t.Tool.Call(ctx, textOf(now, arguments, input, quoted))
		},
	})
	return a.Text, a.Err
}

// textOf is the input of a tool: the one that came, unless a policy has changed the arguments.
func textOf(now, came json.RawMessage, input string, quoted bool) string {
	if string(now) == string(came) {
		return input
	}
	var text string
	if quoted && json.Unmarshal(now, &text) == nil {
		return text
	}
	return string(now)
}
