// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// denying is the Permit policy with a rule that denies the tool echo for one value.
func denying(t testing.TB) middleware.Policy {
	t.Helper()
	rules, err := permit.Parse("permit.yaml",
		[]byte("rules:\n  - {name: no, effect: deny, tools: [echo], when: 'args.v == \"secret\"'}\n"+
			"  - {name: maybe, effect: ask, tools: [echo], when: 'args.v == \"ask\"'}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := permit.New(permit.Options{Rules: rules, Approver: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func undoable(id string) workflow.Step {
	return workflow.Step{ID: id, Call: "write", With: map[string]any{"id": id},
		Undo: &workflow.Call{Tool: "revert", With: map[string]any{"of": "$" + id + ".result.id"}}}
}

// A step that a policy refuses: the steps before it are undone, the last one first, and the result names them.
func TestARefusedStepIsUndone(t *testing.T) {
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{denying(t)}})
	broken := undoable("c")
	broken.Undo = &workflow.Call{Tool: "fail"}
	set := b.load(t, map[string]workflow.Definition{
		"w": {Steps: []workflow.Step{undoable("a"), undoable("b"), echo("s", "$input.v")}},
		"x": {Steps: []workflow.Step{undoable("a"), broken, echo("s", "secret")}},
	})
	answer := toolkit.Executor{Handler: b.handler}
	res := answer.Execute(t.Context(), toolkit.Call{Name: "w", Arguments: []byte(`{"v": "secret"}`)})[0].Result
	if res.Fault == nil || !strings.Contains(res.Output, "the workflow w failed at s (permission_denied): ") ||
		!strings.HasSuffix(res.Output, "; undone: b, a") {
		t.Errorf("got %q, fault %v", res.Output, res.Fault)
	}
	if toolkit.TypeOf(res.Fault) != "tool_error" {
		t.Errorf("got error.type %s, want tool_error: the workflow itself was not refused", toolkit.TypeOf(res.Fault))
	}
	var arguments []string
	for _, c := range b.calls {
		arguments = append(arguments, c.Name+string(c.Arguments))
	}
	if want := []string{`write{"id":"a"}`, `write{"id":"b"}`, `revert{"of":"b"}`,
		`revert{"of":"a"}`}; !reflect.DeepEqual(arguments, want) {
		t.Errorf("calls: got %q, want %q", arguments, want)
	}
	run := set.Workflows()[0].LastRuns[0]
	if run.Success || run.FailedStep != "s" || run.ErrorType != "permission_denied" ||
		!reflect.DeepEqual(run.Undone, []string{"b", "a"}) {
		t.Errorf("history: got %+v", run)
	}
	if want := []string{"a", "b", "b/undo", "a/undo"}; !reflect.DeepEqual(b.ids(run.ID), want) {
		t.Errorf("ids: got %q, want %q", b.ids(run.ID), want)
	}
	const why = `failed with {}`
	if r := set.Run(t.Context(), "x", nil); !strings.HasSuffix(r.Err.Error(), "; undone: a; could not be undone: c (tool_error: "+why+")") {
		t.Errorf("an undo that fails: got %s", r.Err.Error())
	}
}

// Budgets count the steps of a session.
func TestBudgetsCountSteps(t *testing.T) {
	p, err := budget.New(budget.Options{Session: budget.Limits{Calls: 4}})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{p}})
	b.one(t, echo("a", 1), echo("b", 2), echo("c", 3), echo("d", 4))
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	res, err := b.handler(ctx, toolkit.Call{Name: "w"}) // the workflow, and three of its steps
	if err != nil || res.Fault == nil || !strings.Contains(res.Output, "failed at d (budget_exceeded)") {
		t.Errorf("got %q, %v", res.Output, err)
	}
}

// A workflow holds no slot while its steps wait for one.
func TestTheLimitPolicyDoesNotDeadlock(t *testing.T) {
	p, err := limit.New(limit.Options{Concurrency: limit.Concurrency{Global: 1, MaxWait: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{p}})
	b.load(t, map[string]workflow.Definition{
		"inner": {Steps: []workflow.Step{echo("a", 1),
			{Parallel: &workflow.Parallel{Merge: workflow.All, Branches: []workflow.Step{echo("", 1), echo("", 2)}}}}},
		"outer": {Steps: []workflow.Step{{Call: "inner"},
			{Each: &workflow.Each{In: []any{1, 2, 3}, Do: &workflow.Step{Call: "inner"}}}}},
	})
	executor := toolkit.Executor{Handler: b.handler}
	calls := make([]toolkit.Call, 8)
	for i := range calls {
		calls[i] = toolkit.Call{Name: "outer"}
	}
	for _, a := range executor.Execute(t.Context(), calls...) {
		if a.Result.Fault != nil {
			t.Error(a.Result.Fault)
		}
	}
	if n := len(b.calls); n != 8*4*3 {
		t.Errorf("got %d calls, want %d", n, 8*4*3)
	}
}

// 1,000 items fan out, at most so many at once, and keep their places.
func TestAThousandItems(t *testing.T) {
	var now, most atomic.Int64
	slow := toolkit.ToolFunc(toolkit.Definition{Name: "slow", ReadOnly: toolkit.Yes},
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return toolkit.Result{Output: string(call.Arguments)}, nil
		})
	b := newBench(t, toolscope.Options{}, slow)
	body := workflow.Step{Call: "slow", With: map[string]any{"i": "$item"}}
	set := b.load(t, map[string]workflow.Definition{"w": {MaxCalls: 1000, Steps: []workflow.Step{
		{Each: &workflow.Each{In: "${ 1..1000 }", Do: &body, Max: 1000, Parallel: 7}},
	}, Output: nil}})
	r := set.Run(t.Context(), "w", nil)
	if r.Err != nil || most.Load() > 7 || r.Run.Calls != 1000 {
		t.Fatalf("got %v, peak concurrency %d, %d calls", r.Err, most.Load(), r.Run.Calls)
	}
	for i, v := range r.Output.([]any) {
		if v.(map[string]any)["i"] != i+1 {
			t.Fatalf("element %d: got %v", i, v)
		}
	}
	if len(r.Run.Log) != 1001 || len(set.Workflows()[0].LastRuns[0].Log) != 200 || set.Workflows()[0].LastRuns[0].LogDropped != 801 {
		t.Errorf("got a log of %d", len(r.Run.Log))
	}
}

// A run makes no more calls than it may, whatever its steps say about errors, and those that were made are undone.
func TestCallsOfARunAreBounded(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	body := undoable("a")
	set := b.load(t, map[string]workflow.Definition{"w": {OnError: workflow.Skip, MaxCalls: 3, Steps: []workflow.Step{
		{Loop: &workflow.Loop{While: "${ true }", Max: 1000, Do: &body}},
	}}})
	r := set.Run(t.Context(), "w", nil)
	if r.Err == nil || !strings.Contains(r.Err.Error(), "failed at 0/3/a (budget_exceeded)") || len(b.calls) != 6 ||
		len(r.Run.Undone) != 3 {
		t.Errorf("got %v after %d calls", r.Err, len(b.calls))
	}
}

// Losers of a race are cancelled, and are no errors in the statistics.
func TestLosersAreNoErrors(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	b.one(t, workflow.Step{Parallel: &workflow.Parallel{Merge: workflow.First,
		Branches: []workflow.Step{{Call: "wait"}, {Call: "wait"}, echo("", 1)}}})
	if res, err := b.handler(t.Context(), toolkit.Call{Name: "w"}); err != nil || res.Fault != nil {
		t.Fatal(res.Fault, err)
	}
	summary := b.scope.Stats().Summary(stats.Window{})
	for _, tool := range summary.Tools {
		if tool.Errors != 0 {
			t.Errorf("%s: got %d errors, want none", tool.Tool, tool.Errors)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = b.handler(canceled, toolkit.Call{Name: "wait"})
	for _, tool := range b.scope.Stats().Summary(stats.Window{}).Tools {
		if tool.Tool == "wait" && tool.Errors != 1 {
			t.Errorf("a call that its caller cancelled: got %d errors, want 1", tool.Errors)
		}
	}
}

// Steps belong to the agent workflow:NAME, so that loops and turns of the model are apart from them.
func TestStepsHaveTheirOwnAgent(t *testing.T) {
	var agents []string
	spy := toolkit.ToolFunc(toolkit.Definition{Name: "spy"}, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
		if s := toolkit.SessionFrom(ctx); s != nil {
			agents = append(agents, s.Agent+" "+s.ID)
		}
		return toolkit.Result{}, nil
	})
	b := newBench(t, toolscope.Options{}, spy)
	set := b.one(t, workflow.Step{Call: "spy"})
	set.Run(t.Context(), "w", nil)
	set.Run(toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Agent: "planner"}), "w", nil)
	if fmt.Sprint(agents) != "[workflow:w s]" {
		t.Errorf("got %q", agents)
	}
}

// The history has the last 100 runs, failed ones included.
func TestHistoryIsBounded(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	set := b.load(t, map[string]workflow.Definition{"good": {Steps: []workflow.Step{echo("", 1)}},
		"bad": {Steps: []workflow.Step{{Call: "fail"}}}})
	for range 80 {
		set.Run(t.Context(), "good", nil)
		set.Run(t.Context(), "bad", nil)
	}
	list := set.Workflows()
	if list[0].Runs != 80 || list[0].Failed != 80 || list[1].Failed != 0 || len(list[0].LastRuns) != 50 ||
		len(list[1].LastRuns) != 50 {
		t.Errorf("got %d and %d runs kept of %+v", len(list[0].LastRuns), len(list[1].LastRuns), list[0].Runs)
	}
	if r := list[0].LastRuns[0]; r.ErrorType != "tool_error" || r.FailedStep != "0" {
		t.Errorf("got %+v", r)
	}
}

// A dry run runs nothing, and says what the policies would.
func TestDryRun(t *testing.T) {
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{denying(t)},
		Settings: toolscope.Settings{ToolsOff: []string{"write"}}})
	item := echo("", "$item")
	set := b.load(t, map[string]workflow.Definition{"w": {
		Input: map[string]any{"type": "object", "required": []any{"v"}},
		Steps: []workflow.Step{
			echo("a", "$input.v"), echo("b", "$a.result.v"), {Set: map[string]any{"x": "ask"}}, echo("c", "$var.x"),
			{ID: "e", Each: &workflow.Each{In: "$input.list", Do: &item}},
			{ID: "i", If: "${ input.v == 'secret' }", Then: &item0, Else: &item1},
			{ID: "j", If: "${ a.result.v == 1 }", Then: &item0, Else: &item1},
			{Set: map[string]any{"x": "$a.result.v"}}, echo("d", "$var.x"), {ID: "off", Call: "write"},
		},
	}})
	if _, err := set.DryRun(t.Context(), "w", nil); err == nil || toolkit.TypeOf(err) != "invalid_arguments" {
		t.Errorf("wrong arguments: got %v", err)
	}
	steps, err := set.DryRun(t.Context(), "w", []byte(`{"v": "secret", "list": [1, "ask"]}`))
	var got []string
	for _, s := range steps {
		got = append(got, fmt.Sprintf("%s %s %s", s.Step, s.Arguments, s.Verdict))
	}
	want := []string{
		`a {"v":"secret"} permission_denied`, "b  unknown", `c {"v":"ask"} ask`, `e/0 {"v":1} allow`, `e/1 {"v":"ask"} ask`,
		`i/then {"v":"yes"} allow`, `j/then {"v":"yes"} allow`, `j/else {"v":"no"} allow`, "d  unknown", "off  permission_denied",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if len(b.calls) != 0 || set.Workflows()[0].Runs != 0 {
		t.Errorf("got %d calls, want none", len(b.calls))
	}
}

// The steps of workflows that steps call are reported below them, as deep as the loader lets workflows call each other.
// Those of a call that is refused are not: they would not run.
func TestDryRunOfNestedWorkflows(t *testing.T) {
	b := newBench(t, toolscope.Options{Settings: toolscope.Settings{ToolsOff: []string{"off"}}})
	call := func(id, tool string, v any) workflow.Step {
		return workflow.Step{ID: id, Call: tool, With: map[string]any{"v": v}}
	}
	flow := func(steps ...workflow.Step) workflow.Definition {
		return workflow.Definition{Input: map[string]any{"type": "object"}, Steps: steps}
	}
	set := b.load(t, map[string]workflow.Definition{
		"inner":  flow(echo("x", "$input.v"), workflow.Step{If: "${ input.v == 1 }", Then: &item0, Else: &item1}),
		"middle": flow(call("mid", "inner", "$input.v")),
		"off":    flow(echo("never", 1)),
		"outer": flow(call("first", "middle", "$input.v"), call("second", "inner", "$first.result"), call("third", "off", 1),
			echo("last", "$input.v")),
	})
	steps, err := set.DryRun(t.Context(), "outer", []byte(`{"v": 1}`))
	var got []string
	for _, s := range steps {
		got = append(got, fmt.Sprintf("%d %s %s %s %s", s.Depth, s.Step, s.Tool, s.Arguments, s.Verdict))
	}
	want := []string{
		`0 first middle {"v":1} allow`, `1 mid inner {"v":1} allow`, `2 x echo {"v":1} allow`, `2 1/then echo {"v":"yes"} allow`,
		`0 second inner  unknown`, `1 x echo  unknown`, `1 1/then echo {"v":"yes"} allow`, `1 1/else echo {"v":"no"} allow`,
		`0 third off  permission_denied`, `0 last echo {"v":1} allow`,
	}
	if err != nil || !reflect.DeepEqual(got, want) || len(b.calls) != 0 {
		t.Errorf("got %q, %v, %d calls, want %q", got, err, len(b.calls), want)
	}
}

// What is wrong whatever the results are is a verdict, too; and lists within lists are bounded.
func TestDryRunOfWrongValues(t *testing.T) {
	b := newBench(t, toolscope.Options{})
	item, counted := echo("", "$item"), echo("", "$iteration")
	set := func(v any) *workflow.Step { return &workflow.Step{Set: map[string]any{"x": v}} }
	each := func(in any, most int, do *workflow.Step) workflow.Step {
		return workflow.Step{ID: "e", Each: &workflow.Each{In: in, Max: most, Do: do}}
	}
	loop := func(while string) workflow.Step {
		return workflow.Step{ID: "l", Loop: &workflow.Loop{While: while, Max: 3, Do: &counted}}
	}
	deep := each("${ 1..1000 }", 1000, set(1))
	for range 3 {
		inner := deep
		inner.ID = ""
		deep = each("${ 1..1000 }", 1000, &inner)
	}
	for name, c := range map[string]struct {
		steps []workflow.Step
		want  []string
	}{
		"call": {[]workflow.Step{echo("a", "$input.none")},
			[]string{`a echo invalid_arguments v: $input.none: there is no member "none"`}},
		"if": {[]workflow.Step{{ID: "i", If: "$input.none", Then: &item0}},
			[]string{`i  invalid_arguments $input.none: there is no member "none"`}},
		"no condition": {[]workflow.Step{{ID: "i", If: "$input.n", Then: &item0}},
			[]string{"i  invalid_arguments the condition is neither true nor false: got a number"}},
		"no list": {[]workflow.Step{each("$input.n", 2, &item)}, []string{"e  invalid_arguments in: got a number, want a list"}},
		"a long list": {[]workflow.Step{each("$input.list", 2, &item)},
			[]string{"e  invalid_arguments in: got 3 elements, want at most 2 (each.max)"}},
		"set": {[]workflow.Step{*set("$input.none")},
			[]string{`0  invalid_arguments x: $input.none: there is no member "none"`}},
		"loop":          {[]workflow.Step{loop("${ iteration < 2 }")}, []string{"l/0 echo allow "}},
		"no repetition": {[]workflow.Step{loop("${ iteration > 2 }")}, nil},
		"no loop": {[]workflow.Step{loop("$input.n")},
			[]string{"l  invalid_arguments the condition is neither true nor false: got a number"}},
		"a loop over results": {[]workflow.Step{echo("a", 1), loop("${ a.result.v > iteration }")},
			[]string{"a echo allow ", "l/0 echo allow "}},
		"too many": {[]workflow.Step{deep, echo("a", 1)}, []string{"  unknown the dry run ends here: it has looked at 10000 steps"}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := workflow.New(workflow.Options{Handler: b.handler, Tools: b.registry,
				Definitions: map[string]workflow.Definition{"w": {Steps: c.steps}}})
			if err != nil {
				t.Fatal(err)
			}
			steps, err := set.DryRun(t.Context(), "w", []byte(`{"n": 1, "list": [1, 2, 3]}`))
			var got []string
			for _, s := range steps {
				got = append(got, fmt.Sprintf("%s %s %s %s", s.Step, s.Tool, s.Verdict, s.Reason))
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// A poll that gets the same answer often is a loop in the telemetry. The policy gives no advice, which would spoil the
// answer's JSON, and refuses a step only if its Stop is set.
func TestLoopsWithinAWorkflow(t *testing.T) {
	for stop, want := range map[int]string{0: "", 6: "loop_detected"} {
		policy, err := loop.New(loop.Options{Default: loop.Thresholds{Stop: stop}})
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, toolscope.Options{Policies: []middleware.Policy{policy}})
		set := b.one(t, workflow.Step{ID: "poll", Loop: &workflow.Loop{While: "${ all(results, .v == 1) }", Max: 8,
			Do: &workflow.Step{ID: "ask", Call: "echo", With: map[string]any{"v": 1}}}})
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
		r := set.Run(ctx, "w", nil)
		if r.Run.ErrorType != want || want == "" && len(r.Output.([]any)) != 8 {
			t.Errorf("stop %d: got %v, %v", stop, r.Output, r.Err)
		}
		if tools := b.scope.Stats().Loops(); want == "" && len(tools) == 0 {
			t.Error("the statistics have no loop")
		}
	}
}

// A suspended result, such as that of an approval that is given later, fails a step: a run in this process does not
// wait beyond its call.
func TestASuspendedStepFails(t *testing.T) {
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}, Defer: true})
	if err != nil {
		t.Fatal(err)
	}
	pay := toolkit.ToolFunc(toolkit.Definition{Name: "pay", RequiresApproval: true},
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "paid"}, nil
		})
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{policy}}, pay)
	set := b.one(t, undoable("a"), workflow.Step{ID: "p", Call: "pay"})
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	r := set.Run(ctx, "w", nil)
	if r.Run.ErrorType != "approval_expired" || !reflect.DeepEqual(r.Run.Undone, []string{"a"}) {
		t.Errorf("got %v", r.Err)
	}
	for _, q := range policy.Pending() {
		if err := policy.Decide(q.ID, q.Digest, approve.Answer{Approved: true}); err != nil {
			t.Error(err)
		}
	}
	if r := set.Run(ctx, "w", nil); r.Err != nil || r.Output != "paid" { // the next run makes the same call
		t.Errorf("got %v, %v", r.Output, r.Err)
	}
}

// A person is asked about the steps, once each, and not about the workflow's tool, whose risk is theirs and whose
// arguments have the same words.
func TestAStepIsAskedAboutOnce(t *testing.T) {
	var asked []string
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{
		approve.AskerFunc(func(_ context.Context, q approve.Request) (approve.Answer, error) {
			asked = append(asked, q.Tool)
			return approve.Answer{Approved: true, By: "kim"}, nil
		})}})
	if err != nil {
		t.Fatal(err)
	}
	wipe := toolkit.ToolFunc(toolkit.Definition{Name: "wipe", Risk: toolkit.RiskHigh},
		func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "gone"}, nil
		})
	b := newBench(t, toolscope.Options{Policies: []middleware.Policy{policy}}, wipe)
	b.one(t, workflow.Step{ID: "e", Call: "echo", With: map[string]any{"v": "$input.v"}}, workflow.Step{ID: "p", Call: "wipe"})
	r, err := b.handler(t.Context(), toolkit.Call{Name: "w", Arguments: []byte(`{"v": "drop table"}`)})
	if want := []string{"echo", "wipe"}; err != nil || r.Fault != nil || !reflect.DeepEqual(asked, want) {
		t.Errorf("asked about %v, got %+v and %v, want questions about %v", asked, r, err, want)
	}
}
