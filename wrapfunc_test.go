// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
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

func fileLens() toolkit.Lens[fileCall, fileResult] {
	return toolkit.Lens[fileCall, fileResult]{
		Call:   func(c fileCall) toolkit.Call { return toolkit.Call{ID: c.ID, Name: "read", Arguments: c.Arguments} },
		Tool:   func(string) *toolkit.Definition { return &fileTool },
		Failed: func(r fileResult) error { return toolkit.SoftError(r.IsError, r.Output) },
		View:   func(r fileResult) toolkit.Result { return toolkit.Result{Output: r.Output} },
		Answer: func(c fileCall, r toolkit.Result, _ error) fileResult {
			return fileResult{c.ID, r.Output, r.Fault != nil}
		},
		Copy:      func(r fileResult, c fileCall) fileResult { r.ID = c.ID; return r },
		Arguments: func(c fileCall, args json.RawMessage) fileCall { c.Arguments = args; return c },
	}
}

// slowRead is a tool that looks at its arguments only after a second, whatever its context says.
func slowRead(_ context.Context, c fileCall) (fileResult, error) {
	time.Sleep(time.Second)
	return fileResult{ID: c.ID, Output: "content of " + string(c.Arguments)}, nil
}

// TestArgumentBufferReuse checks that branches which outlive their call keep its arguments when
// the caller reuses its buffer.
func TestArgumentBufferReuse(t *testing.T) {
	const a, z = `{"f":"a.txt"}`, `{"f":"Z.txt"}`
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s"})
	build := func(t *testing.T, p middleware.Policy, tool func(context.Context, fileCall) (fileResult, error)) func(context.Context, fileCall) (fileResult, error) {
		scope, err := toolscope.New(toolscope.WithPolicies(p))
		if err != nil {
			t.Fatal(err)
		}
		read, err := toolscope.Govern(scope, tool, fileLens())
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

// TestWatchUnderPolicies checks that a scope with policies does not wrap a function that they
// cannot govern.
func TestWatchUnderPolicies(t *testing.T) {
	policy, err := approve.New(approve.Options{Askers: []approve.Asker{approve.Func(func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{}, nil
	})}})
	scope, err := toolscope.New(toolscope.WithPolicies(must(t, policy, err)))
	if err != nil {
		t.Fatal(err)
	}
	lens := fileLens()
	lens.Tool = func(string) *toolkit.Definition { return &toolkit.Definition{Name: "read", RequiresApproval: true} }
	ran := false
	read := toolscope.Watch(scope, func(context.Context, fileCall) fileResult { ran = true; return fileResult{} }, lens)
	if read(context.Background(), fileCall{}); ran {
		t.Error("a tool that requires approval ran without, and there was no error")
	}
}

// TestAdapterPanics checks that a panic of an adapter's function does not reach the caller of a
// call whose tool ran.
func TestAdapterPanics(t *testing.T) {
	scope, err := toolscope.New(toolscope.WithPolicies(middleware.Recover()))
	if err != nil {
		t.Fatal(err)
	}
	lens := fileLens()
	lens.View = func(fileResult) toolkit.Result { panic("view") }
	ran := 0
	read, err := toolscope.Govern(scope, func(_ context.Context, c fileCall) fileResult { ran++; return fileResult{Output: "done"} }, lens)
	if err != nil {
		t.Fatal(err)
	}
	if res := read(context.Background(), fileCall{}); ran != 1 || res.Output != "done" {
		t.Errorf("View panicked: the tool ran %d times, the caller got %+v, want what the tool returned", ran, res)
	}
	if err := scope.Apply(toolscope.Settings{Off: true}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("with Settings.Off: panic %v, want nothing of the lens to be called", v)
		}
	}()
	read(context.Background(), fileCall{})
}

// TestFunctionsOwnRefusal checks that a refusal by the application's registry is not a run.
func TestFunctionsOwnRefusal(t *testing.T) {
	seen := new(tooltest.Recorder)
	scope, err := toolscope.New(toolscope.WithObservers(seen))
	if err != nil {
		t.Fatal(err)
	}
	read := toolscope.Watch(scope, func(context.Context, fileCall) (fileResult, error) {
		return fileResult{}, toolkit.ErrApprovalDenied
	}, fileLens())
	_, _ = read(context.Background(), fileCall{})
	if got := seen.All()[0]; got.Disposition.Outcome != toolkit.OutcomeRefused || got.Disposition.Run != 0 {
		t.Errorf("got outcome %v, run %v, want refused and no running time", got.Disposition.Outcome, got.Disposition.Run)
	}
}
