// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package eino

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// An outcome is what an endpoint returned. A policy's refusal is a result that the model reads, and
// no error, which would end the run of the graph.
type outcome[R any] struct {
	result R
	err    error
}

type execute[R any] func(context.Context, *compose.ToolInput) outcome[R]

// middleware makes one of the framework's middlewares of an adapter.
func middleware[E ~func(context.Context, *compose.ToolInput) (R, error), R any](
	scope *toolscope.Scope, a toolkit.Adapter[*compose.ToolInput, outcome[R]],
) (func(E) E, error) {
	govern, err := toolscope.FuncMiddleware[execute[R]](scope, a)
	if err != nil {
		return nil, err
	}
	return func(next E) E {
		run := govern(func(ctx context.Context, in *compose.ToolInput) outcome[R] {
			result, err := next(ctx, in)
			return outcome[R]{result, err}
		})
		return func(ctx context.Context, in *compose.ToolInput) (R, error) {
			o := run(ctx, in)
			return o.result, o.err
		}
	}, nil
}

// adapter has what all kinds of tools share. text makes a result of the text that a model reads.
func adapter[R any](tools toolkit.Tools, text func(string) R) toolkit.Adapter[*compose.ToolInput, outcome[R]] {
	return toolkit.Adapter[*compose.ToolInput, outcome[R]]{
		Tools: tools,
		Call: func(in *compose.ToolInput) toolkit.Call {
			return toolkit.Call{ID: in.CallID, Name: in.Name, Arguments: json.RawMessage(in.Arguments)}
		},
		With: func(in *compose.ToolInput, arguments json.RawMessage) *compose.ToolInput {
			return &compose.ToolInput{
				Name: in.Name, CallID: in.CallID, Arguments: string(arguments), CallOptions: slices.Clone(in.CallOptions),
			}
		},
		Result: func(o outcome[R], _ error) toolkit.Result {
			if _, ok := compose.IsInterruptRerunError(o.err); ok {
				return toolkit.Result{Suspended: true}
			}
			return toolkit.Result{Fault: o.err}
		},
		Answer: func(_ *compose.ToolInput, r toolkit.Result, err error) outcome[R] {
			if r.Output == "" && err != nil {
				r.Output = err.Error()
			}
			return outcome[R]{result: text(r.Output)}
		},
	}
}

func invokable(tools toolkit.Tools) toolkit.Adapter[*compose.ToolInput, outcome[*compose.ToolOutput]] {
	a := adapter(tools, func(text string) *compose.ToolOutput { return &compose.ToolOutput{Result: text} })
	a.Content = func(o outcome[*compose.ToolOutput], r *toolkit.Result) {
		if o.result != nil {
			r.Output = o.result.Result
		}
	}
	return a
}

func enhanced(tools toolkit.Tools) toolkit.Adapter[*compose.ToolInput, outcome[*compose.EnhancedInvokableToolOutput]] {
	a := adapter(tools, func(text string) *compose.EnhancedInvokableToolOutput {
		return &compose.EnhancedInvokableToolOutput{Result: textResult(text)}
	})
	a.Content = func(o outcome[*compose.EnhancedInvokableToolOutput], r *toolkit.Result) {
		if o.result != nil && o.result.Result != nil {
			r.Output = textOf(o.result.Result)
		}
	}
	// A stored result is copied whole: its parts may be images.
	a.Copy = func(
		o outcome[*compose.EnhancedInvokableToolOutput], _ *compose.ToolInput,
	) outcome[*compose.EnhancedInvokableToolOutput] {
		if o.result == nil || o.result.Result == nil {
			return o
		}
		return outcome[*compose.EnhancedInvokableToolOutput]{
			&compose.EnhancedInvokableToolOutput{Result: &schema.ToolResult{Parts: slices.Clone(o.result.Result.Parts)}}, o.err,
		}
	}
	return a
}

func textResult(text string) *schema.ToolResult {
	return &schema.ToolResult{Parts: []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: text}}}
}

// textOf is the text of a result's parts, with the kinds of the others.
func textOf(r *schema.ToolResult) string {
	var all []string
	for _, p := range r.Parts {
		if p.Type == schema.ToolPartTypeText {
			all = append(all, p.Text)
		} else {
			all = append(all, "["+string(p.Type)+"]")
		}
	}
	return strings.Join(all, "\n")
}
