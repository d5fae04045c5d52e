// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/internal/durable"
)

// A bench is an engine with tools of tests, and what was called.
type bench struct {
	*Engine
	set *workflow.Set

	mu    sync.Mutex
	calls []string

	policy  *approve.Policy // nil without one
	stuck   atomic.Int32    // calls of the tool of that name, which wait for release or their context
	release chan struct{}
}

// newBench makes a bench. Its tools return their arguments, but for fail; write and pay may write, pay needs an approval.
func newBench(t testing.TB, definitions map[string]workflow.Definition, o *approve.Options) *bench {
	t.Helper()
	b := &bench{release: make(chan struct{})}
	echo := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.calls = append(b.calls, call.ID)
		return toolkit.Result{Output: string(call.Arguments)}, nil
	}
	fail := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		_, _ = echo(t.Context(), call)
		return toolkit.Result{}, errors.New("failed with " + string(call.Arguments))
	}
	wait := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		<-ctx.Done()
		return toolkit.Result{}, context.Cause(ctx)
	}
	stuck := func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		b.stuck.Add(1)
		select {
		case <-ctx.Done():
		case <-b.release:
		}
		return toolkit.Result{}, context.Cause(ctx)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(
		toolkit.ToolFunc(toolkit.Definition{Name: "echo", ReadOnly: toolkit.Yes}, echo),
		toolkit.ToolFunc(toolkit.Definition{Name: "fail", ReadOnly: toolkit.Yes}, fail),
		toolkit.ToolFunc(toolkit.Definition{Name: "wait", ReadOnly: toolkit.Yes}, wait),
		toolkit.ToolFunc(toolkit.Definition{Name: "write"}, echo),
		toolkit.ToolFunc(toolkit.Definition{Name: "stuck"}, stuck),
		toolkit.ToolFunc(toolkit.Definition{Name: "pay", RequiresApproval: true}, echo),
	); err != nil {
		t.Fatal(err)
	}
	options := toolscope.Options{}
	if o != nil {
		policy, err := approve.New(*o)
		if err != nil {
			t.Fatal(err)
		}
		b.policy, options.Policies = policy, []middleware.Policy{policy}
	}
	scope, err := toolscope.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scope.Shutdown(context.Background()) })
	b.set, err = workflow.New(workflow.Options{
		Handler: scope.WrapRegistry(registry), Tools: registry, Scope: scope, Definitions: definitions,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Engine = newEngine(Options{Set: b.set})
	return b
}

func testKeys(t testing.TB) []key {
	t.Helper()
	keys, err := parseKeys(newKeyText())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

var _ log.Logger = quiet{}

// environment is Temporal's environment for tests, which skips time, with the engine's workflow and activity.
func (b *bench) environment(t testing.TB) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetDataConverter(newConverter(testKeys(t)))
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is no deadlock
	b.register(env)
	return env
}

// runID is the id that the environment gives the run.
const runID = "default-test-workflow-id"

// run runs a workflow in an environment.
func (b *bench) run(t testing.TB, env *testsuite.TestWorkflowEnvironment, name, arguments string) workflow.Result {
	t.Helper()
	job, err := b.Engine.set.NewJob(t.Context(), name, []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	in, err := inputOf(t.Context(), job, runID)
	if err != nil {
		t.Fatal(err)
	}
	env.ExecuteWorkflow(workflowName, in)
	var end durable.End
	if err = env.GetWorkflowError(); err == nil {
		err = env.GetWorkflowResult(&end)
	}
	return resultOf(runID, end, err)
}

func step(id, tool string, v any) workflow.Step {
	return workflow.Step{ID: id, Call: tool, With: map[string]any{"v": v}}
}

func undoable(id string) workflow.Step {
	s := step(id, "write", id)
	s.Undo = &workflow.Call{Tool: "write", With: map[string]any{"undo": "$" + id + ".result.v"}}
	return s
}

func orElse(s workflow.Step, mode workflow.OnError) workflow.Step {
	s.OnError = mode
	return s
}

// patterns are workflows of all kinds of steps.
func patterns() map[string]workflow.Definition {
	wait := workflow.Step{ID: "slow", Call: "wait"}
	limited := workflow.Step{ID: "b", Steps: []workflow.Step{step("x", "echo", 1), wait}, Timeout: 400 * time.Millisecond}
	fallback := step("a", "fail", 1)
	fallback.FallbackStep = &workflow.Step{Call: "echo", With: map[string]any{"v": 2}}
	return map[string]workflow.Definition{
		"chain": {Steps: []workflow.Step{step("a", "echo", "$input.n"), step("b", "echo", "${ a.result.v * 2 + 7 % 4 }")}},
		"big":   {Steps: []workflow.Step{step("a", "echo", "$input.big")}},
		"all": {Steps: []workflow.Step{{ID: "p", Parallel: &workflow.Parallel{Merge: workflow.All, Branches: []workflow.Step{
			step("x", "echo", 1), step("y", "write", 2)}}}}},
		"first": {Steps: []workflow.Step{{ID: "p", Parallel: &workflow.Parallel{Merge: workflow.First, Branches: []workflow.Step{
			wait, step("y", "echo", 2)}}}}},
		"majority": {Steps: []workflow.Step{{ID: "p", Parallel: &workflow.Parallel{Merge: workflow.Majority, Branches: []workflow.Step{
			step("x", "fail", 1), step("y", "echo", 2), step("z", "echo", 3)}}}}},
		"agree": {Steps: []workflow.Step{{ID: "p", Parallel: &workflow.Parallel{Merge: workflow.Agree, Branches: []workflow.Step{
			step("x", "echo", 1), step("y", "echo", 2), step("z", "echo", 1)}}}}},
		"if": {Steps: []workflow.Step{{If: "${ input.n > 1 }", Then: &workflow.Step{Call: "echo"}, Else: &workflow.Step{Call: "fail"}}}},
		"each": {Steps: []workflow.Step{{ID: "e", Each: &workflow.Each{In: "${ 1..30 }", Parallel: 7,
			Do: &workflow.Step{Call: "echo", With: map[string]any{"v": "$item"}}, Merge: &workflow.Call{Tool: "echo",
				With: map[string]any{"n": "${ len(results) }"}}}}}},
		"each_fails": {Steps: []workflow.Step{undoable("u"), {ID: "e", Each: &workflow.Each{In: []any{1, 2, 3}, Parallel: 1,
			Do: &workflow.Step{Call: "fail", With: map[string]any{"v": "$item"}}}}}},
		"loop": {Steps: []workflow.Step{{Loop: &workflow.Loop{While: "${ iteration < 3 }", Max: 5, Delay: time.Millisecond,
			Do: &workflow.Step{Call: "echo", With: map[string]any{"i": "$iteration"}}}}}},
		"set":      {Steps: []workflow.Step{{Set: map[string]any{"x": "${ input.n / 2 }"}}}, Output: map[string]any{"x": "$var.x"}},
		"skip":     {Steps: []workflow.Step{orElse(step("a", "fail", 1), workflow.Skip), step("b", "echo", "$a.error")}},
		"fallback": {Steps: []workflow.Step{fallback, orElse(step("b", "fail", 1), workflow.Fallback)}},
		"undo":     {Steps: []workflow.Step{undoable("a"), undoable("b"), step("c", "fail", 1)}},
		"limited":  {Steps: []workflow.Step{undoable("a"), orElse(limited, workflow.Skip), step("c", "echo", "$b.error.type")}},
		"run_out":  {Steps: []workflow.Step{undoable("a"), wait}, Timeout: 400 * time.Millisecond},
		"calls":    {Steps: []workflow.Step{undoable("a"), step("b", "echo", 1), step("c", "echo", 1)}, MaxCalls: 2},
		"wrong":    {Steps: []workflow.Step{undoable("a"), step("b", "echo", "${ input.none }")}},
	}
}

// The same workflow has the same result, the same log and the same undos in this process and on Temporal.
func TestTheSameAsInThisProcess(t *testing.T) {
	definitions := patterns()
	b := newBench(t, definitions, nil)
	const arguments = `{"n": 3, "big": 123456789012345678901234567890}`
	for name := range definitions {
		t.Run(name, func(t *testing.T) {
			want, got := b.set.Run(t.Context(), name, []byte(arguments)), b.run(t, b.environment(t), name, arguments)
			if encoded(got.Output) != encoded(want.Output) || text(got.Err) != text(want.Err) {
				t.Errorf("got  %v, %s\nwant %v, %s", encoded(got.Output), text(got.Err), encoded(want.Output), text(want.Err))
			}
			for _, kind := range []error{toolkit.ErrTool, toolkit.ErrTimeout, toolkit.ErrInvalidArguments, toolkit.ErrBudgetExceeded} {
				if errors.Is(got.Err, kind) != errors.Is(want.Err, kind) {
					t.Errorf("errors.Is %v: got %v, want %v", kind, errors.Is(got.Err, kind), errors.Is(want.Err, kind))
				}
			}
			if g, w := summary(got), summary(want); g != w {
				t.Errorf("got  %s\nwant %s", g, w)
			}
		})
	}
}

// summary is what a run did, without times.
func summary(r workflow.Result) string {
	run := r.Run
	text := fmt.Sprint(run.Workflow, run.Success, run.ErrorType, run.FailedStep, run.Calls, run.Steps, run.Undone, run.NotUndone)
	for _, e := range run.Log {
		text += fmt.Sprint("\n", e.Step, e.Kind, e.Tool, e.Status, e.ErrorType)
	}
	return text
}

// text is the whole text of an error.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// The id of a call is the run's and the step's, in each attempt.
func TestIDsOfCalls(t *testing.T) {
	b := newBench(t, patterns(), nil)
	b.run(t, b.environment(t), "undo", "{}")
	want := []string{runID + "/a", runID + "/b", runID + "/c", runID + "/b/undo", runID + "/a/undo"}
	if !reflect.DeepEqual(b.calls, want) {
		t.Errorf("got %q, want %q", b.calls, want)
	}
}

// A call that was cut off: one that may write is not made again, and its step says so; one that only reads is.
func TestACallThatIsCutOff(t *testing.T) {
	for _, c := range []struct {
		name, tool     string
		err            error
		attempts       int
		kind           toolkit.Kind
		contains, lack string
	}{
		{"write", "write", sdk.NewHeartbeatTimeoutError(), 1, toolkit.ErrTimeout, unclear, ""},
		{"write, panic", "write", errors.New("panicked"), 1, toolkit.ErrTool, unclear, ""},
		{"read", "echo", sdk.NewHeartbeatTimeoutError(), 3, toolkit.ErrTimeout, "the worker was lost", unclear},
		{"never begun", "write", sdk.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil), 1, toolkit.ErrTimeout,
			"has not taken effect", unclear},
		{"unreadable", "write", sdk.NewNonRetryableApplicationError("the worker could not read the call", notRun, nil), 1,
			toolkit.ErrTool, "has not taken effect", unclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, map[string]workflow.Definition{"w": {Steps: []workflow.Step{step("a", c.tool, 1)}}}, nil)
			env, attempts := b.environment(t), 0
			env.RegisterActivityWithOptions(func(context.Context, callInput) (callOutput, error) {
				attempts++
				return callOutput{}, c.err
			}, activity.RegisterOptions{Name: activityName, DisableAlreadyRegisteredCheck: true})
			r := b.run(t, env, "w", "{}")
			if attempts != c.attempts || r.Err == nil || r.Run.ErrorType != string(c.kind) || !contains(r.Err, c.contains) ||
				c.lack != "" && contains(r.Err, c.lack) {
				t.Errorf("got %d attempts, %s: %v", attempts, r.Run.ErrorType, r.Err)
			}
		})
	}
}
