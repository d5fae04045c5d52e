// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// worldCall and worldResult are the world's tools as another registry has them.
type worldCall struct {
	ID, Name  string
	Arguments []byte
	Meta      map[string]string
}

type worldResult struct {
	Output    string
	JSON      []byte
	Fault     error
	Suspended bool
}

// worldFunc is a named type, as frameworks have them.
type worldFunc func(context.Context, *worldCall) (*worldResult, error)

// wrap wraps the world's tools in one of the forms and returns its name.
func (w *world) wrap(t testing.TB, scope *toolscope.Scope, r *rand.Rand) string {
	form := either(r, "Wrap", "value", "value without Copy", "pointer", "pointer without Copy")
	switch form {
	case "Wrap":
		w.handle = scope.WrapRegistry(&w.registry)
		return form
	case "value", "value without Copy":
		a := worldAdapter(&w.registry, func(c worldCall) worldCall { return c }, func(c worldCall) worldCall { return c },
			form == "value")
		f, err := toolscope.WrapFunc(scope, func(ctx context.Context, c worldCall) (*worldResult,
			error) {
			return w.foreign(ctx, &c)
		}, a)
		if err != nil {
			t.Fatal(err)
		}
		w.handle = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			meta := map[string]string{"id": call.ID}
			defer func() { meta["id"] = "overwritten" }()
			return native(f(ctx, worldCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments, Meta: meta}))
		}
	default:
		read := func(c *worldCall) worldCall { return *c }
		a := worldAdapter(&w.registry, read, func(c worldCall) *worldCall { return &c }, form == "pointer")
		f, err := toolscope.WrapFunc(scope, worldFunc(w.foreign), a)
		if err != nil {
			t.Fatal(err)
		}
		w.handle = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			c := &worldCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments, Meta: map[string]string{"id": call.ID}}
			defer func() { c.ID, c.Name, c.Meta["id"] = "overwritten", "overwritten", "overwritten" }()
			return native(f(ctx, c))
		}
	}
	return form
}

// worldAdapter connects worldCall in the form C. Its Content shares the result's memory.
func worldAdapter[C any](tools toolkit.Tools, read func(C) worldCall, form func(worldCall) C,
	copies bool) toolkit.Adapter[C, *worldResult] {
	a := toolkit.Adapter[C, *worldResult]{
		Tools: tools,
		Call: func(c C) toolkit.Call {
			call := read(c)
			return toolkit.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments}
		},
		Result: func(r *worldResult, _ error) toolkit.Result {
			if r == nil {
				return toolkit.Result{}
			}
			return toolkit.Result{Output: r.Output, Fault: r.Fault, Suspended: r.Suspended}
		},
		Content: func(r *worldResult, res *toolkit.Result) {
			if r != nil && r.JSON != nil {
				res.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: r.JSON}}
			}
		},
		With: func(c C, args json.RawMessage) C {
			call := read(c)
			call.Arguments = bytes.Clone(args)
			call.Meta = map[string]string{"id": call.Meta["id"]}
			return form(call)
		},
		Answer: func(_ C, res toolkit.Result, err error) *worldResult {
			r := &worldResult{Output: res.Output, Fault: res.Fault, Suspended: res.Suspended}
			for _, p := range res.Parts {
				r.JSON = p.JSON
			}
			return r
		},
	}
	if copies {
		a.Copy = func(r *worldResult, _ C) *worldResult {
			if r == nil {
				return nil
			}
			c := *r
			c.JSON = bytes.Clone(r.JSON)
			return &c
		}
	}
	return a
}

// foreign is every tool as a function of the other registry.
func (w *world) foreign(ctx context.Context, c *worldCall) (*worldResult, error) {
	asked := *c
	res, err := w.run(ctx, toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	if c.ID != asked.ID || c.Name != asked.Name || c.Meta["id"] != asked.ID {
		w.wrong("call %s of %s became %+v while the tool ran", asked.ID, asked.Name, *c)
	}
	if err != nil {
		return nil, err
	}
	r := &worldResult{Output: res.Output, Fault: res.Fault, Suspended: res.Suspended}
	for _, p := range res.Parts {
		r.JSON = p.JSON
	}
	return r, nil
}

// native is a result of the other registry as the world's checks know it.
func native(r *worldResult, err error) (toolkit.Result, error) {
	if r == nil {
		return toolkit.Result{}, err
	}
	res := toolkit.Result{Output: r.Output, Fault: r.Fault, Suspended: r.Suspended}
	if r.JSON != nil {
		res.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: r.JSON}}
	}
	return res, err
}

// scribble overwrites a caller's buffer, as callers that reuse it do.
func scribble(buffer []byte) {
	for i := range buffer {
		buffer[i] = 'Z'
	}
}
