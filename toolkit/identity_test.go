// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

func TestIdentityIsReadOnceForEachArguments(t *testing.T) {
	tool := toolkit.Definition{Name: "tool", Volatile: []string{"request_id"}}
	handler := toolkit.Observe(func(string) *toolkit.Definition { return &tool },
		quiet{})(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		first, ok := call.Record.Identity(call)
		again, _ := call.Record.Identity(call)
		if !ok || first != again {
			t.Error("the same slice was read twice")
		}
		want, _ := identity.Of([]byte(`{"q":1.0}`), nil, nil)
		if !first.Equal(want) {
			t.Error("a volatile argument counts")
		}
		fork := call.Record.Fork()
		if forked, ok := fork.Identity(call); !ok || !forked.Equal(want) || forked.Keep() != forked {
			t.Error("a fork has no identity that lasts")
		}
		call.Arguments = []byte(`{"q":2}`)
		replaced, _ := call.Record.Identity(call)
		if replaced.Equal(want) || !first.Equal(want) {
			t.Error("replaced arguments were not read, or written over those an outer layer holds")
		}
		call.Arguments = []byte(`{"q":2,"q":3}`)
		if _, ok := call.Record.Identity(call); ok {
			t.Error("two members of one name: got an identity")
		}
		return toolkit.Result{}, nil
	})
	_, _ = handler(t.Context(), toolkit.Call{Name: "tool", Arguments: []byte(`{"request_id":"7","q":1}`)})
	if a, ok := (toolkit.Record{}).Identity(toolkit.Call{Arguments: []byte(`{"q":1}`)}); !ok || a.Hash() == 0 {
		t.Error("no identity without a record")
	}
}

// What policies ask without the lock is right for calls that live, and nothing for
// those that do not, while cells serve one call after the other.
func TestToolAndSessionAreTheCalls(t *testing.T) {
	tools := map[string]*toolkit.Definition{"a": {Name: "a"}, "b": {Name: "b"}}
	var stray sync.WaitGroup
	handler := toolkit.Observe(func(name string) *toolkit.Definition { return tools[name] },
		quiet{})(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		if call.Record.Tool() != tools[call.Name] || call.Record.Session() != call.Record.Info().Session {
			t.Errorf("%s: got the tool %v", call.Name, call.Record.Tool())
		}
		stray.Go(func() {
			for range 20 {
				if got := call.Record.Tool(); got != nil && got.Name != call.Name {
					t.Errorf("a stray record of %s sees %s", call.Name, got.Name)
				}
				if s := call.Record.Session(); s != nil && s.ID != call.Name {
					t.Errorf("a stray record of %s sees the session %s", call.Name, s.ID)
				}
			}
		})
		return toolkit.Result{}, nil
	})
	var callers sync.WaitGroup
	for _, name := range []string{"a", "b", "none"} {
		callers.Go(func() {
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: name})
			for range 300 {
				_, _ = handler(ctx, toolkit.Call{Name: name})
			}
		})
	}
	callers.Wait()
	stray.Wait()
	if r := (toolkit.Record{}); r.Tool() != nil || r.Session() != nil {
		t.Error("the zero record has a tool or a session")
	}
}

func BenchmarkRecord(b *testing.B) {
	tool := toolkit.Definition{Name: "tool"}
	for name, f := range map[string]func(toolkit.Record, toolkit.Call){
		"CallInfo": func(r toolkit.Record, _ toolkit.Call) { _ = r.Info() },
		"Tool":     func(r toolkit.Record, _ toolkit.Call) { _ = r.Tool() },
		"Session":  func(r toolkit.Record, _ toolkit.Call) { _ = r.Session() },
		"Identity": func(r toolkit.Record, call toolkit.Call) { _, _ = r.Identity(call) },
	} {
		b.Run(name, func(b *testing.B) {
			h := toolkit.Observe(func(string) *toolkit.Definition { return &tool },
				quiet{})(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
				b.ReportAllocs()
				for b.Loop() {
					f(call.Record, call)
				}
				return toolkit.Result{}, nil
			})
			_, _ = h(toolkit.WithSession(b.Context(), toolkit.Session{ID: "s"}), toolkit.Call{Name: "tool", Arguments: []byte(`{"a":1}`)})
		})
	}
}
