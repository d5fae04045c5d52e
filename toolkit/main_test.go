// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

// funcs is an observer made of functions, all optional.
type funcs struct {
	begin func(context.Context, toolkit.Call, *toolkit.CallInfo) context.Context
	wants func(context.Context) bool
	end   func(context.Context, *toolkit.Ended)
}

func (o funcs) Begin(ctx context.Context, call toolkit.Call, f *toolkit.CallInfo) context.Context {
	if o.begin == nil {
		return ctx
	}
	return o.begin(ctx, call, f)
}

func (o funcs) Wants(ctx context.Context) bool { return o.wants != nil && o.wants(ctx) }

func (o funcs) End(ctx context.Context, e *toolkit.Ended) {
	if o.end != nil {
		o.end(ctx, e)
	}
}

func named(name string) toolkit.Definition { return toolkit.Definition{Name: name} }

// registry holds tools; a failure to register is the test's.
func registry(t testing.TB, tools ...toolkit.Tool) *toolkit.Registry {
	t.Helper()
	r := new(toolkit.Registry)
	if err := r.Register(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}
