// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/anthropics/anthropic-sdk-go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// Tools returns the tools, observed and governed by the scope, in their order. A nil scope returns
// them as they are. A schema that cannot be encoded and two tools of one name are mistakes in the
// program, and a panic.
func Tools(scope *toolscope.Scope, all ...anthropic.BetaTool) []anthropic.BetaTool {
	if scope == nil {
		return all
	}
	definitions := make([]toolkit.Definition, len(all))
	for i, t := range all {
		definitions[i] = toolscope.Must(DefinitionOf(t))
	}
	registered := toolscope.Must(toolkit.NewTools(definitions...))
	run := toolscope.Must(toolscope.WrapFunc(scope, execute, adapter(registered)))
	wrapped := make([]anthropic.BetaTool, len(all))
	for i, t := range all {
		wrapped[i] = &tool{t, run}
	}
	return wrapped
}

// DefinitionOf is a tool as policies and spans know it. The runner's tools have no hints: give them
// with [Define].
func DefinitionOf(t anthropic.BetaTool) (toolkit.Definition, error) {
	schema, err := json.Marshal(t.InputSchema())
	if err != nil {
		return toolkit.Definition{}, err
	}
	d := toolkit.Definition{Type: toolkit.ToolFunction}
	if own, ok := t.(*defined); ok {
		d = own.definition
	}
	d.Name, d.Description, d.InputSchema = t.Name(), t.Description(), schema
	return d, nil
}

// Define gives a tool what policies need to know of it, such as ReadOnly, Timeout or a rate limit.
// Name, Description and InputSchema are the tool's own.
func Define(t anthropic.BetaTool, d toolkit.Definition) anthropic.BetaTool { return &defined{t, d} }

type defined struct {
	anthropic.BetaTool
	definition toolkit.Definition
}

type tool struct {
	anthropic.BetaTool
	run func(context.Context, call) outcome
}

// Execute runs the tool.
func (t *tool) Execute(ctx context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	name := t.Name()
	ctx, id := adopt(ctx, name)
	o := t.run(ctx, call{t.BetaTool, name, id, input})
	return o.content, o.err
}

// adopt makes the runner's span of this tool the call's own, and reads the call's id from it.
func adopt(ctx context.Context, name string) (context.Context, string) {
	span := trace.SpanFromContext(ctx)
	readable, ok := span.(interface{ Attributes() []attribute.KeyValue })
	if !ok || !span.IsRecording() {
		return ctx, ""
	}
	id, mine := "", false
	for _, a := range readable.Attributes() {
		switch a.Key {
		case keys.ToolName:
			mine = a.Value.AsString() == name
		case "gen_ai.tool.call.id":
			id = a.Value.AsString()
		}
	}
	if !mine {
		return ctx, ""
	}
	return spans.With(ctx, spans.Adopting(span)), id
}

type call struct {
	tool     anthropic.BetaTool
	name, id string
	input    json.RawMessage
}

type content = []anthropic.BetaToolResultBlockParamContentUnion

// An outcome is what a tool returned, or a policy in its place.
type outcome struct {
	content content
	err     error
}

func execute(ctx context.Context, c call) outcome {
	blocks, err := c.tool.Execute(ctx, c.input)
	return outcome{blocks, err}
}

// A refusal is a policy's error with the text that the model reads.
type refusal struct {
	text string
	err  error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.err }

func adapter(tools toolkit.Tools) toolkit.Adapter[call, outcome] {
	return toolkit.Adapter[call, outcome]{
		Tools: tools,
		Call:  func(c call) toolkit.Call { return toolkit.Call{ID: c.id, Name: c.name, Arguments: c.input} },
		With: func(c call, arguments json.RawMessage) call {
			c.input = bytes.Clone(arguments)
			return c
		},
		Result:  func(o outcome, _ error) toolkit.Result { return toolkit.Result{Fault: o.err} },
		Content: addContent,
		Answer: func(_ call, r toolkit.Result, err error) outcome {
			if err != nil { // the runner makes an error result of it
				return outcome{err: &refusal{cmp.Or(r.Output, err.Error()), err}}
			}
			return outcome{content: content{{OfText: &anthropic.BetaTextBlockParam{Text: r.Output}}}}
		},
		Copy: func(o outcome, _ call) outcome { return outcome{slices.Clone(o.content), o.err} },
	}
}

// addContent shows a first block of text as the output, all else as parts of JSON.
func addContent(o outcome, to *toolkit.Result) {
	all := o.content
	if len(all) > 0 && all[0].OfText != nil {
		to.Output, all = all[0].OfText.Text, all[1:]
	}
	for _, block := range all {
		if block.OfText != nil {
			to.Parts = append(to.Parts, toolkit.Part{Kind: toolkit.PartText, Text: block.OfText.Text})
		} else if text, err := json.Marshal(block); err == nil {
			to.Parts = append(to.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: text})
		}
	}
}
