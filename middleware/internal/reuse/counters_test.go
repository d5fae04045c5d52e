// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reuse_test

import (
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

func TestWritesMakeStaleWhatTheyMayHaveWritten(t *testing.T) {
	a, b, all := middleware.Owner{Session: "a"}, middleware.Owner{Session: "b"}, middleware.Owner{}
	files, rows, both := []string{"files"}, []string{"db"}, []string{"db", "files"}
	for _, c := range []struct {
		name           string
		reader, writer middleware.Owner
		reads, writes  []string
		stale          bool
	}{
		{"the same", a, a, files, files, true},
		{"another resource", a, a, files, rows, false},
		{"one in common", a, a, both, files, true},
		{"one of several", a, a, files, both, true},
		{"a write of anything", a, a, files, nil, true},
		{"a read of anything", a, a, nil, files, true},
		{"anything and anything", a, a, nil, nil, true},
		{"empty is anything", a, a, []string{}, files, true},
		{"another's", a, b, files, files, false},
		{"another's of anything", a, b, nil, nil, false},
		{"no caller's", a, all, files, files, true},
		{"of anything, without an owner", a, all, rows, nil, true},
		{"another, without an owner", a, all, files, rows, false},
		{"shared by all", all, all, files, files, true},
	} {
		var counters reuse.Counters
		reader, writer := reuse.OwnerHash(c.reader), reuse.OwnerHash(c.writer)
		before := counters.Stamp(reader, c.reads)
		counters.Add(writer, c.writes, reuse.Begin)
		during := counters.Stamp(reader, c.reads)
		counters.Add(writer, c.writes, reuse.End)
		after := counters.Stamp(reader, c.reads)
		if (during != before) != c.stale || reuse.Writing(during) != c.stale || (after != before) != c.stale ||
			after == during && c.stale || reuse.Writing(after) {
			t.Errorf("%s: stamps %x, %x, %x, want stale: %t", c.name, before, during, after, c.stale)
		}
	}
}

func TestOwnIsTheStampOfOnesOwnWrite(t *testing.T) {
	for _, owner := range []middleware.Owner{{Session: "a"}, {}} {
		for _, resources := range [][]string{nil, {"x"}, {"x", "y"}, {"x", "y", "x"}} {
			var counters reuse.Counters
			hash := reuse.OwnerHash(owner)
			want := reuse.Own(counters.Stamp(hash, resources), owner, resources, reuse.Begin+reuse.End)
			counters.Add(hash, resources, reuse.Begin)
			counters.Add(hash, resources, reuse.End)
			if got := counters.Stamp(hash, resources); got != want {
				t.Errorf("%v of %v: got %x, want %x", resources, owner, got, want)
			}
			counters.Add(hash, resources, reuse.Begin)
			if got := counters.Stamp(hash, resources); got == want {
				t.Errorf("%v of %v: another write is not seen", resources, owner)
			}
		}
	}
}

func TestWhoWrites(t *testing.T) {
	for _, c := range []struct {
		tool        *toolkit.Definition
		named, want bool
	}{
		{nil, false, true}, {nil, true, false},
		{&toolkit.Definition{}, false, true}, {&toolkit.Definition{}, true, false},
		{&toolkit.Definition{ReadOnly: toolkit.Yes}, false, false},
		{&toolkit.Definition{ReadOnly: toolkit.No}, true, true},
		{&toolkit.Definition{Idempotent: toolkit.Yes}, false, true},
	} {
		scope := reuse.NewScope(nil, 0, 0)
		if c.named {
			scope = reuse.NewScope([]string{"it"}, 0, 0)
		}
		if _, got := scope.Classify("it", c.tool); got != c.want {
			t.Errorf("%v, named %t: got %t, want %t", c.tool, c.named, got, c.want)
		}
	}
}
