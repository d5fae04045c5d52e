// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// fileCall and fileResult are the types of a registry that is not toolscope's.
type fileCall struct {
	ID        string
	Arguments json.RawMessage
}

type fileResult struct {
	ID, Output string
	IsError    bool
}

var fileTool = toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes}

func fileAdapter() toolkit.Adapter[fileCall, fileResult] {
	return toolkit.Adapter[fileCall, fileResult]{
		Tools: toolkit.Lookup(func(string) *toolkit.Definition { return &fileTool }),
		Call:  func(c fileCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: "read", Arguments: c.Arguments} },
		Result: func(r fileResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output)}
		},
		With: func(c fileCall, args json.RawMessage) fileCall { c.Arguments = bytes.Clone(args); return c },
		Answer: func(c fileCall, r toolkit.Result, _ error) fileResult {
			return fileResult{c.ID, r.Output, r.Fault != nil}
		},
		Copy: func(r fileResult, c fileCall) fileResult { r.ID = c.ID; return r },
	}
}

// slowRead is a tool that looks at its arguments only after a second, whatever its context says.
func slowRead(_ context.Context, c fileCall) (fileResult, error) {
	time.Sleep(time.Second) // in a bubble
	return fileResult{ID: c.ID, Output: "content of " + string(c.Arguments)}, nil
}

// TestArgumentBufferReuse checks that branches which outlive their call keep its arguments when
// the caller reuses its buffer.
func TestArgumentBufferReuse(t *testing.T) {
	const a, z = `{"f":"a.txt"}`, `{"f":"Z.txt"}`
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s"})
	build := func(t *testing.T, p middleware.Policy,
		tool func(context.Context, fileCall) (fileResult, error)) func(context.Context, fileCall) (fileResult, error) {
		scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{p}})
		if err != nil {
			t.Fatal(err)
		}
		read, err := toolscope.WrapFunc(scope, tool, fileAdapter())
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	// reuse calls read and overwrites the argument buffer as soon as the call returns.
	reuse := func(ctx context.Context, read func(context.Context, fileCall) (fileResult, error), id string) {
		buffer := []byte(a)
		_, _ = read(ctx, fileCall{ID: id, Arguments: buffer})
		copy(buffer, z)
	}
	t.Run("coalesced", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			policy, err := dedupe.New(dedupe.Options{})
			read := build(t, must(t, policy, err), slowRead)
			leader, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			go reuse(leader, read, "leader")
			time.Sleep(50 * time.Millisecond)
			if res, err := read(ctx, fileCall{ID: "follower", Arguments: []byte(a)}); err != nil || res.Output != "content of "+a {
				t.Errorf("follower of %s: got %q, %v", a, res.Output, err)
			}
		})
	})
	t.Run("abandoned", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			saw := make(chan string, 1)
			policy, err := timeout.New(timeout.Options{Default: 100 * time.Millisecond, Abandon: []string{"read"}})
			read := build(t, must(t, policy, err), func(ctx context.Context, c fileCall) (fileResult, error) {
				res, err := slowRead(ctx, c)
				saw <- string(c.Arguments)
				return res, err
			})
			reuse(ctx, read, "1")
			if got := <-saw; got != a {
				t.Errorf("abandoned tool: got arguments %s, want %s", got, a)
			}
		})
	})
	t.Run("renewed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			policy, err := cache.New(cache.Options{TTL: time.Minute, StaleFor: time.Minute})
			read := build(t, must(t, policy, err), slowRead)
			reuse(ctx, read, "fill")
			time.Sleep(90 * time.Second)
			reuse(ctx, read, "stale")
			time.Sleep(2 * time.Second)
			if res, err := read(ctx, fileCall{ID: "hit", Arguments: []byte(a)}); err != nil || res.Output != "content of "+a {
				t.Errorf("renewed answer of %s: got %q, %v", a, res.Output, err)
			}
			policy.Close()
		})
	})
}

// TestUngovernableFunctions checks that policies are never silently absent: a function that they
// cannot govern is an error, where it is wrapped or where the policies are applied.
func TestUngovernableFunctions(t *testing.T) {
	policy, err := approve.New(approve.Options{
		Askers: []approve.Asker{approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
			return approve.Answer{}, nil
		})}})
	settings := map[string]toolscope.Settings{
		"policies":       {Policies: []middleware.Policy{must(t, policy, err)}},
		"disabled tools": {ToolsOff: []string{"read"}},
	}
	ran := false
	tool := func(context.Context, fileCall) fileResult { ran = true; return fileResult{} }
	adapter := fileAdapter()
	adapter.Tools = toolkit.Lookup(func(string) *toolkit.Definition {
		return &toolkit.Definition{Name: "read", RequiresApproval: true}
	})
	little := toolkit.Adapter[fileCall, fileResult]{Tools: adapter.Tools, Call: adapter.Call, Result: adapter.Result}
	for name, settings := range settings {
		t.Run(name, func(t *testing.T) {
			governed, err := toolscope.New(toolscope.Options{Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := toolscope.WrapFunc(governed, tool, little); err == nil ||
				!strings.Contains(err.Error(), "Adapter.With, Adapter.Answer: got nil") {
				t.Errorf("WrapFunc: got %v, want an error that names what is missing", err)
			}
			if _, err := toolscope.FuncMiddleware[func(context.Context, fileCall) fileResult](governed, little); err == nil {
				t.Error("FuncMiddleware: got no error")
			}
			if _, err := governed.Callbacks(adapter.Tools); err == nil {
				t.Error("Callbacks: got no error")
			}
			ran = false
			read, err := toolscope.WrapFunc(governed, tool, adapter)
			if err != nil {
				t.Fatal(err)
			}
			if res := read(t.Context(), fileCall{}); ran || !res.IsError {
				t.Errorf("the tool ran %t, the answer is %+v, want a refusal", ran, res)
			}
			if read, err = toolscope.WrapFunc(governed, tool, little, toolscope.ObserveOnly()); err != nil {
				t.Fatal(err)
			}
			if read(t.Context(), fileCall{}); !ran {
				t.Error("ObserveOnly: the tool did not run")
			}
			if _, err := governed.Callbacks(adapter.Tools, toolscope.ObserveOnly()); err != nil {
				t.Errorf("Callbacks with ObserveOnly: got %v", err)
			}
			for wrapper, wrap := range map[string]func(s *toolscope.Scope) error{
				"WrapFunc": func(s *toolscope.Scope) error { _, err := toolscope.WrapFunc(s, tool, little); return err },
				"FuncMiddleware": func(s *toolscope.Scope) error {
					_, err := toolscope.FuncMiddleware[func(context.Context, fileCall) fileResult](s, little)
					return err
				},
				"Callbacks": func(s *toolscope.Scope) error { _, err := s.Callbacks(adapter.Tools); return err },
			} {
				s, err := toolscope.New(toolscope.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := wrap(s); err != nil {
					t.Fatal(err)
				}
				if err := s.Apply(settings); err == nil || s.Settings().Policies != nil || len(s.Settings().ToolsOff) > 0 {
					t.Errorf("Apply after %s: got %v and the settings %+v, want an error and no change", wrapper, err, s.Settings())
				}
			}
		})
	}
}

// TestAdapterPanics checks that a panic of an adapter's function does not reach the caller of a
// call whose tool ran.
func TestAdapterPanics(t *testing.T) {
	recovers, err := middleware.Recover()
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{must(t, recovers, err)}})
	if err != nil {
		t.Fatal(err)
	}
	adapter := fileAdapter()
	adapter.Content = func(fileResult, *toolkit.Result) { panic("content") }
	ran := 0
	read, err := toolscope.WrapFunc(scope, func(_ context.Context,
		c fileCall) fileResult {
		ran++
		return fileResult{Output: "done"}
	}, adapter)
	if err != nil {
		t.Fatal(err)
	}
	if res := read(context.Background(), fileCall{}); ran != 1 || res.Output != "done" {
		t.Errorf("Content panicked: the tool ran %d times, the caller got %+v, want what the tool returned", ran, res)
	}
	if err := scope.Apply(toolscope.Settings{Off: true}); err != nil {
		t.Fatal(err)
	}
	adapter.Call = func(fileCall) toolkit.Call {
		t.Error("with Settings.Off: the adapter was called")
		return toolkit.Call{}
	}
	if read, err = toolscope.WrapFunc(scope, func(context.Context, fileCall) fileResult { return fileResult{} },
		adapter); err != nil {
		t.Fatal(err)
	}
	read(context.Background(), fileCall{})
}

// TestFunctionsOwnRefusal checks that a refusal by the application's registry is not a run.
func TestFunctionsOwnRefusal(t *testing.T) {
	seen := new(tooltest.Recorder)
	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{seen}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := toolscope.WrapFunc(scope, func(context.Context, fileCall) (fileResult, error) {
		return fileResult{}, toolkit.ErrApprovalDenied
	}, fileAdapter())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = read(context.Background(), fileCall{})
	if got := seen.All()[0]; got.Disposition.Outcome != toolkit.OutcomeRefused || got.Disposition.Run != 0 {
		t.Errorf("got outcome %v, run %v, want refused and no running time", got.Disposition.Outcome, got.Disposition.Run)
	}
}

// TestWrappingErrorsNameTheFunctionCalled checks that an error names what the program called, and
// what is missing for which reason.
func TestWrappingErrorsNameTheFunctionCalled(t *testing.T) {
	f := func(context.Context, fileCall) (fileResult, error) { return fileResult{}, nil }
	bare := fileAdapter()
	bare.With, bare.Answer = nil, nil
	const lacks = "of a func(context.Context, toolscope_test.fileCall) (toolscope_test.fileResult, error): Adapter.With, " +
		"Adapter.Answer: got nil, want a function, which policies and disabled tools need"
	off, err := toolscope.New(toolscope.Options{Settings: toolscope.Settings{ToolsOff: []string{"read"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toolscope.WrapFunc(off, f, bare); err == nil || !strings.HasPrefix(err.Error(), "toolscope: WrapFunc "+lacks) {
		t.Errorf("WrapFunc: got %v", err)
	}
	_, err = toolscope.FuncMiddleware[func(context.Context, fileCall) (fileResult, error)](off, bare)
	if err == nil || !strings.HasPrefix(err.Error(), "toolscope: FuncMiddleware "+lacks) {
		t.Errorf("FuncMiddleware: got %v", err)
	}
	bare.Tools, bare.Call = nil, nil
	want := "Adapter.Tools, Adapter.Call: got nil, want a value"
	if _, err = toolscope.WrapFunc(off, f, bare); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("WrapFunc: got %v, want one that ends with %s", err, want)
	}
	_, err = toolkit.GovernFunc(f, bare)
	if err == nil || !strings.HasPrefix(err.Error(), "toolkit: GovernFunc of a ") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("GovernFunc: got %v, want one that ends with %s", err, want)
	}
}
