// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
)

// A Tool is something an agent can use. Both methods must be safe for concurrent
// use; Definition must always return the same.
type Tool interface {
	Definition() Definition
	// Handle runs the tool. A failure is an error or a Result with a Fault, as
	// the tool likes; the [Registry] makes the model read either.
	Handle(ctx context.Context, call Call) (Result, error)
}

// ToolFunc makes a tool of a definition and a handler.
func ToolFunc(def Definition, handle Handler) Tool {
	return &funcTool{def: *def.clone(), handle: handle}
}

type funcTool struct {
	def    Definition
	handle Handler
}

func (t *funcTool) Definition() Definition { return t.def }

func (t *funcTool) Handle(ctx context.Context, call Call) (Result, error) {
	if t.handle == nil {
		return nilHandler(ctx, call)
	}
	return t.handle(ctx, call)
}

// NewTool makes a tool of a definition and a function whose arguments are decoded into In from
// JSON (empty arguments count as {}). Members that In does not have are ignored,
// as encoding/json does; arguments that do not decode are refused with
// [ErrInvalidArguments] before run is called. A nil InputSchema accepts any object; package
// schema derives one from In. The definition is copied. An invalid one is reported by
// [Registry.Register].
func NewTool[In any](def Definition, run func(ctx context.Context, in In) (string, error)) Tool {
	if run == nil {
		return ToolFunc(def, nil)
	}
	return ToolFunc(def, func(ctx context.Context, call Call) (Result, error) {
		in, err := decode[In](call)
		if err != nil {
			call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
			return Result{}, err
		}
		out, err := run(ctx, in)
		return Result{Output: out}, err
	})
}

// decode reads the arguments as exactly one JSON value.
func decode[In any](call Call) (in In, err error) {
	args := bytes.TrimSpace(call.Arguments)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return in, &Error{Kind: ErrInvalidArguments, Tool: call.Name, Message: explain(err)}
	}
	return in, nil
}

// explain says what is wrong with arguments, for the model. encoding/json repeats
// of them a character, or a number that does not fit; a type's own UnmarshalJSON
// may repeat more.
func explain(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		text := "got a JSON " + clip(kind.Value) + ", want " + jsonName(kind.Type.Kind())
		if kind.Field != "" {
			text = "member " + quote(kind.Field) + ": " + text
		}
		return text
	case errors.As(err, &syntax):
		return "got invalid JSON (" + err.Error() + "), want one JSON object"
	}
	return err.Error()
}
