// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

// The application's parameter is there exactly once and no spelling of it survives,
// whatever the model sends; what is refused is no JSON object.
func FuzzHostParams(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", "[]", `{"p":1}`, `{"P":1,"a":[{"p":2}]}`, `{"\u0070":1}`, `{"a":1,"a":2}`, "{\"\xff\":1}",
		`{"\ud800":1}`, "{}{}", ` { "a" : 1e400 } `,
	} {
		f.Add([]byte(seed))
	}
	const mark = "of-the-host"
	h, err := toolkit.NewHostParams(toolkit.HostParam{Tools: "*", Name: "p",
		Value: func(context.Context) (any, error) { return mark, nil }})
	if err != nil {
		f.Fatal(err)
	}
	echo := func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: string(c.Arguments)}, nil
	}
	handle := toolkit.Chain(echo, h.Middleware())
	f.Fuzz(func(t *testing.T, args []byte) {
		before := bytes.Clone(args)
		res, err := handle(t.Context(), toolkit.Call{Name: "tool", Arguments: args})
		if !bytes.Equal(args, before) {
			t.Fatal("the arguments were written to")
		}
		if err != nil {
			var object map[string]json.RawMessage
			if json.Unmarshal(args, &object) == nil && object != nil {
				t.Fatalf("refused a JSON object: %v", err)
			}
			return
		}
		names, values, err := toolkit.ReadMembers([]byte(res.Output))
		if err != nil {
			t.Fatalf("got %q: %v", res.Output, err)
		}
		var in struct{ P string }
		if err := json.Unmarshal([]byte(res.Output), &in); err != nil || in.P != mark {
			t.Fatalf("got %q: a decoder reads %q, %v", res.Output, in.P, err)
		}
		for i, name := range names {
			if last := i == len(names)-1; strings.EqualFold(name, "p") != last || last && string(values[i]) != `"`+mark+`"` {
				t.Fatalf("got %q: member %d is %q", res.Output, i, name)
			}
		}
	})
}

// Validate never panics, its error is short and printable, and what it lets pass
// can be exported in every form as valid JSON.
func FuzzDefinition(f *testing.F) {
	f.Add("read_file", []byte(`{"type":"object"}`), []byte(nil), "function", "low", 1.0, 3)
	f.Add("", []byte("{"), []byte("[]"), "x", "y", -1.0, -1)
	f.Add("a\x00\u202e", []byte(" "), []byte("\xff{}"), "datastore", "high", 0.0, 0)
	f.Fuzz(func(t *testing.T, name string, in, out []byte, kind, risk string, cost float64, calls int) {
		d := toolkit.Definition{
			Name: name, InputSchema: in, OutputSchema: out, Type: toolkit.ToolType(kind), Risk: toolkit.Risk(risk), Cost: cost,
			RateLimit: toolkit.RateLimit{MaxCalls: calls, Window: 1},
		}
		if err := d.Validate(); err != nil {
			if text := err.Error(); len(text) > 2000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\u202e' }) {
				t.Fatalf("got the error %q", text)
			}
			return
		}
		for form, write := range map[string]func([]toolkit.Definition) (json.RawMessage, error){
			"OpenAI": export.OpenAI, "Anthropic": export.Anthropic, "MCP": export.MCP,
		} {
			if text, err := write([]toolkit.Definition{d}); err != nil || !json.Valid(text) {
				t.Fatalf("%s: got %s, %v", form, text, err)
			}
		}
	})
}
