// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "testing"

// TestFindingsAreShared: a list may be another call's, so what is appended to it goes elsewhere.
func TestFindingsAreShared(t *testing.T) {
	doc := []byte(`{"password":"hu3nter2Zq","user":{"api_key":"hu3nter2Zq"}}`)
	_, first := Default().JSON(doc)
	if len(first) != 2 || cap(first) != len(first) {
		t.Fatalf("got %v with room for %d, want two findings and no room", first, cap(first))
	}
	_ = append(first, Finding{Kind: "email"})
	for range 3 {
		if _, again := Default().JSON(doc); len(again) != 2 || again[0] != first[0] || again[1] != first[1] {
			t.Fatalf("got %v, want %v", again, first)
		}
	}
}

func TestKnownFindings(t *testing.T) {
	var known knownFindings
	list := func(f Findings) Findings {
		known.next = append(known.next, f...)
		return known.list()
	}
	scratch := Findings{{Kind: "email", Path: "/a", Count: 1}}
	first := list(scratch)
	scratch[0].Count = 2
	second := list(scratch)
	if first[0].Count != 1 || second[0].Count != 2 {
		t.Errorf("got %v and %v, want a list of its own for each", first, second)
	}
	scratch[0].Count = 1
	if again := list(scratch); &again[0] != &first[0] {
		t.Error("what was found before makes another list")
	}
	if n := testing.AllocsPerRun(100, func() { list(scratch) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
