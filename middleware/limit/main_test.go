// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// policy is a policy with these options.
func policy(t testing.TB, o limit.Options) *limit.Policy {
	t.Helper()
	p, err := limit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*limit.Policy)
}

// session is a context of the session of that id.
func session(ctx context.Context, id string) context.Context {
	return toolkit.WithSession(ctx, toolkit.Session{Tenant: "t", ID: id})
}

// refusal is the limit's error in err; nil if there is none.
func refusal(err error) *limit.Error {
	var e *limit.Error
	errors.As(err, &e)
	return e
}

// observed is h inside p, seen by o; each tool has the definition.
func observed(p middleware.Policy, def toolkit.Definition, h toolkit.Handler, o ...toolkit.Observer) toolkit.Handler {
	return toolkit.Chain(h, toolkit.Observe(func(string) *toolkit.Definition { return &def }, o...), p.Wrap)
}

// holding is a handler whose calls stay until release is closed or the context ends.
func holding(release <-chan struct{}) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return toolkit.Result{Output: call.ID}, nil
	}
}

func quick(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }

func tags(e toolkit.Ended) map[string]string {
	m := map[string]string{}
	for _, t := range e.Disposition.Tags {
		m[t.Key] = t.Value
	}
	return m
}
