// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package genkit_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/toolscope/toolscope"
	adapter "github.com/toolscope/toolscope/adapters/genkit"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// TestTypedFunctions shows what policies make of the input and the output of a function with types.
func TestTypedFunctions(t *testing.T) {
	var changed json.RawMessage
	policy := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
			if changed == nil {
				return middleware.Refuse(c, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not today"})
			}
			c.Arguments = changed
			return next(ctx, c)
		}
	})
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{policy}})
	if err != nil {
		t.Fatal(err)
	}
	f := func(_ *ai.ToolContext, p place) (weather, error) { return weather{"sunny in " + p.City}, nil }
	run := func() (string, error) {
		out, err := adapter.Func(scope, toolkit.Definition{Name: "forecast"}, f)(
			&ai.ToolContext{Context: t.Context()}, place{"Rome"})
		text, _ := json.Marshal(out)
		return string(text), err
	}
	if got, err := run(); err != nil || !strings.Contains(got, "not today") {
		t.Errorf("refused: got %s, %v", got, err)
	}
	changed = json.RawMessage(`{"city":"Oslo"}`)
	if got, err := run(); err != nil || got != `{"sky":"sunny in Oslo"}` {
		t.Errorf("changed: got %s, %v", got, err)
	}
	changed = json.RawMessage(`{"city":7}`)
	if got, err := run(); err == nil {
		t.Errorf("arguments of another type: got %s, want an error", got)
	}
}
