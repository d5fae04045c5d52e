// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"encoding/json"
)

// A Lens tells how another registry's call type C and result type R are seen
// through this package's [Call] and [Result]. For observing, every field may be
// nil; [Govern] needs those it names. All functions must be safe for concurrent
// use, must not change what they are given, and may be called for every call, so
// they should be cheap.
type Lens[C, R any] struct {
	// Call shows a call; nil shows an empty one.
	Call func(C) Call
	// Tool finds the registered tool's definition; nil knows no tool. Where it is
	// set, a failed call to a name it does not know is of type unknown_tool.
	Tool Lookup
	// Failed tells whether a result is a failure, and of what type; nil never
	// finds one. [SoftError] is the usual way. It is asked after each call.
	Failed func(R) error
	// View shows a result; it is called only if an observer wants content, under
	// policies, and for the text of a failure whose error names its kind only. nil
	// shows nothing.
	View func(R) Result
	// Size is the result's size in bytes, where it is known without a View.
	Size func(R) int

	// Answer turns a policy's answer into the other type. If the policy ended the
	// call with an error, the result is its [Failure], unless the policy gave one
	// of its own. Only for policies.
	Answer func(C, Result, error) R
	// Copy copies a stored result for another call, stamping that call's id. Only
	// for policies.
	Copy func(R, C) R
	// Arguments returns the call with other arguments, as policies that inject
	// or repair them need it. Only for policies.
	Arguments func(C, json.RawMessage) C
}

// Func is the shape of an execute function that [Watch] and [Govern] wrap.
type Func[C, R any] interface {
	func(context.Context, C) R | func(context.Context, C) (R, error)
}

func (l *Lens[C, R]) call(c C) Call {
	if l.Call == nil {
		return Call{}
	}
	return l.Call(c)
}

func (l *Lens[C, R]) failed(res R) error {
	if l.Failed == nil {
		return nil
	}
	return l.Failed(res)
}

// ToolLens is the lens for one tool's own function of the shape
// func(ctx, json.RawMessage) (string, error), whose definition is def.
func ToolLens(def Definition) Lens[json.RawMessage, string] {
	tool := def.clone()
	return Lens[json.RawMessage, string]{
		Call:      func(args json.RawMessage) Call { return Call{Name: tool.Name, Arguments: args} },
		Tool:      func(string) *Definition { return tool },
		View:      func(out string) Result { return Result{Output: out} },
		Size:      func(out string) int { return len(out) },
		Answer:    func(_ json.RawMessage, res Result, _ error) string { return res.Output },
		Copy:      func(out string, _ json.RawMessage) string { return out },
		Arguments: func(_, args json.RawMessage) json.RawMessage { return args },
	}
}
