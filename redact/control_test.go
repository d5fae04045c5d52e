// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
	"testing"
)

// TestControl: patterns, names, allowed values and kinds of an application's own.
func TestControl(t *testing.T) {
	r, err := New(Options{
		Patterns: []Pattern{
			{Literal: "acme-", Regexp: regexp.MustCompile(`^acme-[0-9a-f]{8}\b`)},
			{Literal: "tkt", Keywords: []string{"ticket"}},
		},
		Names:        []string{"customer_code"},
		WithoutNames: []string{"page_password"},
		Allow:        []string{"build-*@example.net"},
		Rules: []Rule{
			{Tool: "*sql*", Path: "$.rows", Action: Keep, Kinds: []string{"email"}},
			{Tool: "db*_x", Path: "$.note", Action: Drop},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, in, want string }{
		{"", "use ACME-1 or acme-0a1b2c3d here", "use ACME-1 or [REDACTED:custom] here"},
		{"", "ticket tkt99x, tkt99x", "ticket [REDACTED:custom], [REDACTED:custom]"},
		{"", "a tkt99x", "a tkt99x"},
		{"", `{"customerCode":"lemon","customer_code":"x y"}`,
			`{"customerCode":"[REDACTED:secret]","customer_code":"[REDACTED:secret]"}`},
		{"", "customer_code: lemon7\n", "customer_code: [REDACTED:secret]\n"},
		{"", `{"page_password":"hu3nter2Zq"}`, `{"page_password":"hu3nter2Zq"}`},
		{"", "build-17@example.net ann@example.net", "build-17@example.net [REDACTED:email]"},
		{"my_sql_read", `{"rows":[["ann@example.net"]],"by":"ann@example.net"}`,
			`{"rows":[["ann@example.net"]],"by":"[REDACTED:email]"}`},
		{"other", `{"rows":[["ann@example.net"]]}`, `{"rows":[["[REDACTED:email]"]]}`},
		{"db1_x", `{"note":"a","b":1}`, `{"b":1}`},
	} {
		if got, _ := r.ForTool(c.tool).JSON([]byte(c.in)); string(got) != c.want {
			t.Errorf("tool %q: %s became %s, want %s", c.tool, c.in, got, c.want)
		}
	}
	for _, o := range []Options{
		{Patterns: []Pattern{{Literal: "a"}}},
		{Names: []string{""}}, {Allow: []string{"**"}}, {Rules: []Rule{{Kinds: []string{"email"}}}},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), "redact: Options.") {
			t.Errorf("%+v: got error %v", o, err)
		}
	}
}

// TestExplain: each removal has its place, trigger, score, and what would undo it.
func TestExplain(t *testing.T) {
	in := `{"user":{"password":"hu3nter2Zq"},"to":"ann@example.net"}`
	list := Default().Explain([]byte(in))
	if len(list) != 2 {
		t.Fatalf("got %+v", list)
	}
	p := list[0]
	if p.Offset != strings.Index(in, "hu3") || p.Trigger != "name password" || p.Score < 50 ||
		p.Undo() != `names: {off: ["password"]}` {
		t.Errorf("got %+v, %s", p, p.Undo())
	}
	if m := list[1]; m.Kind != "email" || m.Undo() != `rules: [{path: "$['to']", kinds: [email], action: keep}]` {
		t.Errorf("got %+v, %s", m, m.Undo())
	}
	for _, m := range list {
		if strings.Contains(m.Trigger+m.Undo(), "hu3nter") {
			t.Errorf("%+v holds the value", m)
		}
	}
}
