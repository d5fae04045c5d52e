// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

const schema = `{"type":"object","properties":{
	"path":{"type":"string"},
	"limit":{"type":"integer","minimum":1,"maximum":100},
	"mode":{"enum":["fast","slow"]},
	"tags":{"type":"array","items":{"type":"string"}},
	"deep":{"type":"object","properties":{"on":{"type":"boolean"},"a/b~c":{"type":"number"}}},
	"none":{"type":"null"}
},"required":["path"],"additionalProperties":false}`

// governed is an echo tool behind the policy, and what was seen of its calls.
func governed(t testing.TB, o validate.Options, schema string) (toolkit.Handler, *tooltest.Recorder) {
	t.Helper()
	// A registry of the application's own may have schemas that toolkit.Registry refuses.
	tool := tooltest.Echo(toolkit.Definition{Name: "tool", InputSchema: json.RawMessage(schema)})
	lookup := func(name string) *toolkit.Definition {
		if def := tool.Definition(); name == def.Name {
			return &def
		}
		return nil
	}
	seen := new(tooltest.Recorder)
	return toolkit.Observe(lookup, seen)(middleware.Wrap(tool.Handle, newPolicy(t, o))), seen
}

func newPolicy(t testing.TB, o validate.Options) *validate.Policy {
	t.Helper()
	p, err := validate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*validate.Policy)
}

func tags(e toolkit.Ended) string {
	var all []string
	for _, t := range e.Disposition.Tags {
		all = append(all, t.Key+"="+t.Value)
	}
	return strings.Join(all, ", ")
}

func TestWrongArgumentsAreRefusedWithWhatTheModelNeeds(t *testing.T) {
	for name, c := range map[string]struct{ arguments, want, at string }{
		"missing":      {`{}`, "- /path must be given", "/"},
		"no arguments": {``, "- /path must be given", "/"},
		"type":         {`{"path":5}`, "- /path: got number, want string", "/path"},
		"range":        {`{"path":"a","limit":0}`, "- /limit: minimum: got 0, want 1", "/limit"},
		"huge":         {`{"path":"a","limit":1e400}`, "/limit", "/limit"},
		"enum":         {`{"path":"a","mode":"quick"}`, "- /mode: value must be one of 'fast', 'slow'", "/mode"},
		"other name":   {`{"path":"a","lmit":3}`, "- /lmit is not among what the tool takes", "/"},
		"in a list":    {`{"path":"a","tags":["x",7]}`, "- /tags/1: got number, want string", "/tags/1"},
		"escaped":      {`{"path":"a","deep":{"a/b~c":"x"}}`, "- /deep/a~1b~0c: got string, want number", "/deep/a~1b~0c"},
		"no object":    {`[1]`, "got array, want object", "/"},
		"no JSON":      {`{"path":`, "not valid JSON: at byte 8", ""},
		"two values":   {`{"path":"a"} {}`, "something follows", ""},
		"twice":        {`{"path":"a","path":"b"}`, "duplicate object member name", ""},
		"bad UTF-8":    {"{\"path\":\"\xff\"}", "invalid UTF-8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, seen := governed(t, validate.Options{}, schema)
			res, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(c.arguments)})
			if !errors.Is(err, toolkit.ErrInvalidArguments) || res.Output != "" || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %q in it", err, c.want)
			}
			e := seen.All()[0]
			want := "validation=invalid"
			if c.at != "" {
				want += ", validation.at=" + c.at
			}
			if e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "invalid_arguments" || tags(e) != want {
				t.Errorf("got %v, %s, %s, want %s", e.Disposition.Outcome, e.ErrorType, tags(e), want)
			}
		})
	}
}

func TestTheAnswerNamesWhatTheToolTakes(t *testing.T) {
	h, _ := governed(t, validate.Options{}, schema)
	_, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{"p":1}`)})
	want := "The tool takes: path (string, required), deep (object), limit (integer), mode (any), none (null), tags (array)"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %q in it", err, want)
	}
}

func TestRightArgumentsPassAsTheyAre(t *testing.T) {
	for _, arguments := range []string{`{"path":"a"}`, ` { "path" : "a" , "limit" : 1.0 } `,
		`{"path":"\u0061","deep":{"on":true,"x":[1]}}`} {
		h, seen := governed(t, validate.Options{Coerce: true}, schema)
		res, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(arguments)})
		if err != nil || res.Output != arguments {
			t.Errorf("got %q, %v, want the arguments as they were", res.Output, err)
		}
		if got := tags(seen.All()[0]); got != "" {
			t.Errorf("got the tags %s, want none", got)
		}
	}
}

func TestCoerceRepairsInPlace(t *testing.T) {
	for _, c := range []struct{ arguments, want, at string }{
		{`{"path": 5, "limit": "7"}`, `{"path": "5", "limit": 7}`, "/path /limit"},
		{`{"path":"a","limit":" 5.0 "}`, `{"path":"a","limit":5}`, "/limit"},
		{`{"path":"a","tags":"[\"x\",\"y\"]"}`, `{"path":"a","tags":["x","y"]}`, "/tags"},
		{`{"path":"a","deep":"{\"on\":true}","none":"null"}`, `{"path":"a","deep":{"on":true},"none":null}`, "/deep /none"},
		{`{"path":true,"deep":{"on":"true","a/b~c":"1e3"}}`, `{"path":"true","deep":{"on":true,"a/b~c":1e3}}`,
			"/path /deep/on /deep/a~1b~0c"},
	} {
		h, seen := governed(t, validate.Options{Coerce: true}, schema)
		res, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(c.arguments)})
		if err != nil || res.Output != c.want {
			t.Errorf("%s: got %s, %v\nwant %s", c.arguments, res.Output, err, c.want)
			continue
		}
		if got, want := tags(seen.All()[0]), "validation=coerced, validation.at="+c.at; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, arguments := range []string{
		`{"path":"a","limit":"7 files"}`, `{"path":"a","limit":"1e99"}`, `{"path":"a","limit":"0x10"}`, `{"path":"a","limit":7.5}`,
		`{"path":"a","limit":"700"}`, `{"path":null}`, `{"path":{"a":1}}`, `{"path":["a"]}`,
		`{"path":"a","deep":{"on":"yes"}}`, `{"limit":"7"}`,
	} {
		h, _ := governed(t, validate.Options{Coerce: true}, schema)
		if _, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(arguments)}); !errors.Is(err,
			toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %v, want it refused", arguments, err)
		}
	}
}

func TestSchemasThatDoNotCompile(t *testing.T) {
	for name, schema := range map[string]string{
		"a type":             `{"type":"strin"}`,
		"a look-ahead":       `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`,
		"a file":             `{"$ref":"file:///etc/passwd"}`,
		"a host":             `{"$ref":"https://example.com/schema.json"}`,
		"another metaschema": `{"$schema":"https://example.com/meta"}`,
		"a missing part":     `{"$ref":"#/$defs/none"}`,
	} {
		t.Run(name, func(t *testing.T) {
			h, seen := governed(t, validate.Options{}, schema)
			if res, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{"a":"b"}`)}); err != nil ||
				res.Output == "" {
				t.Errorf("got %v, want the call passed on unchecked", err)
			}
			if got := tags(seen.All()[0]); got != "validation=schema_error" {
				t.Errorf("got %s", got)
			}
			strict, _ := governed(t, validate.Options{Strict: true}, schema)
			if _, err := strict(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{}`)}); !errors.Is(err,
				toolkit.ErrInvalidArguments) || !strings.Contains(err.Error(), "does not compile") {
				t.Errorf("strict: got %v", err)
			}
		})
	}
}

func TestReferencesInACircleEnd(t *testing.T) {
	h, _ := governed(t, validate.Options{}, `{"$ref":"#"}`)
	_, _ = h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{"a":1}`)})
	h, _ = governed(t, validate.Options{}, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`)
	_, _ = h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{"a":1}`)})
}

func TestLongArgumentsAreRefused(t *testing.T) {
	h, _ := governed(t, validate.Options{MaxBytes: 10}, schema)
	if _, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{"path":"abc"}`)}); err == nil ||
		!strings.Contains(err.Error(), "got arguments of 14 bytes, want at most 10") {
		t.Errorf("got %v", err)
	}
	h, _ = governed(t, validate.Options{MaxBytes: -1}, schema)
	if _, err := h(t.Context(), toolkit.Call{Name: "tool",
		Arguments: json.RawMessage(`{"path":"` + strings.Repeat("a", 17<<20) + `"}`)}); err != nil {
		t.Errorf("without a limit: got %v", err)
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	h, _ := governed(t, validate.Options{}, schema)
	arguments := `{"path":"a","tags":[` + strings.Repeat("1,", 5000) + `1]}`
	_, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(arguments)})
	if err == nil || !strings.Contains(err.Error(), "and 4991 more") || len(err.Error()) > 4000 {
		t.Errorf("got %d bytes: %.300s", len(err.Error()), err)
	}
}

// A tool that is replaced is checked by its new schema, from many goroutines.
func TestReplacedToolsAreCheckedAnew(t *testing.T) {
	r := new(toolkit.Registry)
	tool := func(kind string) toolkit.Tool {
		return tooltest.Echo(toolkit.Definition{Name: "tool",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"` + kind + `"}}}`)})
	}
	if err := r.Register(tool("string")); err != nil {
		t.Fatal(err)
	}
	h := toolkit.Observe(r.Lookup, new(tooltest.Recorder))(middleware.Wrap(r.Handle, newPolicy(t, validate.Options{})))
	accepts := func(arguments string) bool {
		_, err := h(context.Background(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(arguments)})
		return err == nil
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if !accepts(`{"a":"x"}`) || accepts(`{"a":1}`) {
					t.Error("the first schema does not hold")
				}
			}
		})
	}
	wg.Wait()
	if err := r.Replace(tool("number")); err != nil {
		t.Fatal(err)
	}
	if accepts(`{"a":"x"}`) || !accepts(`{"a":1}`) {
		t.Error("the second schema does not hold")
	}
}

func TestToolsWithoutSchemaAllocateNothing(t *testing.T) {
	next := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }
	h := newPolicy(t, validate.Options{}).Wrap(next)
	ctx, call := context.Background(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(`{`)}
	if n := testing.AllocsPerRun(100, func() { _, _ = h(ctx, call) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// FuzzPolicy: accepted arguments are JSON that fits, repaired or not, and nothing panics.
func FuzzPolicy(f *testing.F) {
	for _, s := range []string{`{"path":5,"limit":"7"}`, `{"deep":"{}"}`, `{"path":"a","tags":"[1]"}`, "{\"a\\u0000\":1e999}", `[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		strict, _ := governed(t, validate.Options{}, schema)
		h, _ := governed(t, validate.Options{Coerce: true}, schema)
		res, err := h(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(arguments)})
		if err != nil {
			return
		}
		if _, err := strict(t.Context(), toolkit.Call{Name: "tool", Arguments: json.RawMessage(res.Output)}); err != nil {
			t.Errorf("%q passed as %q, which does not fit: %v", arguments, res.Output, err)
		}
	})
}
