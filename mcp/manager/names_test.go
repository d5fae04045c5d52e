// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNamespaced(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"files", "read", "files__read"},
		{"a", "_b", "a___b"},
		{"a_", "b", "a___b_"}, // and a hash: it could be read as a and _b
		{"a__b", "c", "a__b__c_"},
		{"my server", "read", "my_server__read_"},
		{"files", "read.me/größe", "files__read_me_gr__e_"},
		{"files", strings.Repeat("x", 57), "files__" + strings.Repeat("x", 57)},
		{"files", strings.Repeat("x", 58), "files__" + strings.Repeat("x", 48) + "_"},
		{strings.Repeat("s", 64), "read", strings.Repeat("s", 24) + "__read_"},
	} {
		got := namespaced(c.server, c.tool)
		if strings.HasSuffix(c.want, "_") {
			got = got[:len(got)-8] // of the hash
		}
		if got != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.server, c.tool, got, c.want)
		}
	}
	if got := shared("read"); got != "read" {
		t.Errorf("got %q, want the tool's own name", got)
	}
}

// Whatever the names, two tools do not share one, and all are what model providers take.
func TestNamesDoNotCollide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() string {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString([]string{"_", "__", "a", "b", "-", ".", "ü", " x"}[random.IntN(8)])
		}
		return b.String()
	}
	seen := map[string][2]string{}
	for range 20_000 {
		own := [2]string{pick(), pick()}
		name := namespaced(own[0], own[1])
		if other, there := seen[name]; there && other != own {
			t.Fatalf("%q: of both %q and %q", name, other, own)
		}
		seen[name] = own
		if name != safe(name) || len(name) > maxExposed {
			t.Fatalf("got %q", name)
		}
	}
}

func fake(name string, priority int, tools ...*tool) *server {
	s := &server{conf: Server{Name: name, Priority: priority}}
	for _, t := range tools {
		t.server = s
		t.def.Name = t.name
	}
	s.lists.tools = tools
	return s
}

func TestTableOfSharedNames(t *testing.T) {
	a := fake("a", 0, &tool{name: "read", schema: "1"}, &tool{name: "only", schema: "1"})
	b := fake("b", 0, &tool{name: "read", schema: "1"}, &tool{name: "write", schema: "1"})
	c := fake("c", 0, &tool{name: "read", schema: "2"}, &tool{name: "b__write", schema: "1"}, &tool{name: "c__read", schema: "3"})
	table := newTable([]*server{a, b, c}, true)
	if got, want := strings.Join(table.names, " "), "read only write c__read b__write c__c__read"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := len(table.entries["read"].tools); got != 2 {
		t.Errorf("got %d servers that have read, want those with the same schema", got)
	}
	if e := table.entries["c__read"]; e.tools[0].schema != "2" || e.def.Name != "c__read" {
		t.Errorf("got %+v, want the tool whose schema is another", e)
	}
}

func TestTableOfNamespacedNames(t *testing.T) {
	clash := hashed("a__b", "a", "b!")
	a := fake("a", 0, &tool{name: "read"}, &tool{name: strings.TrimPrefix(clash, "a__")}, &tool{name: "b!"})
	table := newTable([]*server{a}, false)
	if len(table.names) != 3 && a.lost == nil {
		t.Errorf("got %q, want three, or one reported as left out", table.names)
	}
	if table.entries["a__read"] == nil || table.entries["read"] != nil {
		t.Errorf("got %q", table.names)
	}
}

func TestCanonical(t *testing.T) {
	same := [][2]string{{`{"a":1,"b":[1,2]}`, ` {"b" : [1,2], "a":1}`}, {"", `{"type":"object"}`}}
	for _, s := range same {
		if canonical([]byte(s[0])) != canonical([]byte(s[1])) {
			t.Errorf("%s and %s: differ", s[0], s[1])
		}
	}
	if canonical([]byte(`{"a":9007199254740993}`)) == canonical([]byte(`{"a":9007199254740992}`)) {
		t.Error("two numbers are one")
	}
}
