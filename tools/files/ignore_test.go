// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import "testing"

// TestIgnoreRules follows the examples of gitignore(5).
func TestIgnoreRules(t *testing.T) {
	for _, test := range []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.o", "a.o", false, true}, {"*.o", "x/y/a.o", false, true}, {"*.o", "a.oo", false, false},
		{"/todo", "todo", false, true}, {"/todo", "x/todo", false, false},
		{"doc/frotz", "doc/frotz", true, true}, {"doc/frotz", "a/doc/frotz", true, false},
		{"frotz/", "frotz", true, true}, {"frotz/", "frotz", false, false}, {"frotz/", "a/frotz", true, true},
		{"foo/*", "foo/test.json", false, true}, {"foo/*", "foo/bar/hello.c", false, false},
		{"**/foo", "a/b/foo", false, true}, {"a/**/b", "a/b", false, true}, {"a/**/b", "a/x/y/b", false, true},
		{"abc/**", "abc/x/y", false, true}, {"abc/**", "abc", true, false},
		{"*.html\n!foo.html", "foo.html", false, false}, {"!foo.html\n*.html", "foo.html", false, true},
		{"#x", "#x", false, false}, {`\#x`, "#x", false, true}, {`\!x`, "!x", false, true},
		{"x  ", "x", false, true}, {`x\ `, "x ", false, true}, {"x\r", "x", false, true},
		{"[!a]x", "bx", false, true}, {"[!a]x", "ax", false, false}, {"[", "[", false, false},
		{"/", "x", true, false}, {"", "x", false, false},
	} {
		i := new(ignores)
		i.parse([]byte(test.rules), ".")
		if got := i.match(test.path, test.dir); got != test.want {
			t.Errorf("%q on %q: got %v, want %v", test.rules, test.path, got, test.want)
		}
	}
	i := new(ignores)
	i.parse([]byte("/x\ny"), "sub")
	for path, want := range map[string]bool{"sub/x": true, "sub/a/x": false, "sub/a/y": true, "x": false, "y": false,
		"subx/y": false} {
		if got := i.match(path, false); got != want {
			t.Errorf("rules of a directory below on %q: got %v, want %v", path, got, want)
		}
	}
	if !i.match("a/.git", true) || (*ignores)(nil).match("x", true) {
		t.Error("want .git ignored always, and nothing by nil")
	}
}

func TestBraces(t *testing.T) {
	for source, paths := range map[string]map[string]bool{
		"*.{ts,tsx}":      {"a.ts": true, "x/a.tsx": true, "a.js": false},
		"{a,b{c,d}}/*.go": {"a/x.go": true, "bc/x.go": true, "bd/x.go": true, "b/x.go": false, "x/a/x.go": false},
		`\{a\}`:           {"{a}": true, "a": false},
		"{a":              {"{a": true},
		"{}x":             {"x": true},
		"./a/[!b]":        {"a/c": true, "a/b": false},
	} {
		p, err := newPattern(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
		}
		for path, want := range paths {
			if got := p.matches(path); got != want {
				t.Errorf("%s on %s: got %v, want %v", source, path, got, want)
			}
		}
	}
	for _, source := range []string{"[a", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", `a\`} {
		if _, err := newPattern(source); err == nil {
			t.Errorf("%s: got no error", source)
		}
	}
}
