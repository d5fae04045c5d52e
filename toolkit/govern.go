// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Govern wraps an execute function of another registry in middlewares and gives
// back the same signature. A result that no policy changed comes back as the
// identical value; what a policy answers is made by lens.Answer, and a stored
// result is copied by lens.Copy. The lens must have Call, View, Failed, Answer,
// Copy and Arguments: what is missing is an error here, not data lost later.
//
// A function without an error takes a policy's error through lens.Answer; one with
// an error returns it as its own, with the Answer as its result.
func Govern[F Func[C, R], C, R any](next F, lens Lens[C, R], middlewares ...Middleware) (F, error) {
	var none F
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"Call", lens.Call == nil}, {"Failed", lens.Failed == nil && !returnsError[F, C, R]()}, {"View", lens.View == nil},
		{"Answer", lens.Answer == nil}, {"Copy", lens.Copy == nil}, {"Arguments", lens.Arguments == nil},
	} {
		if f.missing {
			return none, fmt.Errorf("toolkit: Govern: Lens.%s: got nil, want a function: policies cannot work without it", f.name)
		}
	}
	g := &governor[C, R]{lens: lens}
	var wrapped any
	switch f := any(next).(type) {
	case func(context.Context, C) R:
		if f == nil {
			return none, fmt.Errorf("toolkit: Govern: next: got nil, want an execute function")
		}
		handler := Chain(g.handler(func(ctx context.Context, c C) (R, error) { return f(ctx, c), nil }), middlewares...)
		wrapped = func(ctx context.Context, c C) R {
			res, _ := g.execute(ctx, c, handler)
			return res
		}
	case func(context.Context, C) (R, error):
		if f == nil {
			return none, fmt.Errorf("toolkit: Govern: next: got nil, want an execute function")
		}
		handler := Chain(g.handler(f), middlewares...)
		wrapped = func(ctx context.Context, c C) (R, error) { return g.execute(ctx, c, handler) }
	}
	return wrapped.(F), nil
}

func returnsError[F Func[C, R], C, R any]() bool {
	var f F
	_, ok := any(f).(func(context.Context, C) (R, error))
	return ok
}

type governor[C, R any] struct{ lens Lens[C, R] }

type governedKey struct{}

// governed carries the original call, and the arguments it was shown with, inward
// to the innermost handler.
type governed[C any] struct {
	call      C
	arguments json.RawMessage
}

// foreign is what the view of a governed function's result stands for.
type foreign[C, R any] struct {
	made   *governed[C] // the call it was made for
	result R
	err    error
	shown  Result // what the view showed, to notice a policy's changes
	copy   func(R, C) R
}

// clone copies the result for whoever stores it (see [Result.Clone]).
func (f *foreign[C, R]) clone() any {
	g := *f
	g.result = f.copy(f.result, f.made.call)
	return &g
}

// handler shows the function as a Handler of this package.
func (g *governor[C, R]) handler(next func(context.Context, C) (R, error)) Handler {
	return func(ctx context.Context, call Call) (Result, error) {
		carried, _ := ctx.Value(governedKey{}).(*governed[C])
		if carried == nil {
			return Result{}, &Error{Kind: ErrTool, Tool: call.Name, Message: "a middleware replaced the context: want one made of the context it was given"}
		}
		c := carried.call
		if !sameBytes(carried.arguments, call.Arguments) {
			c = g.lens.Arguments(c, call.Arguments)
		}
		res, err := next(ctx, c)
		view := g.lens.View(res)
		if view.Fault == nil {
			view.Fault = g.lens.failed(res)
		}
		if view.Fault == nil {
			view.Fault = err
		}
		if view.Fault != nil && g.lens.Tool != nil && g.lens.Tool(call.Name) == nil {
			view.Fault = &Error{Kind: ErrUnknownTool, Tool: call.Name, Cause: view.Fault}
			call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
		}
		view.foreign = &foreign[C, R]{made: carried, result: res, err: err, shown: view, copy: g.lens.Copy}
		return view, nil
	}
}

// execute runs one call through the middlewares and back to the other types.
func (g *governor[C, R]) execute(ctx context.Context, c C, handler Handler) (R, error) {
	call := g.lens.call(c)
	carried := &governed[C]{c, call.Arguments}
	view, err := handler(context.WithValue(ctx, governedKey{}, carried), call)
	if f, ok := view.foreign.(*foreign[C, R]); ok && err == nil && unchanged(view, f.shown) {
		if f.made != carried {
			return g.lens.Copy(f.result, c), f.err
		}
		return f.result, f.err
	}
	if err != nil && view.Output == "" && view.Fault == nil {
		view = Failure(err)
	}
	return g.lens.Answer(c, view, err), err
}

// unchanged reports whether the middlewares left the view as it was.
func unchanged(now, then Result) bool {
	return now.Output == then.Output && slices.EqualFunc(now.Parts, then.Parts, Part.equal) &&
		maps.EqualFunc(now.Meta, then.Meta, func(a, b json.RawMessage) bool { return sameBytes(a, b) }) &&
		sameError(now.Fault, then.Fault) && now.Suspended == then.Suspended
}

// sameError reports whether two errors are the same value. Of errors that cannot be
// compared, such as slices, those of one type count as the same.
func sameError(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	if v := reflect.ValueOf(a); !v.Comparable() {
		return v.Type() == reflect.TypeOf(b)
	}
	return a == b
}

// sameBytes reports whether two slices are the same memory, or hold the same.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}
