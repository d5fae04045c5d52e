// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// Harness is the shape of an agent's own registry: it was there before, knows
// nothing of this package, and is not changed.
type (
	Harness     struct{ tools map[string]HarnessTool }
	HarnessTool struct {
		HarnessDefinition
		Execute func(ctx context.Context, args json.RawMessage) (string, error)
	}
	HarnessDefinition struct {
		Name, Description string
		InputSchema       any
	}
	ToolCall struct {
		ID, Name  string
		Arguments json.RawMessage
	}
	ToolResult struct {
		ToolCallID, Output string
		IsError            bool
	}
)

func (h *Harness) Register(t HarnessTool) { h.tools[t.Name] = t }

func (h *Harness) GetAvailableTools() (all []HarnessDefinition) {
	for _, t := range h.tools {
		all = append(all, t.HarnessDefinition)
	}
	return all
}

func (h *Harness) Execute(ctx context.Context, call ToolCall) ToolResult {
	tool, ok := h.tools[call.Name]
	if !ok {
		return ToolResult{call.ID, "no such tool", true}
	}
	out, err := tool.Execute(ctx, call.Arguments)
	if err != nil {
		return ToolResult{call.ID, err.Error(), true}
	}
	return ToolResult{ToolCallID: call.ID, Output: out}
}

func newHarness() *Harness {
	h := &Harness{tools: map[string]HarnessTool{}}
	h.Register(HarnessTool{HarnessDefinition{Name: "read_file"}, func(context.Context, json.RawMessage) (string, error) {
		return "hello", nil
	}})
	return h
}

// An existing registry, observed: its Execute keeps its signature and returns the
// identical results.
func ExampleObserveFunc() {
	harness := newHarness()
	var seen tooltest.Recorder

	// The user's code begins here.
	var defs []toolkit.Definition
	for _, d := range harness.GetAvailableTools() {
		defs = append(defs, toolkit.Definition{Name: d.Name, Description: d.Description})
	}
	tools, err := toolkit.NewTools(defs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	execute, err := toolkit.ObserveFunc(harness.Execute, toolkit.Adapter[ToolCall, ToolResult]{
		Tools: tools,
		Call:  func(c ToolCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Result: func(r ToolResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
	}, &seen)
	// It ends here.

	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	fmt.Println(execute(ctx, ToolCall{ID: "1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.txt"}`)}))
	fmt.Println(execute(ctx, ToolCall{ID: "2", Name: "made_up"}))
	for _, e := range seen.All() {
		fmt.Printf("%s: registered %t, %d bytes in, %d bytes out, error type %q\n",
			e.Call.ID, e.Info.Tool != nil, e.ArgumentsBytes, e.ResultBytes, e.ErrorType)
	}
	// Output:
	// {1 hello false}
	// {2 no such tool true}
	// 1: registered true, 16 bytes in, 5 bytes out, error type ""
	// 2: registered false, 0 bytes in, 12 bytes out, error type "unknown_tool"
}

// The same registry under a policy. The adapter also says how a call gets other arguments, and
// how a policy's answer becomes a ToolResult.
func ExampleGovernFunc() {
	harness := newHarness()
	noSecrets := func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if string(call.Arguments) == `{"path":".ssh/id"}` {
				return toolkit.Result{}, &toolkit.Error{
					Kind: toolkit.ErrPermissionDenied, Tool: call.Name, Message: "credentials stay closed",
				}
			}
			return next(ctx, call)
		}
	}

	// The user's code begins here.
	execute, err := toolkit.GovernFunc(harness.Execute, toolkit.Adapter[ToolCall, ToolResult]{
		Tools: toolkit.NoTools,
		Call:  func(c ToolCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
		Result: func(r ToolResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
		With: func(c ToolCall, args json.RawMessage) ToolCall { c.Arguments = bytes.Clone(args); return c },
		Answer: func(c ToolCall, r toolkit.Result, _ error) ToolResult {
			return ToolResult{c.ID, r.Output, r.Fault != nil}
		},
	}, noSecrets)
	// It ends here.

	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	fmt.Println(execute(ctx, ToolCall{ID: "1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.txt"}`)}))
	fmt.Println(execute(ctx, ToolCall{ID: "2", Name: "read_file", Arguments: json.RawMessage(`{"path":".ssh/id"}`)}))
	// Output:
	// {1 hello false}
	// {2 tool "read_file": permission denied: credentials stay closed true}
}
