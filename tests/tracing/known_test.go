// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// TestDefinitionsMayBeMany: spans are named by their tools and agents, however many
// definitions and agents there are, at once.
func TestDefinitionsMayBeMany(t *testing.T) {
	h := newHarness(t, tracing.Options{MaxTools: 100})
	execute := toolkit.Observe(func(name string) *toolkit.Definition {
		return &toolkit.Definition{Name: name} // a host may make one for each call
	}, h.Observer)(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	const agents, rounds, tools = 12, 20, 3
	var all sync.WaitGroup
	for a := range agents {
		all.Go(func() {
			ctx := toolkit.WithSession(context.Background(), toolkit.Session{Agent: fmt.Sprint("agent", a)})
			for i := range rounds * tools {
				_, _ = execute(ctx, toolkit.Call{Name: fmt.Sprint("tool", i%tools)})
			}
		})
	}
	all.Wait()
	counts := map[string]int{}
	for _, s := range h.spans.Ended() {
		list := attributes(s.Attributes())
		if want := "execute_tool " + list["gen_ai.tool.name"]; s.Name() != want {
			t.Errorf("got span %q, want %q", s.Name(), want)
		}
		counts[list["gen_ai.tool.name"]+" of "+list["gen_ai.agent.name"]]++
	}
	for a := range agents {
		for i := range tools {
			if name := fmt.Sprintf("tool%d of agent%d", i, a); counts[name] != rounds {
				t.Errorf("%s: got %d spans, want %d", name, counts[name], rounds)
			}
		}
	}
}

// TestDefinitionsThatStay: each span is named by its own tool, however many definitions there
// are that come again and again.
func TestDefinitionsThatStay(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	definitions := map[string]*toolkit.Definition{}
	for i := range 600 {
		definitions[fmt.Sprint("tool", i)] = &toolkit.Definition{Name: fmt.Sprint("tool", i)}
	}
	execute := toolkit.Observe(func(name string) *toolkit.Definition { return definitions[name] },
		h.Observer)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, nil
	})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for i := range 3 * len(definitions) {
				name := fmt.Sprint("tool", i%len(definitions))
				_, _ = execute(context.Background(), toolkit.Call{ID: name, Name: name})
			}
		})
	}
	all.Wait()
	for _, s := range h.spans.Ended() {
		if id := attributes(s.Attributes())["gen_ai.tool.call.id"]; s.Name() != "execute_tool "+id {
			t.Fatalf("the call of %s: got span %q", id, s.Name())
		}
	}
}

// TestRedactionIsToldAnew: what a span tells of redaction is its own call's, whatever was
// redacted in the tool's call before.
func TestRedactionIsToldAnew(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	execute := toolkit.Observe(func(string) *toolkit.Definition { return shared },
		h.Observer)(func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: c.ID}, nil
	})
	secret := "hu3nter2" + "Zq9"
	for _, c := range []struct{ arguments, result, count, paths string }{
		{`{"password":"` + secret + `"}`, "", "1", `["passwd@arguments/password"]`},
		{`{"password":"` + secret + `"}`, "", "1", `["passwd@arguments/password"]`},
		{`{"a":{"password":"` + secret + `"}}`, "", "1", `["passwd@arguments/a/password"]`},
		{`{}`, "", "", ""},
		{`{}`, `{"password":"` + secret + `"}`, "1", `["passwd@result/password"]`},
		{`{"password":"` + secret + `"}`, `{"password":"` + secret + `"}`, "2",
			`["passwd@arguments/password","passwd@result/password"]`},
		{`{"password":"` + secret + `"}`, "", "1", `["passwd@arguments/password"]`},
	} {
		if _, err := execute(context.Background(), toolkit.Call{ID: c.result, Name: "t", Arguments: []byte(c.arguments)}); err != nil {
			t.Fatal(err)
		}
		ended := h.spans.Ended()
		list := attributes(ended[len(ended)-1].Attributes())
		if list["toolscope.redacted.count"] != c.count || list["toolscope.redacted.paths"] != c.paths {
			t.Errorf("%s and %s: got %s at %s, want %s at %s", c.arguments, c.result, list["toolscope.redacted.count"],
				list["toolscope.redacted.paths"], c.count, c.paths)
		}
	}
}

var shared = &toolkit.Definition{Name: "t"}

// TestNamesAreTheirOwn: however many sessions there are at once, each span has its own's
// name, redacted.
func TestNamesAreTheirOwn(t *testing.T) {
	h := newHarness(t, tracing.Options{})
	execute := toolkit.Observe(func(string) *toolkit.Definition { return shared },
		h.Observer)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, nil
	})
	secret := "ghp" + "_" + strings.Repeat("aB3dE6", 6)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 1500 {
				id := fmt.Sprintf("session %d of %d", i%700, g)
				session := toolkit.Session{ID: id, Tenant: "tenant of " + id + " " + secret,
					Conversation: strings.Repeat("x", i%2*300) + "talk of " + id}
				_, _ = execute(toolkit.WithSession(context.Background(), session), toolkit.Call{ID: id, Name: "t"})
			}
		})
	}
	all.Wait()
	for _, s := range h.spans.Ended() {
		list := attributes(s.Attributes())
		id := list["gen_ai.tool.call.id"]
		if list["session.id"] != id || list["toolscope.tenant"] != "tenant of "+id+" [REDACTED:github-token]" {
			t.Fatalf("call %q: got session %q and tenant %q", id, list["session.id"], list["toolscope.tenant"])
		}
		if talk := list["gen_ai.conversation.id"]; talk != "talk of "+id && !strings.HasSuffix(talk, "xtalk of "+id) {
			t.Fatalf("call %q: got conversation %q", id, talk)
		}
	}
}
