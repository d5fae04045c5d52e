// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"html"
	"strings"
	"testing"
)

func TestEntityAt(t *testing.T) {
	list := strings.Fields("&#65; &#x41; &#XAd; &#8203; &#x1F600; &#0; &#xD800;")
	for _, c := range entities { // each name, and whatever stands between two of them
		if c >= 0x80 {
			list = append(list, "&#"+string(c)+";", "&"+string(c)+";")
		}
	}
	for _, name := range strings.FieldsFunc(entities, func(c rune) bool { return c == ' ' }) {
		list = append(list, "&"+name+";")
	}
	named := 0
	for _, s := range list {
		want := html.UnescapeString(s)
		raw, got := entityAt(s + "rest;")
		switch {
		case want == s || len(s) > maxEntity:
			if raw != 0 {
				t.Errorf("%q: got %q, %d bytes, want no entity", s, got, raw)
			}
		case got != want || raw != len(s):
			t.Errorf("%q: got %q, %d bytes, want %q, %d", s, got, raw, want, len(s))
		default:
			named++
		}
	}
	if named < 150 {
		t.Errorf("got %d entities, want at least 150", named)
	}
	for _, s := range []string{"&", "&;", "&#;", "&#x;", "&amp", "& amp;", "&a b;", "&#-1;", "&#99999999999;"} {
		if raw, got := entityAt(s); raw != 0 {
			t.Errorf("%q: got %q, %d bytes, want no entity", s, got, raw)
		}
	}
}
