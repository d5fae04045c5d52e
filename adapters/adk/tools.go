// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// runnable is a tool that this process runs. Tools of the model and streaming ones are none.
type runnable interface {
	tool.Tool
	Declaration() *genai.FunctionDeclaration
	Run(ctx agent.Context, args any) (map[string]any, error)
}

// Tools returns the tools, observed and governed by the scope, in their order. A tool that the model
// runs, such as a search of Google's, and one that streams stay as they are. A nil scope returns the tools
// as they are. Two tools of one name are a mistake in the program, and a panic.
func Tools(scope *toolscope.Scope, all ...tool.Tool) []tool.Tool {
	if scope == nil {
		return all
	}
	var definitions []toolkit.Definition
	for _, t := range all {
		if _, ok := t.(runnable); ok {
			definitions = append(definitions, toolscope.Must(DefinitionOf(t)))
		}
	}
	registered := toolscope.Must(toolkit.NewTools(definitions...))
	run := toolscope.Must(toolscope.WrapFunc(scope, execute, adapter(registered)))
	wrapped := make([]tool.Tool, len(all))
	for i, t := range all {
		wrapped[i] = t
		if r, ok := t.(runnable); ok {
			wrapped[i] = &governed{r, run}
		}
	}
	return wrapped
}

// DefinitionOf is a tool as policies and spans know it. ADK's tools have no hints: give them with [Define].
func DefinitionOf(t tool.Tool) (toolkit.Definition, error) {
	d := toolkit.Definition{Type: toolkit.ToolFunction}
	if own, ok := t.(*defined); ok {
		d = own.definition
	}
	d.Name, d.Description = t.Name(), t.Description()
	r, ok := t.(runnable)
	if !ok {
		return d, nil
	}
	declaration := r.Declaration()
	var schema any
	switch {
	case declaration == nil:
	case declaration.ParametersJsonSchema != nil:
		schema = declaration.ParametersJsonSchema
	case declaration.Parameters != nil:
		schema = declaration.Parameters
	}
	if schema == nil {
		return d, nil
	}
	var err error
	d.InputSchema, err = json.Marshal(schema)
	return d, err
}

// Define gives a tool what policies need to know of it, such as ReadOnly, Timeout or a rate limit. Name,
// Description and InputSchema are the tool's own. A tool that this process does not run is returned as it is.
func Define(t tool.Tool, d toolkit.Definition) tool.Tool {
	if r, ok := t.(runnable); ok {
		return &defined{r, d}
	}
	return t
}

type defined struct {
	runnable
	definition toolkit.Definition
}

// ProcessRequest adds the tool to a request of the model.
func (t *defined) ProcessRequest(_ agent.Context, r *model.LLMRequest) error {
	return toolutils.PackTool(r, t)
}

// Session is ADK's session of a call as toolscope knows it.
func Session(ctx agent.ReadonlyContext) toolkit.Session {
	return toolkit.Session{
		Tenant: ctx.AppName() + "/" + ctx.UserID(), ID: ctx.SessionID(), Conversation: ctx.SessionID(), Agent: ctx.AgentName(),
	}
}

// Unknown records calls of tools that the agent does not have, and leaves the answer to ADK.
func Unknown(
	scope *toolscope.Scope,
) func(ctx agent.Context, t tool.Tool, args map[string]any, err error) (map[string]any, error) {
	callbacks := toolscope.Must(scope.Callbacks(toolkit.NoTools, toolscope.ObserveOnly()))
	return func(ctx agent.Context, t tool.Tool, args map[string]any, err error) (map[string]any, error) {
		if _, ok := t.(runnable); ok {
			return nil, nil
		}
		arguments, _ := json.Marshal(args)
		_, running := callbacks.Begin(begin(ctx, t.Name()),
			toolkit.Call{ID: ctx.FunctionCallID(), Name: t.Name(), Arguments: arguments})
		running.Record().Note(func(d *toolkit.Disposition) { d.Outcome = toolkit.OutcomeRefused })
		running.End(toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: t.Name(), Message: err.Error()})
		return nil, nil
	}
}

type governed struct {
	runnable
	run func(context.Context, call) outcome
}

// ProcessRequest adds the tool to a request of the model, instead of the inner one, which would add itself.
func (t *governed) ProcessRequest(_ agent.Context, r *model.LLMRequest) error {
	return toolutils.PackTool(r, t)
}

// Run runs the tool.
func (t *governed) Run(ctx agent.Context, args any) (map[string]any, error) {
	o := t.run(begin(ctx, t.Name()), call{tool: t.runnable, ctx: ctx, args: args})
	return o.result, o.err
}

// begin is the context of a call: with ADK's session, and ADK's span of the tool as the call's own.
func begin(ctx agent.Context, name string) context.Context {
	var out context.Context = ctx
	if toolkit.SessionFrom(ctx) == nil && ctx.SessionID() != "" {
		out = toolkit.WithSession(out, Session(ctx))
	}
	span := trace.SpanFromContext(ctx)
	if named, ok := span.(interface{ Name() string }); ok && named.Name() == "execute_tool "+name {
		out = spans.With(out, spans.Adopting(span))
	}
	return out
}

type call struct {
	tool runnable
	ctx  agent.Context
	args any
	err  error // of arguments that a policy has changed
}

// An outcome is what a tool returned, or a policy in its place.
type outcome struct {
	result map[string]any
	err    error
}

// callContext is ADK's context of a tool with what toolscope has added to it.
type callContext struct {
	agent.Context
	with context.Context
}

func (c *callContext) Done() <-chan struct{}       { return c.with.Done() }
func (c *callContext) Err() error                  { return c.with.Err() }
func (c *callContext) Deadline() (time.Time, bool) { return c.with.Deadline() }
func (c *callContext) Value(key any) any           { return c.with.Value(key) }

func execute(ctx context.Context, c call) outcome {
	if c.err != nil {
		return outcome{err: c.err}
	}
	result, err := c.tool.Run(&callContext{c.ctx, ctx}, c.args)
	return outcome{result, err}
}

// failure is the error of a result, which ADK's tools and ADK itself return under this name.
func failure(result map[string]any) error {
	switch text := result["error"].(type) {
	case string:
		return errors.New(text)
	case error:
		return text
	}
	return nil
}

func adapter(tools toolkit.Tools) toolkit.Adapter[call, outcome] {
	return toolkit.Adapter[call, outcome]{
		Tools: tools,
		Call: func(c call) toolkit.Call {
			arguments, _ := json.Marshal(c.args) // it came as JSON
			return toolkit.Call{ID: c.ctx.FunctionCallID(), Name: c.tool.Name(), Arguments: arguments}
		},
		With: func(c call, arguments json.RawMessage) call {
			var args map[string]any
			c.err = json.Unmarshal(arguments, &args)
			c.args = args
			return c
		},
		Result: func(o outcome, _ error) toolkit.Result {
			waits := errors.Is(o.err, tool.ErrConfirmationRequired)
			switch {
			case waits:
				return toolkit.Result{Suspended: true}
			case o.err != nil:
				return toolkit.Result{Fault: o.err}
			}
			return toolkit.Result{Fault: failure(o.result)}
		},
		Content: addContent,
		Answer: func(_ call, r toolkit.Result, err error) outcome {
			switch {
			case err != nil && r.Output == "":
				return outcome{result: map[string]any{"error": err.Error()}}
			case err != nil:
				return outcome{result: map[string]any{"error": r.Output}}
			case len(r.Parts) == 0:
				return outcome{result: map[string]any{"result": r.Output}}
			}
			var result map[string]any
			err = json.Unmarshal(r.Parts[0].JSON, &result)
			return outcome{result, err}
		},
	}
}

// addContent shows a result that is one text as the output, all else as JSON.
func addContent(o outcome, to *toolkit.Result) {
	if text, ok := o.result["result"].(string); ok && len(o.result) == 1 {
		to.Output = text
		return
	}
	if text, err := json.Marshal(o.result); err == nil && o.result != nil {
		to.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: text}}
	}
}
