// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parent is a registry with the tools look and break, and the agent tool.
func parent(t *testing.T, model agent.Model, o agent.Options) *toolkit.Registry {
	t.Helper()
	registry := new(toolkit.Registry)
	o.Handler, o.Tools = registry.Handle, registry
	tool, err := agent.New(model, o)
	if err != nil {
		t.Fatal(err)
	}
	err = registry.Register(tool,
		toolkit.NewTool(toolkit.Definition{
			Name: "look", Description: "Looks.",
		}, func(_ context.Context, in struct{ At string }) (string, error) { return "saw " + in.At, nil }),
		toolkit.NewTool(toolkit.Definition{
			Name: "break", Description: "Breaks.",
		}, func(context.Context, struct{}) (string, error) { return "", errors.New("broken") }))
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

func delegate(ctx context.Context, r *toolkit.Registry, tasks ...string) toolkit.Result {
	arguments, err := json.Marshal(map[string][]string{"tasks": tasks})
	if err != nil {
		panic(err)
	}
	return r.Execute(ctx, toolkit.Call{Name: "agent_delegate", Arguments: arguments}).Result
}

func calls(names ...string) (list []toolkit.Call) {
	for i, n := range names {
		list = append(list, toolkit.Call{ID: fmt.Sprintf("c%d", i), Name: n, Arguments: []byte(`{"at":"home"}`)})
	}
	return list
}

// answering uses the tools once, then answers with what it got.
func answering(names ...string) agent.Model {
	return func(_ context.Context, r agent.Request) (agent.Reply, error) {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == agent.RoleUser {
			return agent.Reply{Text: "let me see", Calls: calls(names...), Usage: agent.Usage{Input: 10, Output: 2}}, nil
		}
		var got []string
		for _, m := range r.Messages[2:] {
			got = append(got, fmt.Sprintf("%s:%s:%t", m.CallID, m.Text, m.Failed))
		}
		return agent.Reply{Text: r.Messages[0].Text + " " + strings.Join(got, "|"), Usage: agent.Usage{Input: 20, Output: 3}}, nil
	}
}

func TestTasks(t *testing.T) {
	var shown atomic.Pointer[agent.Request]
	model := answering("look", "break", "nothing")
	r := parent(t, agent.Model(func(ctx context.Context, request agent.Request) (agent.Reply, error) {
		shown.CompareAndSwap(nil, &request)
		return model(ctx, request)
	}), agent.Options{Instructions: "be brief"})
	res := delegate(t.Context(), r, "first", "second")
	if res.Fault != nil {
		t.Fatal(res.Fault)
	}
	for _, want := range []string{
		"2 of 2 tasks done\n",
		"--- task 1: done (turns 2, calls 3, of which 2 failed, tokens 35)\nfirst c0:saw home:false|c1:broken:true|c2:",
		"--- task 2: done (turns 2, calls 3, of which 2 failed, tokens 35)\nsecond c0:saw home",
	} {
		if !strings.Contains(res.Output, want) {
			t.Errorf("got %s, want %q in it", res.Output, want)
		}
	}
	request := shown.Load()
	names := make([]string, len(request.Tools))
	for i, d := range request.Tools {
		names[i] = d.Name
	}
	if !slices.Equal(names, []string{"look", "break"}) || request.System != "be brief" || request.MaxTokens != 4096 ||
		request.Final {
		t.Errorf("got tools %q, system %q, %d tokens, final %t", names, request.System, request.MaxTokens, request.Final)
	}
}

func TestPartialFailure(t *testing.T) {
	r := parent(t, agent.Model(func(ctx context.Context, request agent.Request) (agent.Reply, error) {
		switch task := request.Messages[0].Text; task {
		case "error":
			return agent.Reply{}, errors.New("502 from the provider")
		case "panic":
			panic("a bug of the model's")
		case "goexit":
			runtime.Goexit()
			return agent.Reply{}, nil
		case "silence":
			return agent.Reply{}, nil
		case "endless":
			return agent.Reply{Text: "still at it", Calls: calls("look")}, nil
		case "costly":
			return agent.Reply{Text: "much", Calls: calls("look"), Usage: agent.Usage{Input: 5000}}, nil
		default:
			return agent.Reply{Text: "fine"}, nil
		}
	}), agent.Options{MaxTokens: 1000, Parallel: 2})
	res := delegate(t.Context(), r, "error", "panic", "silence", "endless", "costly", "goexit", "goexit", "goexit", "good")
	if res.Fault != nil {
		t.Errorf("got %v, want no fault where one task was done", res.Fault)
	}
	for _, want := range []string{
		"1 of 9 tasks done",
		"task 1: failed, the model: 502 from the provider (turns 1,",
		"task 2: failed, the tool panicked",
		"task 3: failed, tool error: the model answered nothing",
		"task 4: failed, budget exceeded: it came to no answer in 3 turns (turns 3, calls 2, of which 0 failed, " +
			"tokens 0)\nstill at it",
		"task 5: failed, budget exceeded: it took 5000 tokens, of at most 1000 (turns 1, calls 0,",
		"task 8: failed, tool error: the model ended its goroutine",
		"task 9: done (turns 1, calls 0, of which 0 failed, tokens 0)\nfine",
	} {
		if !strings.Contains(res.Output, want) {
			t.Errorf("got %s, want %q in it", res.Output, want)
		}
	}
	if res := delegate(t.Context(), r, "endless"); !errors.Is(res.Fault, toolkit.ErrBudgetExceeded) ||
		!strings.Contains(res.Output, "0 of 1 tasks done") {
		t.Errorf("got %v and %s, want a failure of the task's kind", res.Fault, res.Output)
	}
}

func TestNoFurtherSubAgents(t *testing.T) {
	r := parent(t, answering("agent_delegate"), agent.Options{})
	res := delegate(t.Context(), r, "delegate it")
	if res.Fault != nil || !strings.Contains(res.Output, "permission denied: a sub-agent may not delegate") {
		t.Errorf("got %v and %s", res.Fault, res.Output)
	}
}

// TestLimits checks with a clock of its own how many tasks run at once, and how long.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		r := parent(t, agent.Model(func(ctx context.Context, request agent.Request) (agent.Reply, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			wait := time.Second
			if request.Messages[0].Text == "slow" {
				wait = time.Hour
			}
			select {
			case <-time.After(wait):
				return agent.Reply{Text: "done"}, nil
			case <-ctx.Done():
				return agent.Reply{}, ctx.Err()
			}
		}), agent.Options{Timeout: time.Minute})
		began := time.Now()
		res := delegate(t.Context(), r, "a", "b", "c", "d", "slow")
		if took := time.Since(began); took != time.Minute+time.Second {
			t.Errorf("it took %v", took)
		}
		if most.Load() != 3 {
			t.Errorf("got %d tasks at once, want %d", most.Load(), 3)
		}
		if !strings.Contains(res.Output, "4 of 5 tasks done") ||
			!strings.Contains(res.Output, "task 5: failed, timeout: the task took longer than 1m0s") {
			t.Errorf("got %s", res.Output)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if res := delegate(ctx, r, "slow", "a"); !strings.Contains(res.Output, "1 of 2 tasks done") {
			t.Errorf("got %s, want what was done before the caller's time was over", res.Output)
		}
	})
}

type run struct {
	mu    sync.Mutex
	turns int
	usage agent.Usage
	err   error
	ended bool
}

func (r *run) InferenceCall() { r.mu.Lock(); defer r.mu.Unlock(); r.turns++ }
func (r *run) End(err error)  { r.mu.Lock(); defer r.mu.Unlock(); r.err, r.ended = err, true }

func (r *run) AddUsage(in, out int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.usage.Input, r.usage.Output = r.usage.Input+int(in), r.usage.Output+int(out)
}

type markKey struct{}

// TestObserved checks what Start gets, and that the calls have its context and session.
func TestObserved(t *testing.T) {
	told := new(run)
	var seen []string
	o := agent.Options{
		Name: "researcher",
		Start: func(ctx context.Context, name string) (context.Context, agent.Run) {
			return context.WithValue(ctx, markKey{}, name), told
		},
	}
	registry := new(toolkit.Registry)
	o.Tools = registry
	o.Handler = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		seen = append(seen, fmt.Sprint(call.Name, ctx.Value(markKey{})))
		return registry.Handle(ctx, call)
	}
	tool, err := agent.New(answering("look"), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(tool); err != nil {
		t.Fatal(err)
	}
	delegate(t.Context(), registry, "x")
	if told.turns != 2 || !told.ended || told.err != nil || !slices.Equal(seen, []string{"lookresearcher"}) {
		t.Errorf("got %d turns, ended %t with %v, calls %q", told.turns, told.ended, told.err, seen)
	}
	if want := (agent.Usage{Input: 30, Output: 5}); told.usage != want {
		t.Errorf("got %v tokens counted, want %v", told.usage, want)
	}
}

// How a task went is reported to the observer, whatever way it ended: a panic once ended
// a run without an error.
func TestObservedToTheBitterEnd(t *testing.T) {
	var runs []*run
	model := agent.Model(func(_ context.Context, r agent.Request) (agent.Reply, error) {
		switch r.Messages[0].Text {
		case "panic":
			panic("a bug of the model's")
		case "goexit":
			runtime.Goexit()
		}
		return agent.Reply{Text: "done"}, nil
	})
	r := parent(t, model, agent.Options{Parallel: 1, Start: func(ctx context.Context, _ string) (context.Context, agent.Run) {
		runs = append(runs, &run{})
		return ctx, runs[len(runs)-1]
	}})
	delegate(t.Context(), r, "panic", "goexit", "good")
	if len(runs) != 3 {
		t.Fatalf("got %d runs, want 3", len(runs))
	}
	var panicked *toolkit.PanicError
	if !errors.As(runs[0].err, &panicked) || !errors.Is(runs[1].err, toolkit.ErrTool) || runs[2].err != nil {
		t.Errorf("got %v, %v and %v, want the panic, the end of the goroutine and nothing", runs[0].err, runs[1].err, runs[2].err)
	}
	for i, r := range runs {
		if !r.ended {
			t.Errorf("run %d did not end", i)
		}
	}
	// An observer that panics fails its task, and nothing else.
	r = parent(t, model, agent.Options{
		Start: func(ctx context.Context, _ string) (context.Context, agent.Run) { return ctx, bursting{} }})
	if res := delegate(t.Context(), r, "good"); res.Fault == nil || !strings.Contains(res.Output, "failed, the tool panicked") {
		t.Errorf("got %q, %v", res.Output, res.Fault)
	}
}

// bursting is a run whose end panics.
type bursting struct{}

func (bursting) InferenceCall() {}
func (bursting) End(error)      { panic("a bug of the observer's") }

// TestSession checks the session of the calls where the agent is not observed.
func TestSession(t *testing.T) {
	var got toolkit.Session
	tool, err := agent.New(answering("look"), agent.Options{
		Handler: func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			got = *toolkit.SessionFrom(ctx)
			return toolkit.Result{Output: "x"}, nil
		},
		Tools: new(toolkit.Registry),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "acme", ID: "s1", Agent: "planner", Batch: "above"})
	if _, err := tool.Handle(ctx, toolkit.Call{Arguments: []byte(`{"tasks":["x"]}`)}); err != nil {
		t.Fatal(err)
	}
	if got.Tenant != "acme" || got.ID != "s1" || got.Agent != "sub-agent" || got.Turn != 1 || got.Batch == "above" {
		t.Errorf("got %+v", got)
	}
}

func TestManyCalls(t *testing.T) {
	r := parent(t, answering(slices.Repeat([]string{"look"}, 40)...), agent.Options{})
	if res := delegate(t.Context(), r, "x"); !strings.Contains(res.Output, "calls 40, of which 8 failed") {
		t.Errorf("got %s", res.Output)
	}
}

func TestArguments(t *testing.T) {
	r := parent(t, answering(), agent.Options{MaxTasks: 2})
	for _, tasks := range [][]string{{}, {" "}, {"a", "b", "c"}, {strings.Repeat("x", 65537)}} {
		if res := delegate(t.Context(), r, tasks...); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) ||
			!strings.Contains(res.Output, "tasks") {
			t.Errorf("%d tasks: got %v", len(tasks), res.Fault)
		}
	}
}

func TestOptions(t *testing.T) {
	model := answering()
	for field, o := range map[string]agent.Options{
		"MaxTurns": {MaxTurns: -1}, "Parallel": {Parallel: -1}, "MaxTasks": {MaxTasks: -1},
		"MaxTokens": {MaxTokens: -1}, "MaxReply": {MaxReply: -1}, "Timeout": {Timeout: -1},
	} {
		if _, err := agent.New(model, o); err == nil || !strings.Contains(err.Error(), "agent: Options."+field+": got -1") {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if _, err := agent.New(nil, agent.Options{}); err == nil {
		t.Error("got no error for a nil model")
	}
	tool, err := agent.New(model, agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := tool.Definition(); d.Validate() != nil || d.Timeout != 8*time.Minute {
		t.Errorf("got %v, timeout %v", d.Validate(), d.Timeout)
	}
}

// TestNamedTasks checks tasks with names and tools of their own, and the structured answer.
func TestNamedTasks(t *testing.T) {
	var mu sync.Mutex
	shown, started := map[string]int{}, map[string]bool{}
	model := answering("look", "break")
	r := parent(t, func(ctx context.Context, request agent.Request) (agent.Reply, error) {
		mu.Lock()
		shown[agent.TaskName(ctx)] = len(request.Tools)
		mu.Unlock()
		if agent.TaskName(ctx) == "bad" {
			return agent.Reply{}, errors.New("502")
		}
		return model(ctx, request)
	}, agent.Options{Start: func(ctx context.Context, _ string) (context.Context, agent.Run) {
		mu.Lock()
		defer mu.Unlock()
		started[agent.TaskName(ctx)] = true
		return ctx, nil
	}})
	res := r.Execute(t.Context(), toolkit.Call{Name: "agent_delegate", Arguments: []byte(`{"tasks":[
		{"name":"one","instruction":"first","tools":["look"]}, "second", {"instruction":"third","tools":[]},
		{"name":"bad","instruction":"fourth"}]}`)}).Result
	if res.Fault != nil || len(res.Parts) != 1 || res.Parts[0].Kind != toolkit.PartStructured {
		t.Fatalf("got %+v", res)
	}
	var got struct {
		Success bool
		Total   int
		Results []struct {
			TaskName        string `json:"task_name"`
			Success         bool
			Response, Error string
		}
	}
	if err := json.Unmarshal(res.Parts[0].JSON, &got); err != nil {
		t.Fatal(err)
	}
	if !got.Success || got.Total != 4 || len(got.Results) != 4 {
		t.Fatalf("got %+v", got)
	}
	for i, name := range []string{"one", "task 2", "task 3", "bad"} {
		if r := got.Results[i]; r.TaskName != name || r.Success != (name != "bad") || (r.Error == "") != r.Success || !started[name] {
			t.Errorf("got %+v, started %t", r, started[name])
		}
	}
	if text := got.Results[0].Response; !strings.Contains(text, "saw home") || !strings.Contains(text, "may not use this tool") {
		t.Errorf("got %s, want one call refused", text)
	}
	if shown["one"] != 1 || shown["task 2"] != 2 || shown["task 3"] != 0 {
		t.Errorf("got the tools %v", shown)
	}
	if !strings.Contains(res.Output, "--- task 1 (one): done") || !strings.Contains(res.Output, "--- task 2: done") {
		t.Errorf("got %s", res.Output)
	}
	for _, wrong := range []string{
		`{"instruction":"x","tools":["nothing"]}`, `{"instruction":"x","tools":["agent_delegate"]}`, `{"name":"x"}`,
		`{"instruction":"x","name":"a\nb"}`, `1`, `null`,
	} {
		res := r.Execute(t.Context(), toolkit.Call{Name: "agent_delegate", Arguments: []byte(`{"tasks":[` + wrong + `]}`)}).Result
		if !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %v", wrong, res.Fault)
		}
	}
}
