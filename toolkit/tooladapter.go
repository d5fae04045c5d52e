// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"slices"
)

// ToolAdapter is the adapter for one tool's own function of the shape
// func(context.Context, json.RawMessage) (string, error). An invalid def is an error where the
// function is wrapped.
func ToolAdapter(def Definition) Adapter[json.RawMessage, string] {
	tools, err := NewTools(def)
	return Adapter[json.RawMessage, string]{
		Tools:      tools,
		Call:       func(args json.RawMessage) Call { return Call{Name: def.Name, Arguments: args} },
		Result:     func(out string, _ error) Result { return Result{Output: out} },
		With:       func(_, args json.RawMessage) json.RawMessage { return slices.Clone(args) },
		Answer:     func(_ json.RawMessage, res Result, _ error) string { return res.Output },
		Copy:       func(out string, _ json.RawMessage) string { return out },
		needsError: true,
		err:        err,
	}
}

// TypedAdapter is the adapter for one tool's own function that takes an In and returns an Out,
// both with a form in JSON, and an error. The tool's arguments and output are those forms. An
// invalid def is an error where the function is wrapped.
//
// A policy that changes the output so that it is no longer the form of an Out, as a truncated
// one, has no effect on what the caller gets.
func TypedAdapter[In, Out any](def Definition) Adapter[In, Out] {
	tools, err := NewTools(def)
	return Adapter[In, Out]{
		Tools: tools,
		Call: func(in In) Call {
			args, err := json.Marshal(in)
			if err != nil {
				panic(err) // contained: see Adapter
			}
			return Call{Name: def.Name, Arguments: args}
		},
		Result: func(Out, error) Result { return Result{} },
		Content: func(out Out, r *Result) {
			text, err := json.Marshal(out)
			if err != nil {
				panic(err)
			}
			r.Output = string(text)
		},
		With:       func(_ In, args json.RawMessage) In { return mustDecode[In](args) },
		Answer:     answerTyped[In, Out],
		Copy:       copyTyped[In, Out],
		needsError: true,
		err:        err,
	}
}

func answerTyped[In, Out any](_ In, res Result, err error) Out {
	if err != nil {
		var none Out
		return none
	}
	return mustDecode[Out]([]byte(res.Output))
}

func copyTyped[In, Out any](out Out, _ In) Out {
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return mustDecode[Out](text)
}

// mustDecode panics with the error of a text that is no form of a T; adapters' panics are
// contained.
func mustDecode[T any](text []byte) (v T) {
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return v
}
