// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// Blocks of docs/wrapping.md are taken from this file: see TestWrappingDocumentation.

type (
	searchCall struct {
		ID, Name  string
		Arguments json.RawMessage
	}
	searchResult struct {
		CallID, Output string
		Hits           []string
		IsError        bool
	}
)

var searchTools, _ = toolkit.NewTools(toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes})

func search(_ context.Context, c *searchCall) (*searchResult, error) {
	fmt.Println("searching", string(c.Arguments))
	return &searchResult{CallID: c.ID, Output: "1 hit", Hits: []string{"readme"}}, nil
}

func searchAdapter(tools toolkit.Tools) toolkit.Adapter[*searchCall, *searchResult] {
	return toolkit.Adapter[*searchCall, *searchResult]{
		Tools: tools,
		Call: func(c *searchCall) toolkit.Call {
			return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
		},
		Result: func(r *searchResult, _ error) toolkit.Result {
			if r == nil { // the function returned an error
				return toolkit.Result{}
			}
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
		With: func(c *searchCall, args json.RawMessage) *searchCall {
			return &searchCall{ID: c.ID, Name: c.Name, Arguments: bytes.Clone(args)}
		},
		Answer: func(c *searchCall, r toolkit.Result, err error) *searchResult {
			return &searchResult{CallID: c.ID, Output: r.Output, IsError: err != nil || r.Fault != nil}
		},
		Copy: func(r *searchResult, c *searchCall) *searchResult {
			if r == nil {
				return nil
			}
			return &searchResult{c.ID, r.Output, append([]string(nil), r.Hits...), r.IsError}
		},
	}
}

// An adapter for policies: With, Answer and Copy are what they need.
func ExampleWrapFunc_policies() {
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	answers, err := cache.New(cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{answers}})
	if err != nil {
		fmt.Println(err)
		return
	}
	execute, err := toolscope.WrapFunc(scope, search, searchAdapter(searchTools))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"1", "2"} {
		r, err := execute(ctx, &searchCall{ID: id, Name: "search", Arguments: json.RawMessage(`{"q":"install"}`)})
		fmt.Println(*r, err)
	}
	// Output:
	// searching {"q":"install"}
	// {1 1 hit [readme] false} <nil>
	// {2 1 hit [readme] false} <nil>
}

func tail(context.Context, *searchCall) (iter.Seq2[string, error], error) {
	return func(yield func(string, error) bool) { _ = yield("one", nil) && yield("two", nil) }, nil
}

// A stream: the call ends with it.
func ExampleWrapFunc_stream() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	type lines = iter.Seq2[string, error]
	follow, err := toolscope.WrapFunc(scope, tail, toolkit.Adapter[*searchCall, lines]{
		Tools: searchTools,
		Call: func(c *searchCall) toolkit.Call {
			return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
		},
		Stream: func(l lines, r *toolkit.Running) lines {
			return toolkit.StreamSeq(r, l, func(line string) int { return len(line) })
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := follow(ctx, &searchCall{Name: "search"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line, err := range all {
		fmt.Println(line, err)
	}
	// Output:
	// one <nil>
	// two <nil>
}

// A framework that reports its tools' calls before and after they run.
func ExampleScope_Callbacks_pair() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	callbacks, err := scope.Callbacks(searchTools)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Before the tool runs; keep running, and give the tool inner.
	inner, running := callbacks.Begin(ctx, toolkit.Call{ID: "1", Name: "search"})
	output, failure := "1 hit", inner.Err()
	// After it has run.
	running.End(toolkit.Result{Output: output}, failure)

	fmt.Println(scope.Stats().Summary(stats.Window{}).Overall.Calls)
	// Output: 1
}

// executeFunc is the type that the framework's middlewares have.
type executeFunc func(context.Context, *searchCall) (*searchResult, error)

// framework stands for one that takes middlewares.
type framework struct{ execute executeFunc }

func (f *framework) use(middleware func(executeFunc) executeFunc) { f.execute = middleware(f.execute) }

// A framework that takes middlewares. The type parameter is its function type.
func ExampleFuncMiddleware() {
	ctx := context.Background()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := &framework{search}
	observe, err := toolscope.FuncMiddleware[executeFunc](scope, searchAdapter(searchTools))
	if err != nil {
		fmt.Println(err)
		return
	}
	agent.use(observe)

	r, err := agent.execute(ctx, &searchCall{ID: "1", Name: "search", Arguments: json.RawMessage(`{}`)})
	fmt.Println(r.Output, err)
	// Output:
	// searching {}
	// 1 hit <nil>
}
