// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/toolkit"
)

// received is what a tool gets of a call that the gate lets through.
type received struct {
	arguments string
	sandbox   *sandbox.Sandbox
	refused   bool
}

func throughGate(t *testing.T, rules *Rules, arguments string) (r received) {
	t.Helper()
	gate, err := New(Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gate.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		r.arguments, r.sandbox = string(call.Arguments), sandbox.From(ctx)
		return toolkit.Result{}, nil
	})(t.Context(), toolkit.Call{Name: "bash", Arguments: json.RawMessage(arguments)})
	r.refused = err != nil
	return r
}

// TestWhatWasParsedRuns: a line is run as the gate prints it, so that a shell cannot read it another way.
func TestWhatWasParsedRuns(t *testing.T) {
	rules := mustCompile(t, Spec{Default: Deny,
		Rules: []Rule{{Name: "r", Effect: Allow, Shell: &Shell{Programs: []string{"git", "cat", "ls"}}}}})
	for arguments, want := range map[string]string{
		`{"command":"git status"}`:                               `{"command":"git status"}`,
		`{"timeout":5,"command":"git  'status' | cat","wait":1}`: `{"timeout":5,"command":"git  'status' | cat","wait":1}`,
		`{"command":"git status #; mark\nls", "timeout": 5}`:     `{"command":"git status; ls", "timeout": 5}`,
		`{"command":"git \\\n status 2>/dev/null"}`:              `{"command":"git status 2>/dev/null"}`,
		`{"command":"cat <<\"E\"\nx\nE\n"}`:                      `{"command":"cat <<'E'\nx\nE\n"}`,
	} {
		got := throughGate(t, rules, arguments)
		if got.refused || got.arguments != want {
			t.Errorf("%s: got %s (refused %t), want %s", arguments, got.arguments, got.refused, want)
		}
		if got.sandbox == nil || got.sandbox.Network || len(got.sandbox.Workspace) != 1 {
			t.Errorf("%s: got the sandbox %+v, want the workspace without network", arguments, got.sandbox)
		}
	}
}

// TestSandboxOfARule: what a rule says and what its profiles need.
func TestSandboxOfARule(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{
		{Name: "a", Effect: Allow, Shell: &Shell{Profiles: map[string]string{"git": "remote", "go": "test"}}},
		{Name: "b", Effect: Allow, Shell: &Shell{Programs: []string{"curl"}, Network: true}},
	}})
	for line, want := range map[string]sandbox.Sandbox{
		"git status":           {},
		"git commit -m x":      {Git: true},
		"git push origin main": {Git: true, Network: true},
		"go test ./...":        {Caches: []string{"go"}},
		"curl example.com":     {Network: true},
	} {
		text, _ := json.Marshal(map[string]string{"command": line})
		got := throughGate(t, rules, string(text)).sandbox
		if got == nil || got.Git != want.Git || !slices.Equal(got.Caches, want.Caches) || got.Network != want.Network ||
			len(got.Workspace) != 1 {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
	if got := throughGate(t, rules, `{"command":"hostname"}`).sandbox; got == nil || got.Workspace != nil {
		t.Errorf("by default: got %+v, want an open sandbox", got)
	}
}

// TestArgumentsNextToTheCommand: what a tool may make of them is not known.
func TestArgumentsNextToTheCommand(t *testing.T) {
	rules := mustCompile(t, Spec{Rules: []Rule{{Name: "r", Effect: Allow, Shell: &Shell{Programs: []string{"git", "ls"}}}}})
	for _, arguments := range []string{
		`{"command":"ls","script":"id"}`, `{"command":"ls","shell":"/tmp/x"}`, `{"command":"ls","executable":"/tmp/x"}`,
		`{"command":"ls","interpreter":"python3"}`, `{"command":"ls","env":{"PATH":"."}}`, `{"command":"ls","args":"-la; id"}`,
		`{"command":"ls","args":[1]}`, `{"command":"ls","cwd":"/etc"}`, `{"command":"ls","cwd":"../x"}`, `{"command":"ls","code":"id"}`,
		`{"command":"ls","user":"root"}`, `{"command":"ls","Script":"id"}`, `{"command":"ls $(ls)","args":["x"]}`,
	} {
		if d := rules.Decide(nil, toolkit.Call{Name: "bash", Arguments: json.RawMessage(arguments)}); d.Effect != Ask {
			t.Errorf("%s: got %s by %s, want ask", arguments, d.Effect, d.Rule)
		}
	}
	for _, arguments := range []string{
		`{"command":"ls","timeout":5,"description":"look"}`, `{"command":"ls","shell":"","script":null}`,
		`{"command":"ls","cwd":"internal"}`, `{"command":"ls","args":["-la"]}`,
	} {
		if d := rules.Decide(nil, toolkit.Call{Name: "bash", Arguments: json.RawMessage(arguments)}); d.Effect != Allow {
			t.Errorf("%s: got %s by %s (%s), want allow", arguments, d.Effect, d.Rule, d.Reason)
		}
	}
}
