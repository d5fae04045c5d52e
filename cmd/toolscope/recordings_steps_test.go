// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

const doubling = `policies: {recover: {}}
workflows:
  double:
    description: Doubles a number
    steps:
      - {id: sum, call: calculator, with: {expression: "${ string(input.n) + ' * 2' }"}}
`

// recordWorkflow has toolscope serve record a call of a workflow and one of a tool.
func recordWorkflow(t *testing.T) (config, file string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sessions")
	t.Setenv(recordings.Variable, dir)
	config = filepath.Join(t.TempDir(), "double.yaml")
	if err := os.WriteFile(config, []byte(doubling), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := proxied(t, "serve")
	cmd.Path, cmd.Args = self, []string{self, "serve", "--config", config}
	cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	takeTurns(t, cmd, initialize+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+listTools+
		callOf("1", "double", `{"n":21}`)+callOf("2", "calculator", `{"expression":"1 + 1"}`))
	list, err := recordings.List(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("got the recordings %v (%v), want one", list, err)
	}
	return config, list[0].Paths[0]
}

// The steps of a workflow name the call that made them. replay leaves them out, and check counts them if that is asked for.
func TestStepsAreToldFromCalls(t *testing.T) {
	config, file := recordWorkflow(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	outer, steps := "", 0
	for line := range strings.Lines(string(text)) {
		var l struct {
			Record, Call, Tool string
			Parent             string `json:"parent_call"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Tool == "double" && l.Record == "begin":
			outer = l.Call
		case l.Parent != "" && l.Parent == outer && l.Tool == "calculator":
			steps++
		case l.Parent != "":
			t.Errorf("got %s, want no parent", line)
		}
	}
	if steps != 2 {
		t.Errorf("got %d lines of steps of %q, want a beginning and an end:\n%s", steps, outer, text)
	}
	code, out, errs := invoke("sessions", "", "show", file)
	if code != exitOK || !strings.Contains(out, "   calculator ") || !strings.Contains(out, "11 tools listed") {
		t.Errorf("show: got %d, %s, %s, want the step below its call", code, out, errs)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := []string{file, "--", "env", programEnv + "=toolscope", recordings.Variable + "=off", self, "serve", "--config", config}
	for _, c := range []struct {
		options    []string
		calls      int
		says, same string
	}{
		{nil, 2, "1 step left out", `"same":2`},
		{[]string{"--steps"}, 3, "", `"same":3`},
		{[]string{"--call", "2"}, 1, "", `"same":1`},
	} {
		code, out, errs = invoke("replay", "", append(append([]string{"--json"}, c.options...), server...)...)
		if code != exitOK || strings.Count(out, `"tool":"`)-strings.Count(out, `"tools":[`) < c.calls ||
			strings.Count(out, "\n") != c.calls+1 || !strings.Contains(out, c.same) ||
			c.says != "" && !strings.Contains(errs, c.says) || c.says == "" && errs != "" {
			t.Errorf("replay %v: got %d, %s, %s, want %d calls", c.options, code, out, errs, c.calls)
		}
	}

	// The built-in tools have no workflow: its steps are sent.
	code, out, errs = invoke("replay", "", "--json", file)
	if code != exitOK || strings.Count(out, "\n") != 3 || !strings.Contains(out, `"same":2`) ||
		!strings.Contains(errs, "call 1, double, is not sent: the target has no such workflow: its steps are sent") {
		t.Errorf("replay to the built-in tools: got %d, %s, %s, want the step and the other call", code, out, errs)
	}

	expectations := filepath.Join(t.TempDir(), "e.yaml")
	for text, want := range map[string]string{
		"calls: {min: 2, max: 2}\ntools: {calculator: {max: 1}}\norder: [double, calculator]\nonly: [double, calculator]\n": "",
		"steps: true\ncalls: {max: 2}\n":               "FAIL  calls: call 3, calculator: got 3 calls, want at most 2",
		"never: [calculator]\n":                        "FAIL  never: call 2, calculator (id ",
		"tools: {calculator: {min: 2}}\n":              "at least 2 (1 step of workflows not counted: steps: true counts them)",
		"steps: true\ntools: {calculator: {min: 2}}\n": "",
	} {
		if err := os.WriteFile(expectations, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := invoke("check", "", "--expect", expectations, "--baseline", file, file)
		if (code == exitOK) != (want == "") || !strings.Contains(out, want) ||
			strings.Contains(errs, "1 step of workflows not counted as calls") == strings.HasPrefix(text, "steps") {
			t.Errorf("%q: got %d, %s, %s, want %s", text, code, out, errs, want)
		}
	}
}

// A server of recorded answers offers tools with the annotations that they had, workflows as well.
func TestServedAnswersHaveTheAnnotations(t *testing.T) {
	_, file := recordWorkflow(t)
	input := initialize + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + listTools +
		callOf("7", "double", `{"n":21}`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := proxied(t, "replay")
	cmd.Path, cmd.Args = self, []string{self, "replay", "--serve", file}
	cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	answers := answersTo(t, cmd, input, 3)
	found := 0
	for _, answer := range answers {
		var a struct {
			Result struct {
				Tools []struct {
					Name        string
					Description string
					Annotations struct{ ReadOnlyHint, IdempotentHint bool }
				}
			}
		}
		if json.Unmarshal([]byte(answer), &a) != nil {
			continue
		}
		for _, tool := range a.Result.Tools {
			if tool.Annotations.ReadOnlyHint && tool.Annotations.IdempotentHint && tool.Description != "" &&
				(tool.Name == "double" || tool.Name == "calculator") {
				found++
			}
		}
	}
	if found != 2 || !strings.Contains(answers["7"], `"42"`) {
		t.Errorf("got %v, want double and calculator with their annotations, and the recorded answer", answers)
	}
}

// Where no tool runs, policies decide by the recorded definitions: the tools of any server are known.
func TestAnswersKnowTheRecordedTools(t *testing.T) {
	_, file := record(t, callOf("1", "echo", `{"text":"hello"}`)+callOf("2", "made up", `{}`))
	for option, want := range map[string]string{"--answers": `"same":2`, "--dry-run": `"output":"dry run"`} {
		code, out, errs := invoke("replay", "", option, "--json", file)
		if code != exitOK || !strings.Contains(out, `"tool":"echo","calls":1`) || !strings.Contains(out, want) ||
			!strings.Contains(out, `"tool":"_unknown","calls":1`) {
			t.Errorf("%s: got %d, %s, %s, want the recorded tool by its name, and %s", option, code, out, errs, want)
		}
	}
}
