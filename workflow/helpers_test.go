// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// A bench is a registry with the tools of tests, governed by a scope, and what was called.
type bench struct {
	registry *toolkit.Registry
	scope    *toolscope.Scope
	handler  toolkit.Handler

	mu    sync.Mutex
	calls []toolkit.Call
}

// newBench makes a bench with further tools. Its own: echo returns its arguments, fail fails with the text, and write,
// which is like echo but says nothing of itself.
func newBench(t testing.TB, o toolscope.Options, tools ...toolkit.Tool) *bench {
	t.Helper()
	b := &bench{registry: new(toolkit.Registry)}
	safe := toolkit.Definition{
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, OpenWorld: toolkit.No, Risk: toolkit.RiskLow,
		Resources: []string{"memory"},
	}
	named := func(d toolkit.Definition, name string, run toolkit.Handler) toolkit.Tool {
		d.Name = name
		return toolkit.ToolFunc(d, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			b.mu.Lock()
			b.calls = append(b.calls, toolkit.Call{ID: call.ID, Name: call.Name,
				Arguments: append(json.RawMessage(nil), call.Arguments...)})
			b.mu.Unlock()
			return run(ctx, call)
		})
	}
	echo := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: string(call.Arguments)}, nil
	}
	fail := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, errors.New("failed with " + string(call.Arguments))
	}
	wait := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		<-ctx.Done()
		return toolkit.Result{}, context.Cause(ctx)
	}
	all := append([]toolkit.Tool{
		named(safe, "echo", echo), named(safe, "fail", fail), named(safe, "wait", wait), named(toolkit.Definition{}, "write", echo),
		named(toolkit.Definition{}, "revert", echo),
	}, tools...)
	if err := b.registry.Register(all...); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.scope, err = toolscope.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.scope.Shutdown(context.Background()) })
	b.handler = b.scope.WrapRegistry(b.registry)
	return b
}

// load makes workflows, and registers their tools.
func (b *bench) load(t testing.TB, definitions map[string]workflow.Definition) *workflow.Set {
	t.Helper()
	set, err := workflow.New(workflow.Options{Handler: b.handler, Tools: b.registry, Scope: b.scope, Definitions: definitions})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.registry.Register(set.Tools()...); err != nil {
		t.Fatal(err)
	}
	return set
}

// one makes a single workflow called w of steps.
func (b *bench) one(t testing.TB, steps ...workflow.Step) *workflow.Set {
	t.Helper()
	return b.load(t, map[string]workflow.Definition{"w": {Steps: steps}})
}

// ids are the ids of the calls made, without the run's.
func (b *bench) ids(run string) (ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.calls {
		ids = append(ids, c.ID[len(run)+1:])
	}
	return ids
}

// echo is a step that returns {"v": v}.
func echo(id string, v any) workflow.Step {
	return workflow.Step{ID: id, Call: "echo", With: map[string]any{"v": v}}
}

// log is the log of a run in short.
func log(r workflow.Result) (lines []string) {
	for _, e := range r.Run.Log {
		lines = append(lines, fmt.Sprintf("%s %s %s", e.Step, e.Kind, e.Status))
	}
	return lines
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
