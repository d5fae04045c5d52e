// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

// namedCall is a call by pointer, which its caller and its tool can change.
type namedCall struct {
	Name string
	Args json.RawMessage
}

func namedAdapter(tools toolkit.Tools) toolkit.Adapter[*namedCall, string] {
	return toolkit.Adapter[*namedCall, string]{
		Tools:  tools,
		Call:   func(c *namedCall) toolkit.Call { return toolkit.Call{Name: c.Name, Arguments: c.Args} },
		Result: func(out string, _ error) toolkit.Result { return toolkit.Result{Output: out} },
		With: func(c *namedCall, args json.RawMessage) *namedCall {
			return &namedCall{c.Name, bytes.Clone(args)}
		},
		Answer: func(_ *namedCall, res toolkit.Result, _ error) string { return res.Output },
	}
}

type pathArgs struct{ Path string }

// TestEveryAttemptRunsWhatWasAskedFor checks that a tool which changes its arguments and fails is
// not run with the changed ones, which no rule has seen.
func TestEveryAttemptRunsWhatWasAskedFor(t *testing.T) {
	const asked = `{"Path":"/tmp/x"}`
	rules, err := permit.Parse("rules", []byte(
		"version: 1\ndefault: deny\nrules:\n  - {name: a, effect: allow, where: {/Path: 'value == \"/tmp/x\"'}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no luck")
	var ran []string
	saw := func(args string) (string, error) { ran = append(ran, args); return "", failure }
	for name, wrap := range map[string]func(*toolscope.Scope) func(context.Context) error{
		"typed pointer": func(s *toolscope.Scope) func(context.Context) error {
			f := wrapFunc(t, s, func(_ context.Context, in *pathArgs) (string, error) {
				out, err := saw(`{"Path":"` + in.Path + `"}`)
				in.Path += "/.."
				return out, err
			}, toolkit.TypedAdapter[*pathArgs, string](fileTool))
			return func(ctx context.Context) error { _, err := f(ctx, &pathArgs{"/tmp/x"}); return err }
		},
		"arguments": func(s *toolscope.Scope) func(context.Context) error {
			f := wrapFunc(t, s, func(_ context.Context, args json.RawMessage) (string, error) {
				out, err := saw(string(args))
				copy(args[9:], "/etc/")
				return out, err
			}, toolkit.ToolAdapter(fileTool))
			return func(ctx context.Context) error { _, err := f(ctx, json.RawMessage(asked)); return err }
		},
		"call by pointer": func(s *toolscope.Scope) func(context.Context) error {
			f := wrapFunc(t, s, func(_ context.Context, c *namedCall) (string, error) {
				out, err := saw(string(c.Args))
				c.Args, c.Name = json.RawMessage(`{"Path":"/etc"}`), "write"
				return out, err
			}, namedAdapter(toolkit.Lookup(func(string) *toolkit.Definition { return &fileTool })))
			return func(ctx context.Context) error {
				_, err := f(ctx, &namedCall{"read", json.RawMessage(asked)})
				return err
			}
		},
		"handler": func(s *toolscope.Scope) func(context.Context) error {
			h := s.Wrap(func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
				out, err := saw(string(c.Arguments))
				copy(c.Arguments[9:], "/etc/")
				return toolkit.Result{Output: out}, err
			}, toolkit.Lookup(func(string) *toolkit.Definition { return &fileTool }))
			return func(ctx context.Context) error {
				_, err := h(ctx, toolkit.Call{Name: "read", Arguments: json.RawMessage(asked)})
				return err
			}
		},
	} {
		for with, more := range map[string][]middleware.Policy{"": nil, " and abandoned": {abandoning(t)}} {
			gate, errP := permit.New(permit.Options{Rules: rules})
			again, errR := retry.New(retry.Options{On: []toolkit.Kind{toolkit.TypeOther, toolkit.ErrTool}, BaseDelay: time.Millisecond})
			scope, err := toolscope.New(toolscope.Options{Policies: append(more, must(t, gate, errP), must(t, again, errR))})
			if err != nil {
				t.Fatal(err)
			}
			ran = nil
			err = wrap(scope)(t.Context())
			if want := []string{asked, asked, asked}; !slices.Equal(ran, want) || !errors.Is(err, failure) {
				t.Errorf("%s%s: attempts ran with %v, %v, want %v", name, with, ran, err, want)
			}
		}
	}
}

func abandoning(t *testing.T) middleware.Policy {
	clock, err := timeout.New(timeout.Options{Default: time.Minute, Abandon: []string{"read"}})
	return must(t, clock, err)
}

// TestApprovedCallRunsAsShown checks that what runs is what the person saw, when the caller
// changes its call in the meantime.
func TestApprovedCallRunsAsShown(t *testing.T) {
	const shown = `{"rm":"tmp"}`
	c := &namedCall{"read", json.RawMessage(shown)}
	asker := approve.AskerFunc(func(_ context.Context, r approve.Request) (approve.Answer, error) {
		copy(c.Args, `{"rm":"all"}`)
		c.Name, c.Args = "disk_wipe", json.RawMessage(`{"rm":"all"}`)
		return approve.Answer{Approved: r.Arguments == shown && r.Tool == "read"}, nil
	})
	yes, err := approve.New(approve.Options{Askers: []approve.Asker{asker}})
	scope, errS := toolscope.New(toolscope.Options{Policies: []middleware.Policy{must(t, yes, err)}})
	if errS != nil {
		t.Fatal(errS)
	}
	tools, err := toolkit.NewTools(toolkit.Definition{Name: "read", RequiresApproval: true})
	if err != nil {
		t.Fatal(err)
	}
	run := wrapFunc(t, scope, func(_ context.Context, c *namedCall) (string, error) {
		return c.Name + string(c.Args), nil
	}, namedAdapter(tools))
	if got, err := run(t.Context(), c); got != "read"+shown || err != nil {
		t.Errorf("ran %s, %v, want what was shown: read%s", got, err, shown)
	}
}

// TestNilContext checks that a function called without a context works under policies, too.
func TestNilContext(t *testing.T) {
	for name, scope := range typedScope(t, nil) {
		run := wrapFunc(t, scope, func(context.Context, string) (string, error) { return "out", nil },
			toolkit.TypedAdapter[string, string](fileTool))
		var none context.Context
		if out, err := run(none, "x"); out != "out" || err != nil {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
	}
}
