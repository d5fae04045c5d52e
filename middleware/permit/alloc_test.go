// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// benchRules has a few rules of each kind, as a real file has.
func benchRules(t testing.TB) *Rules {
	return mustCompile(t, Spec{Rules: []Rule{
		{Name: "no-prod", Effect: Deny, Tools: []string{"prod_*"}},
		{Name: "risky", Effect: Ask, Risks: []toolkit.Risk{toolkit.RiskHigh}},
		{Name: "web", Effect: Ask, Categories: []string{"web"}, OpenWorld: toolkit.Yes},
		{Name: "reads", Effect: Allow, ReadOnly: toolkit.Yes},
		{Name: "git", Effect: Allow, Shell: &Shell{Prefix: []string{"git log", "git status"}}},
		{Name: "text", Effect: Allow, Shell: &Shell{Programs: []string{"grep", "head", "sort"}}},
	}})
}

func ran(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }

// A call that is let through by rules on tools costs no allocation, told or not.
func TestAllowedAllocatesNothing(t *testing.T) {
	gate, err := New(Options{Rules: benchRules(t)})
	if err != nil {
		t.Fatal(err)
	}
	handle := gate.Wrap(ran)
	call := toolkit.Call{Name: "search", Arguments: []byte(`{"query":"x"}`)}
	if n := testing.AllocsPerRun(1000, func() { _, _ = handle(context.Background(), call) }); n > 0 {
		t.Errorf("%v allocations a call, want none", n)
	}
}

// Paired: the handler bare, and behind the gate.
func BenchmarkGate(b *testing.B) {
	gate, err := New(Options{Rules: benchRules(b)})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	for _, c := range []struct {
		name string
		call toolkit.Call
	}{
		{"tool", toolkit.Call{Name: "search", Arguments: []byte(`{"query":"x"}`)}},
		{"shell", shellCall("git log --oneline -n 20 | grep -i fix | head -5")},
		{"shell-nested", shellCall(`git log $(git status -s) && sh -c 'grep x f | sort' > /dev/null 2>&1`)},
	} {
		for _, h := range []struct {
			name   string
			handle toolkit.Handler
		}{{"bare", ran}, {"gate", gate.Wrap(ran)}} {
			b.Run(c.name+"/"+h.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = h.handle(ctx, c.call)
				}
			})
		}
	}
}
