// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"slices"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// What a rule tells is shared by its calls; no call's record may write over it.
func TestToldIsNotTheRecords(t *testing.T) {
	told := newTold(Allow, DoorRules, "reads", true)
	want := slices.Clone(told.tags)
	for _, before := range [][]toolkit.Tag{nil, make([]toolkit.Tag, 0, 16), make([]toolkit.Tag, 1, 16)} {
		served := toolkit.Disposition{Tags: before}
		told.note(&served)
		if got := served.Tags[len(before):]; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		clear(served.Tags)
		if !slices.Equal(told.tags, want) {
			t.Fatalf("the record wrote over the rule's: %v", told.tags)
		}
	}
	full := toolkit.Disposition{Tags: make([]toolkit.Tag, maxTags-1)}
	if told.note(&full); len(full.Tags) != maxTags-1 {
		t.Errorf("got %d tags, want half a decision left out", len(full.Tags))
	}
}
