// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func names(r *toolkit.Registry) []string {
	var out []string
	for _, d := range r.Definitions() {
		out = append(out, d.Name)
	}
	return out
}

func TestRegistryKeepsOrder(t *testing.T) {
	r := registry(t, tooltest.Echo(named("c")), tooltest.Echo(named("a")), tooltest.Echo(named("b")))
	if err := r.Replace(tooltest.Echo(toolkit.Definition{Name: "a", Title: "new"})); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(tooltest.Echo(named("d"))); err != nil {
		t.Fatal(err)
	}
	if got := names(r); !slices.Equal(got, []string{"c", "a", "b", "d"}) || r.Lookup("a").Title != "new" {
		t.Errorf("after Replace: got %q", got)
	}
	if !r.Remove("c") || r.Remove("c") {
		t.Error("Remove: want true, then false")
	}
	if got := names(r); !slices.Equal(got, []string{"a", "b", "d"}) || r.Len() != 3 || r.Lookup("c") != nil || r.Tool("c") != nil {
		t.Errorf("after Remove: got %q", got)
	}
}

func TestRegisterIsAllOrNothing(t *testing.T) {
	r := registry(t, tooltest.Echo(named("a")))
	for want, tools := range map[string][]toolkit.Tool{
		`tool 1: name "a": toolkit: a tool of that name is registered already`: {tooltest.Echo(named("b")), tooltest.Echo(named("a"))},
		`tool 1: name "b": toolkit: a tool of that name`:                       {tooltest.Echo(named("b")), tooltest.Echo(named("b"))},
		"tool 1: got nil, want a Tool":                                         {tooltest.Echo(named("b")), nil},
		"tool 0: toolkit: definition of \"\": Name: got an empty name":         {tooltest.Echo(named(""))},
	} {
		err := r.Register(tools...)
		if err == nil || !strings.Contains(err.Error(), want) || r.Len() != 1 {
			t.Errorf("got %v and %d tools, want an error with %q and 1", err, r.Len(), want)
		}
		if strings.Contains(want, "already") && !errors.Is(err, toolkit.ErrRegistered) {
			t.Errorf("got %v, want ErrRegistered", err)
		}
	}
	if err := r.Replace(nil); err == nil || !strings.Contains(err.Error(), "got nil, want a Tool") {
		t.Errorf("Replace(nil): got %v", err)
	}
}

func TestNilRegistry(t *testing.T) {
	var r *toolkit.Registry
	if err := r.Register(tooltest.Echo(named("a"))); err == nil ||
		!strings.Contains(err.Error(), "Registry: got nil, want new(toolkit.Registry)") {
		t.Errorf("Register: got %v, want an error that says what is nil", err)
	}
	if err := r.Replace(tooltest.Echo(named("a"))); err == nil {
		t.Error("Replace: got nil, want an error")
	}
	if r.Remove("a") || r.Len() != 0 || r.Lookup("a") != nil || r.Tool("a") != nil || len(r.Definitions()) != 0 {
		t.Error("a nil registry holds something")
	}
	if a := r.Execute(t.Context(), toolkit.Call{Name: "a"}); !errors.Is(a.Result.Fault, toolkit.ErrUnknownTool) {
		t.Errorf("Execute: got %v, want unknown tool", a)
	}
}

func TestToolWithoutHandlerRefuses(t *testing.T) {
	r := registry(t, toolkit.ToolFunc(named("empty"), nil),
		toolkit.NewTool[struct{}](toolkit.Definition{Name: "typed"}, nil))
	for _, name := range []string{"empty", "typed"} {
		var seen tooltest.Recorder
		res, err := toolkit.Observe(r.Lookup, &seen)(r.Handle)(t.Context(), toolkit.Call{Name: name})
		if err != nil || !strings.Contains(res.Output, "the handler is nil") ||
			seen.All()[0].Disposition.Outcome != toolkit.OutcomeRefused {
			t.Errorf("%s: got %q, %v, want a refusal that says why", name, res.Output, err)
		}
	}
}

func TestHandleMakesTheModelReadFailures(t *testing.T) {
	failure := errors.New("no such file")
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(&toolkit.Error{Kind: toolkit.ErrBudgetExceeded, Message: "ten calls are enough"})
	r := registry(t,
		tooltest.Failing(named("fails"), failure),
		tooltest.Scripted(named("partly"), tooltest.Step{Result: toolkit.Result{Output: "half"}, Err: failure}))
	for _, tt := range []struct {
		name, tool string
		ctx        context.Context
		output     string
		is         error
		outcome    toolkit.Outcome
	}{
		{"error", "fails", t.Context(), "no such file", failure, toolkit.OutcomeExecuted},
		{"error with an output", "partly", t.Context(), "half", failure, toolkit.OutcomeExecuted},
		{"unknown", "x", t.Context(), `tool "x": unknown tool: use one of the tools listed`, toolkit.ErrUnknownTool,
			toolkit.OutcomeRefused},
		{
			"over before it ran", "fails", canceled, "budget exceeded: ten calls are enough",
			toolkit.ErrBudgetExceeded, toolkit.OutcomeRefused,
		},
	} {
		var seen tooltest.Recorder
		res, err := toolkit.Observe(r.Lookup, &seen)(r.Handle)(tt.ctx, toolkit.Call{Name: tt.tool})
		if err != nil || res.Output != tt.output || !errors.Is(res.Fault, tt.is) || seen.All()[0].Disposition.Outcome != tt.outcome {
			t.Errorf("%s: got %q, %v, %v, %v", tt.name, res.Output, res.Fault, err, seen.All()[0].Disposition.Outcome)
		}
	}
}

func TestRegistryExecuteAnswersPanics(t *testing.T) {
	r := registry(t, tooltest.Panicking(named("panics"), "secret"))
	a := r.Execute(t.Context(), toolkit.Call{ID: "1", Name: "panics"})
	if a.CallID != "1" || a.Result.Output != "the tool panicked" || toolkit.TypeOf(a.Result.Fault) != "panic" {
		t.Errorf("got %v with %q, want the panic without its value", a, a.Result.Output)
	}
}

// A tool may look into the registry it is being registered with.
func TestDefinitionMayUseTheRegistry(t *testing.T) {
	r := new(toolkit.Registry)
	if err := r.Register(asking{r}); err != nil || r.Remove("other") {
		t.Errorf("got %v", err)
	}
}

type asking struct{ r *toolkit.Registry }

func (a asking) Definition() toolkit.Definition { a.r.Remove("other"); return named("asking") }
func (a asking) Handle(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{}, nil
}

func TestDefinitionsAreCopies(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	r := registry(t, tooltest.Echo(toolkit.Definition{Name: "a", InputSchema: schema}))
	schema[2] = 'X'
	r.Definitions()[0].InputSchema[2] = 'Y'
	if got := string(r.Lookup("a").InputSchema); got != `{"type":"object"}` {
		t.Errorf("got %s, want the schema as registered", got)
	}
}

// Writers and callers at once: a call finds its tool or an unknown name, never
// half of a change, and one that has begun keeps its tool.
func TestRegistryUnderConcurrency(t *testing.T) {
	r := registry(t, tooltest.Echo(named("stays")))
	var calls atomic.Int64
	var wg sync.WaitGroup
	for w := range 8 {
		name := "t" + strconv.Itoa(w%4) // two writers for each name
		wg.Go(func() {
			for i := range 50 {
				_ = r.Register(tooltest.Echo(named(name)))
				if err := r.Replace(tooltest.Echo(toolkit.Definition{Name: name, Title: strconv.Itoa(i)})); err != nil {
					t.Error(err)
				}
				r.Remove(name)
			}
		})
		wg.Go(func() {
			for range 200 {
				a := r.Execute(t.Context(), toolkit.Call{Name: name, Arguments: json.RawMessage("x")})
				if a.Result.Fault != nil && !errors.Is(a.Result.Fault, toolkit.ErrUnknownTool) || a.Result.Fault == nil &&
					a.Result.Output != "x" {
					t.Errorf("got %v", a)
				}
				if got := names(r); got[0] != "stays" {
					t.Errorf("got %q, want the first one first", got)
				}
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	if got := names(r); calls.Load() != 1600 || !slices.Equal(got, []string{"stays"}) {
		t.Errorf("got %d calls and %q left", calls.Load(), got)
	}
}

type typed struct {
	N    int
	List []struct{ Name string }
}

func TestNewToolReadsArguments(t *testing.T) {
	big := append(append([]byte(`{"N":1,"pad":"`), bytes.Repeat([]byte("a"), 50<<20)...), `"}`...)
	for _, tt := range []struct {
		name, args string
		want       string // the output
		wrong      string // or the message
	}{
		{"object", `{"N":3}`, "3", ""},
		{"empty", "", "0", ""},
		{"blanks", " \n\t", "0", ""},
		{"null", "null", "0", ""},
		{"unknown members", `{"N":3,"M":4}`, "3", ""},
		{"50 MiB", string(big), "1", ""},
		{"50 MiB, cut off", string(big[:50<<20]), "", "got invalid JSON (unexpected end of JSON input), want one JSON object"},
		{"array", "[1]", "", "got a JSON array, want an object"},
		{"string", `"x"`, "", "got a JSON string, want an object"},
		{"wrong member", `{"N":"3"}`, "", `member "N": got a JSON string, want an integer`},
		{"wrong nested member", `{"List":[{"Name":true}]}`, "", `member "List.Name": got a JSON bool, want a string`},
		{"number out of range", `{"N":1e999}`, "", `member "N": got a JSON number 1e999, want an integer`},
		{"a number of 1 MiB", `{"N":` + strings.Repeat("9", 1<<20) + "}", "", `member "N": got a JSON number 999`},
		{"two values", "{}{}", "", "got invalid JSON (invalid character '{' after top-level value), want one JSON object"},
		{"cut off", `{"N":`, "", "got invalid JSON (unexpected end of JSON input), want one JSON object"},
		{"no JSON", "\x00\xff", "", "got invalid JSON (invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			number := func(_ context.Context, in typed) (string, error) { return fmt.Sprint(in.N), nil }
			r := registry(t, toolkit.NewTool(toolkit.Definition{Name: "typed"}, number))
			var seen tooltest.Recorder
			res, err := toolkit.Observe(r.Lookup, &seen)(r.Handle)(
				t.Context(), toolkit.Call{Name: "typed", Arguments: json.RawMessage(tt.args)},
			)
			e := seen.All()[0]
			if err != nil || e.ArgumentsBytes != len(tt.args) {
				t.Errorf("got %v, %d bytes, want nil, %d", err, e.ArgumentsBytes, len(tt.args))
			}
			if tt.wrong == "" {
				if res.Output != tt.want || res.Fault != nil || e.Disposition.Outcome != toolkit.OutcomeExecuted {
					t.Errorf("got %q, %v, %v, want %q", res.Output, res.Fault, e.Disposition.Outcome, tt.want)
				}
				return
			}
			want := `tool "typed": invalid arguments: ` + tt.wrong
			if !strings.HasPrefix(res.Output, want) || len(res.Output) > 300 || e.ErrorType != "invalid_arguments" ||
				e.Disposition.Outcome != toolkit.OutcomeRefused {
				t.Errorf("got %.300q, %q, %v, want %q", res.Output, e.ErrorType, e.Disposition.Outcome, want)
			}
		})
	}
}

// A name is the model's to make up: it is cut and quoted wherever it is shown.
func TestHostileNames(t *testing.T) {
	hostile := "rm\x1b[2J\x00\u202e\xff" + strings.Repeat("\n", 1<<20)
	r := registry(t, tooltest.Echo(named("echo")))
	var seen tooltest.Recorder
	res, err := toolkit.Observe(r.Lookup, &seen)(r.Handle)(t.Context(), toolkit.Call{ID: hostile, Name: hostile})
	if err != nil || seen.All()[0].Info.Tool != nil || seen.All()[0].ErrorType != "unknown_tool" {
		t.Errorf("got %v, %v, want unknown tool", err, seen.All())
	}
	a := (&toolkit.Executor{Handler: r.Handle}).Execute(t.Context(), toolkit.Call{ID: hostile, Name: hostile})[0]
	if a.CallID != hostile || a.Name != hostile {
		t.Error("the answer is stamped with another id or name")
	}
	for what, text := range map[string]string{
		"output": res.Output,
		"call":   fmt.Sprintf("%v %+v", toolkit.Call{ID: hostile, Name: hostile}, toolkit.Call{Name: hostile}),
		"error":  fmt.Sprint(res.Fault),
		"answer": fmt.Sprintf("%+v", a),
		"ended":  fmt.Sprintf("%+v", seen.All()),
		"part":   fmt.Sprint(toolkit.Part{Kind: toolkit.PartKind(hostile)}),
		"invalid definition": func() string {
			d := named(hostile)
			return d.Validate().Error()
		}(),
	} {
		if len(text) > 2000 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\x00\n\u202e") {
			t.Errorf("%s: got %d bytes, %.200q", what, len(text), text)
		}
	}
}
