// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	for _, c := range []struct {
		path   string
		action Action
		in     string
		want   string
	}{
		{"$.a", Drop, `{"a":1,"b":2}`, `{"b":2}`},
		{"$.b", Drop, `{"a":1, "b":2}`, `{"a":1}`},
		{"$.*", Drop, `{"a":1,"b":2}`, `{}`},
		{"$[1:]", Drop, `[1, 2, 3]`, `[1]`},
		{"$[0:2]", Drop, `[1, 2, 3]`, `[3]`},
		{"$..b", Drop, `{"x":{"b":1,"c":{"b":[2]}},"b":3}`, `{"x":{"c":{}}}`},
		{"$.user.name", Mask, `{"user":{"name":"Ada","n":[1,2]}}`, `{"user":{"name":"[REDACTED:rule]","n":[1,2]}}`},
		{"$['user name']", Mask, `{"user name":{"x":1}}`, `{"user name":"[REDACTED:rule]"}`},
		{"$.a", Mask, `{"\u0061":12}`, `{"\u0061":"[REDACTED:rule]"}`},
		{"$.in.b", Mask, `{"in":"{\"b\":1}"}`, `{"in":"{\"b\":\"[REDACTED:rule]\"}"}`},
		{"$.password", Keep, `{"password":"hu3nter2Zq","api_key":"hu3nter2Zq"}`,
			`{"password":"hu3nter2Zq","api_key":"[REDACTED:api-key]"}`},
		{"$", Mask, `{"a":1}`, `"[REDACTED:rule]"`},
		{"$", Drop, `{"a":1}`, `null`},
		{"$", Mask, `plain text`, `[REDACTED:rule]`},
		{"", Keep, `password=hu3nter2Zq`, `password=hu3nter2Zq`},
	} {
		r, err := New(Options{Rules: []Rule{Rule{Path: c.path, Action: c.action}}})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		got, _ := r.Text(c.in)
		if got != c.want {
			t.Errorf("%v %s of %s: got %s, want %s", c.action, c.path, c.in, got, c.want)
		}
		if json.Valid([]byte(c.in)) && !json.Valid([]byte(got)) {
			t.Errorf("%v %s of %s: got %s, which is no JSON", c.action, c.path, c.in, got)
		}
	}
}

func TestRulesThatAreWrong(t *testing.T) {
	for path, want := range map[string]string{
		"a": "want '$'", "$[?@.a==1]": "filters", "$.": "want a name", "$.a[": "closing", "$['a": "closing quote",
		"$[-1]": "index of 0 or more", "$[0:4:2]": "no step", "$a": "want '.'",
	} {
		if _, err := New(Options{Rules: []Rule{Rule{Path: path}}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", path, err, want)
		}
	}
}

func TestForTool(t *testing.T) {
	r, err := New(Options{Rules: []Rule{Rule{Tool: "db.*", Path: "$.sql", Action: Mask},
		Rule{Tool: "mail", Path: "$.to", Action: Keep}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Text(`{"sql":"select 1"}`); got != `{"sql":"select 1"}` {
		t.Errorf("without a tool: got %s", got)
	}
	if got, _ := r.ForTool("db.query").Text(`{"sql":"select 1"}`); got != `{"sql":"[REDACTED:rule]"}` {
		t.Errorf("db.query: got %s", got)
	}
	if got, _ := r.ForTool("mail").Text(`{"to":"ada@love.io"}`); got != `{"to":"ada@love.io"}` {
		t.Errorf("mail: got %s", got)
	}
	if first, second := r.ForTool("mail"), r.ForTool("mail"); first != second {
		t.Error("the view of a tool is made twice")
	}
}
