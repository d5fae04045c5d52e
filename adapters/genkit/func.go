// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package genkit

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// Func returns the function of a tool, observed and governed by the scope. d is the tool as policies and
// spans know it; an empty InputSchema is that of In. A nil scope only calls f. A definition without a
// name and a policy that cannot apply are mistakes in the program, and a panic.
func Func[In, Out any](scope *toolscope.Scope, d toolkit.Definition, f ai.ToolFunc[In, Out]) ai.ToolFunc[In, any] {
	if scope == nil {
		return func(tc *ai.ToolContext, input In) (any, error) { return f(tc, input) }
	}
	if d.Type == "" {
		d.Type = toolkit.ToolFunction
	}
	if in := reflect.TypeFor[In](); len(d.InputSchema) == 0 && in.Kind() != reflect.Interface {
		d.InputSchema = toolscope.Must(json.Marshal(core.InferSchemaMap(reflect.Zero(in).Interface())))
	}
	tools := toolscope.Must(toolkit.NewTools(d))
	run := toolscope.Must(toolscope.WrapFunc(scope, execute(f), adapter[In](d.Name, tools)))
	return func(tc *ai.ToolContext, input In) (any, error) {
		o := run(adopt(tc.Context, d.Name), call[In]{tool: tc, input: input})
		return o.value, o.err
	}
}

// DefinitionOf is a tool as policies and spans know it, for [Func] and for lists of tools. Add hints such as
// ReadOnly to it.
func DefinitionOf(t ai.ToolRef) (toolkit.Definition, error) {
	d := toolkit.Definition{Name: t.Name(), Type: toolkit.ToolFunction}
	full, ok := t.(ai.Tool)
	if !ok {
		return d, nil
	}
	known := full.Definition()
	d.Description = known.Description
	if known.InputSchema == nil {
		return d, nil
	}
	var err error
	d.InputSchema, err = json.Marshal(known.InputSchema)
	return d, err
}

// adopt makes genkit's span of this tool the call's own.
func adopt(ctx context.Context, name string) context.Context {
	span := trace.SpanFromContext(ctx)
	native, ok := span.(interface {
		Name() string
		InstrumentationScope() instrumentation.Scope
	})
	if !ok || native.InstrumentationScope().Name != "genkit-tracer" || native.Name() != name {
		return ctx
	}
	return spans.With(ctx, spans.Adopting(span))
}

type call[In any] struct {
	tool  *ai.ToolContext
	input In
	err   error // of arguments that a policy has changed
}

// An outcome is what a function returned, or a policy in its place.
type outcome struct {
	value any
	err   error
}

func execute[In, Out any](f ai.ToolFunc[In, Out]) func(context.Context, call[In]) outcome {
	return func(ctx context.Context, c call[In]) outcome {
		if c.err != nil {
			return outcome{err: c.err}
		}
		tool := *c.tool
		tool.Context = ctx
		value, err := f(&tool, c.input)
		return outcome{value, err}
	}
}

func adapter[In any](name string, tools toolkit.Tools) toolkit.Adapter[call[In], outcome] {
	return toolkit.Adapter[call[In], outcome]{
		Tools: tools,
		Call: func(c call[In]) toolkit.Call {
			arguments, _ := json.Marshal(c.input) // it came as JSON
			return toolkit.Call{Name: name, Arguments: arguments}
		},
		With: func(c call[In], arguments json.RawMessage) call[In] {
			var input In
			if err := json.Unmarshal(arguments, &input); err != nil {
				c.err = fmt.Errorf("genkit: arguments that a policy has changed: %w", err)
			}
			c.input = input
			return c
		},
		Result: func(o outcome, _ error) toolkit.Result {
			if interrupted, _ := ai.IsToolInterruptError(o.err); interrupted {
				return toolkit.Result{Suspended: true}
			}
			return toolkit.Result{Fault: o.err}
		},
		Content: func(o outcome, to *toolkit.Result) {
			if text, ok := o.value.(string); ok {
				to.Output = text
			} else if text, err := json.Marshal(o.value); err == nil && o.err == nil {
				to.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: text}}
			}
		},
		Answer: func(_ call[In], r toolkit.Result, err error) outcome {
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
