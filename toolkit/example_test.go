// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func ExampleChain() {
	say := func(name string) toolkit.Middleware {
		return func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				fmt.Println(name, "before")
				defer fmt.Println(name, "after")
				return next(ctx, call)
			}
		}
	}
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		fmt.Println("tool")
		return toolkit.Result{}, nil
	}
	_, _ = toolkit.Chain(tool, say("a"), say("b"))(context.Background(), toolkit.Call{})
	// Output:
	// a before
	// b before
	// tool
	// b after
	// a after
}

func ExampleNewTool() {
	type args struct {
		A, B int
	}
	add := toolkit.NewTool(toolkit.Definition{
		Name: "add", Description: "Adds two numbers.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(_ context.Context, in args) (string, error) {
		return fmt.Sprint(in.A + in.B), nil
	})

	ctx := context.Background()
	res, err := add.Handle(ctx, toolkit.Call{Name: "add", Arguments: []byte(`{"a":2,"b":3}`)})
	fmt.Println(res.Output, err)

	_, err = add.Handle(ctx, toolkit.Call{Name: "add", Arguments: []byte(`{"a":"two"}`)})
	fmt.Println(err.Error())
	fmt.Println(errors.Is(err, toolkit.ErrInvalidArguments))
	// Output:
	// 5 <nil>
	// tool "add": invalid arguments: member "A": got a JSON string, want an integer
	// true
}

func ExampleRegistry() {
	registry := new(toolkit.Registry)
	err := registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "echo"}),
		tooltest.Failing(toolkit.Definition{Name: "fail"}, errors.New("disk full")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range registry.Definitions() {
		fmt.Println("has", d.Name)
	}
	for _, call := range []toolkit.Call{
		{ID: "1", Name: "echo", Arguments: []byte(`"hi"`)},
		{ID: "2", Name: "fail"},
		{ID: "3", Name: "delete_everything"},
	} {
		answer := registry.Execute(context.Background(), call)
		fmt.Printf("%s: %s (%q)\n", answer.CallID, answer.Result.Output, toolkit.TypeOf(answer.Result.Fault))
	}
	// Output:
	// has echo
	// has fail
	// 1: "hi" ("")
	// 2: disk full ("tool_error")
	// 3: tool "delete_everything": unknown tool: use one of the tools listed ("unknown_tool")
}

func ExampleObserve() {
	var seen tooltest.Recorder
	tool := tooltest.Echo(toolkit.Definition{Name: "echo"})
	execute := toolkit.Observe(nil, &seen)(tool.Handle)
	_, _ = execute(context.Background(), toolkit.Call{ID: "1", Name: "echo", Arguments: []byte(`{}`)})
	for _, e := range seen.All() {
		fmt.Println(e.Call, e.Ending, e.Disposition.Outcome, e.ResultBytes)
	}
	// Output:
	// Call{name:"echo" id:"1" arguments:2B} returned executed 2
}

// A panicking call takes nothing along, and answers keep the order of the calls.
func ExampleExecutor() {
	registry := new(toolkit.Registry)
	err := registry.Register(
		tooltest.Echo(toolkit.Definition{Name: "echo"}),
		tooltest.Panicking(toolkit.Definition{Name: "panic"}, "boom"))
	if err != nil {
		fmt.Println(err)
		return
	}
	executor := toolkit.Executor{Handler: registry.Handle, Tools: registry.Lookup, Parallel: 4}
	answers := executor.Execute(context.Background(),
		toolkit.Call{ID: "1", Name: "panic"},
		toolkit.Call{ID: "2", Name: "echo", Arguments: []byte("still here")})
	for _, a := range answers {
		fmt.Printf("%s: %s\n", a.CallID, a.Result.Output)
	}
	// Output:
	// 1: the tool panicked
	// 2: still here
}

// A framework that calls back before, during and after a tool.
func ExampleBegin() {
	var seen tooltest.Recorder
	_, running := toolkit.Begin(context.Background(), toolkit.Call{ID: "1", Name: "stream"}, nil, &seen)
	running.Chunk(512)
	running.Progress(0.5)
	running.Chunk(512)
	fmt.Println(running.End(toolkit.Result{Output: "done"}, nil))
	fmt.Println(running.End(toolkit.Result{}, errors.New("too late"))) // the first one wins

	e := seen.All()[0]
	fmt.Println(e.Ending, e.Chunks, e.ChunkBytes, e.Progress)
	// Output:
	// true
	// false
	// returned 2 1024 0.5
}

// The model neither sees a host parameter nor can set it.
func ExampleHostParams() {
	type tenant struct{}
	host, err := toolkit.NewHostParams(toolkit.HostParam{
		Tools: "file_*",
		Name:  "project_id",
		Value: func(ctx context.Context) (any, error) { return ctx.Value(tenant{}), nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	def := toolkit.Definition{Name: "file_read", InputSchema: []byte(`{"type":"object","properties":{"path":{},"project_id":{}}}`)}
	shown, err := host.Hide([]toolkit.Definition{def})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(shown[0].InputSchema))

	execute := toolkit.Chain(tooltest.Echo(def).Handle, host.Middleware())
	ctx := context.WithValue(context.Background(), tenant{}, "p-7")
	res, err := execute(ctx, toolkit.Call{Name: "file_read", Arguments: []byte(`{"path":"a","Project_ID":"another"}`)})
	fmt.Println(res.Output, err)
	// Output:
	// {"type":"object","properties":{"path":{}}}
	// {"path":"a","project_id":"p-7"} <nil>
}
