// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package texttool wraps tools that take JSON and return a text, for the adapters of frameworks
// whose tools do. What a policy refuses or answers is a text as well, which the model reads.
package texttool

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// A Call is one call of a tool.
type Call struct {
	Call toolkit.Call
	// Run is the tool. It gets the arguments of Call, or those that a policy made of them.
	Run func(ctx context.Context, arguments json.RawMessage) (string, error)
}

// An Answer is what came of a call.
type Answer struct {
	Text string
	// Err is the tool's own error. Text may be set next to it.
	Err error
	// Refused is the error of a policy, which Text tells the model; the tool did not return it.
	Refused error
}

// Execute runs a call, observed and governed.
type Execute func(ctx context.Context, c Call) Answer

// Wrap returns what runs the calls of tools. suspended reports whether an error is how a tool waits
// for input; nil is for frameworks that have no such way. A nil scope only runs the tool.
func Wrap(scope *toolscope.Scope, tools toolkit.Tools, suspended func(error) bool) (Execute, error) {
	return toolscope.WrapFunc(scope, run, toolkit.Adapter[Call, Answer]{
		Tools: tools,
		Call:  func(c Call) toolkit.Call { return c.Call },
		With: func(c Call, arguments json.RawMessage) Call {
			c.Call.Arguments = bytes.Clone(arguments)
			return c
		},
		Result: func(a Answer, _ error) toolkit.Result {
			if a.Err != nil && suspended != nil && suspended(a.Err) {
				return toolkit.Result{Output: a.Text, Suspended: true}
			}
			return toolkit.Result{Output: a.Text, Fault: a.Err}
		},
		Answer: func(_ Call, r toolkit.Result, err error) Answer {
			if r.Output == "" && err != nil {
				r.Output = err.Error()
			}
			return Answer{Text: r.Output, Refused: err}
		},
	})
}

func run(ctx context.Context, c Call) Answer {
	text, err := c.Run(ctx, c.Call.Arguments)
	return Answer{Text: text, Err: err}
}
