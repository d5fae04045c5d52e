// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func value(v any) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { return v, nil }
}

func hostParams(t testing.TB, params ...toolkit.HostParam) *toolkit.HostParams {
	t.Helper()
	h, err := toolkit.NewHostParams(params...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestModelCannotOverrideHostParams(t *testing.T) {
	h := hostParams(t,
		toolkit.HostParam{Tools: "file_*", Name: "project_id", Value: value("p1")},
		toolkit.HostParam{Tools: "*", Name: "user", Value: value(map[string]any{"id": 7})})
	const user = `"user":{"id":7}`
	const both = `"project_id":"p1",` + user
	for _, tt := range []struct{ name, tool, got, want string }{
		{"no arguments", "file_read", "", "{" + both + "}"},
		{"blank arguments", "file_read", " \n", "{" + both + "}"},
		{"empty object", "file_read", "{}", "{" + both + "}"},
		{"others stay as written", "file_read", `{"path": "a<b", "n": 1.50e1, "x":[1, 2]}`,
			`{"path":"a<b","n":1.50e1,"x":[1, 2],` + both + "}"},
		{"the model's own is removed", "file_read", `{"project_id":"evil","a":1}`, `{"a":1,` + both + "}"},
		{"whatever its case", "file_read", `{"PROJECT_ID":"evil","Project_Id":1,"a":1}`, `{"a":1,` + both + "}"},
		{"and all its duplicates", "file_read", `{"project_id":1,"a":1,"project_id":2}`, `{"a":1,` + both + "}"},
		{"however it is spelled", "file_read", `{"project\u005fid":"evil","\u0055ser":"evil"}`, "{" + both + "}"},
		{"folded letters of other scripts too", "file_read", `{"u\u017fer":"evil"}`, "{" + both + "}"},
		{"duplicates of others stay", "web", `{"a":1,"a":2}`, `{"a":1,"a":2,` + user + "}"},
		{"nested members are the tool's", "web", `{"a":{"user":"x"}}`, `{"a":{"user":"x"},` + user + "}"},
		{"a name with a slash matches the star", "ns/web", `{"user":"evil"}`, "{" + user + "}"},
		{"another tool", "web", `{"project_id":"mine"}`, `{"project_id":"mine",` + user + "}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			original := strings.Clone(tt.got)
			call := toolkit.Call{Name: tt.tool, Arguments: json.RawMessage(tt.got)}
			res, err := toolkit.Chain(tooltest.Echo(named("echo")).Handle, h.Middleware())(t.Context(), call)
			if err != nil || res.Output != tt.want {
				t.Errorf("got  %s, %v\nwant %s", res.Output, err, tt.want)
			}
			if string(call.Arguments) != original {
				t.Errorf("the call's own arguments were changed to %s", call.Arguments)
			}
		})
	}
}

func TestLastHostParamOfANameCounts(t *testing.T) {
	h := hostParams(t,
		toolkit.HostParam{Tools: "*", Name: "project", Value: value("general")},
		toolkit.HostParam{Tools: "file_*", Name: "Project", Value: value("special")})
	for tool, want := range map[string]string{"file_read": `{"Project":"special"}`, "web": `{"project":"general"}`} {
		res, err := toolkit.Chain(tooltest.Echo(named("echo")).Handle, h.Middleware())(t.Context(), toolkit.Call{Name: tool})
		if err != nil || res.Output != want {
			t.Errorf("%s: got %s, %v, want %s", tool, res.Output, err, want)
		}
	}
}

func TestHostParamsRefuse(t *testing.T) {
	failure := errors.New("no project in this request")
	for _, tt := range []struct {
		name, args string
		value      func(context.Context) (any, error)
		is         error
		errorType  string
	}{
		{"an array", "[1]", value(1), toolkit.ErrInvalidArguments, "invalid_arguments"},
		{"null", "null", value(1), toolkit.ErrInvalidArguments, "invalid_arguments"},
		{"invalid JSON", "{", value(1), toolkit.ErrInvalidArguments, "invalid_arguments"},
		{"two objects", "{}{}", value(1), toolkit.ErrInvalidArguments, "invalid_arguments"},
		{"a value that fails", "{}", func(context.Context) (any, error) { return nil, failure }, failure, "_OTHER"},
		{"a value that times out", "{}", func(context.Context) (any, error) { return nil, context.DeadlineExceeded },
			context.DeadlineExceeded, "timeout"},
		{"a value that is no JSON", "{}", value(make(chan int)), nil, "_OTHER"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen tooltest.Recorder
			tool := tooltest.Scripted(named("tool"))
			h := hostParams(t, toolkit.HostParam{Tools: "tool", Name: "p", Value: tt.value})
			_, err := toolkit.Chain(tool.Handle, toolkit.Observe(nil, &seen), h.Middleware())(
				t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(tt.args)},
			)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || len(tool.Calls()) > 0 {
				t.Errorf("got %v and %d calls of the tool, want an error that is %v and none", err, len(tool.Calls()), tt.is)
			}
			if e := seen.All()[0]; e.ErrorType != tt.errorType || e.Disposition.Outcome != toolkit.OutcomeRefused {
				t.Errorf("told %q, %v, want %q, refused", e.ErrorType, e.Disposition.Outcome, tt.errorType)
			}
		})
	}
}

func TestNewHostParamsNamesWhatIsWrong(t *testing.T) {
	ok := toolkit.HostParam{Tools: "*", Name: "p", Value: value(1)}
	for want, change := range map[string]func(*toolkit.HostParam){
		`HostParam 1: Tools: got "", want a pattern`:         func(p *toolkit.HostParam) { p.Tools = "" },
		`HostParam 1: Tools: got "[", want a pattern`:        func(p *toolkit.HostParam) { p.Tools = "[" },
		`HostParam 1: Name: got "", want`:                    func(p *toolkit.HostParam) { p.Name = "" },
		`HostParam 1 ("p"): Value: got nil, want a function`: func(p *toolkit.HostParam) { p.Value = nil },
	} {
		p := ok
		change(&p)
		if _, err := toolkit.NewHostParams(ok, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestHideTakesHostParamsOutOfSchemas(t *testing.T) {
	h := hostParams(t, toolkit.HostParam{Tools: "file_*", Name: "project_id", Value: value(1)})
	schema := `{"type":"object","properties":{"path":{"type":"string"},"Project_ID":{"type":"string"},` +
		`"project_id":{}},"required":["project_id","path"],"x":1}`
	defs := []toolkit.Definition{
		{Name: "file_read", InputSchema: json.RawMessage(schema)},
		{Name: "file_none"},
		{Name: "web", InputSchema: json.RawMessage(schema)},
		{Name: "file_only", InputSchema: json.RawMessage(`{"required":["project_id"]}`)},
	}
	shown, err := h.Hide(defs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"x":1}`,
		"",
		schema,
		`{"required":[]}`,
	} {
		if got := string(shown[i].InputSchema); got != want {
			t.Errorf("%s: got  %s\nwant %s", shown[i].Name, got, want)
		}
	}
	if string(defs[0].InputSchema) != schema {
		t.Error("the definitions given were changed")
	}
	for _, wrong := range []string{"[]", `{"properties":1}`, `{"required":{}}`} {
		if _, err := h.Hide([]toolkit.Definition{{Name: "file_x", InputSchema: json.RawMessage(wrong)}}); err == nil ||
			!strings.Contains(err.Error(), `definition of "file_x": InputSchema`) {
			t.Errorf("schema %s: got %v, want an error that names it", wrong, err)
		}
	}
}

func TestNoHostParamsAddNothing(t *testing.T) {
	var none *toolkit.HostParams
	if none.Middleware() != nil || hostParams(t).Middleware() != nil {
		t.Error("a middleware without parameters, want nil")
	}
	defs := []toolkit.Definition{{Name: "x", InputSchema: json.RawMessage("[")}}
	if shown, err := none.Hide(defs); err != nil || len(shown) != 1 {
		t.Errorf("got %v, %v, want the definitions", shown, err)
	}
}

func TestExecutorAddsHostParams(t *testing.T) {
	tools := registry(t, tooltest.Echo(named("echo")))
	e := &toolkit.Executor{
		Handler: tools.Handle, Host: hostParams(t, toolkit.HostParam{Tools: "*", Name: "p", Value: value("host")}),
	}
	answers := e.Execute(t.Context(), toolkit.Call{Name: "echo", Arguments: json.RawMessage(`{"P":"model"}`)},
		toolkit.Call{Name: "echo", Arguments: json.RawMessage("[]")})
	if answers[0].Result.Output != `{"p":"host"}` || !errors.Is(answers[1].Result.Fault, toolkit.ErrInvalidArguments) {
		t.Errorf("got %s and %v, want the application's value and a refusal", answers[0].Result.Output, answers[1])
	}
}
