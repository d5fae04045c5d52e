// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// formSet has the templates of testdata/carriers/forms.txt and tableforms.txt. Rules followed the even lines of each
// section (half 0); of the odd ones only totals were looked at.
func formSet() *reviewSet {
	set := *freshSets["final"]
	set.dir, set.valid = "testdata/carriers/", nil
	return &set
}

// TestFurtherForms wants most secrets found in both halves of these forms. With -v it prints the forms of half 0 of which a
// value stays.
func TestFurtherForms(t *testing.T) {
	set := formSet()
	for _, c := range []struct {
		file string
		half int
		want float64
	}{{"forms.txt", 0, 91}, {"forms.txt", 1, 85},
		{"tableforms.txt", 0, 75}, {"tableforms.txt", 1, 86}} {
		r := &review{maker: maker{rand.New(rand.NewPCG(freshSeed, 61))}, reviewSet: set}
		sections, lines := set.file(t, c.file, c.half)
		sum, missed := new(reviewTally), ""
		for _, section := range sections {
			for _, line := range lines[section] {
				tally := new(reviewTally)
				for range 12 {
					r.begin()
					r.write(line)
					r.judge(Default(), tally, func(text, out string) {
						if c.half == 0 {
							missed += fmt.Sprintf("\n   %s: %q became %q", section, text, out)
						}
					})
				}
				if c.half == 0 && tally.found < tally.of {
					missed += fmt.Sprintf("\n%d of %d: %s", tally.of-tally.found, tally.of, line)
				}
				sum.of, sum.found = sum.of+tally.of, sum.found+tally.found
				sum.texts, sum.harmed = sum.texts+tally.texts, sum.harmed+tally.harmed
			}
		}
		got := percent(sum.found, sum.of)
		t.Logf("%s, half %d: %.1f %% of %d found, %.1f %% of texts harmed%s", c.file, c.half, got, sum.of,
			percent(sum.harmed, sum.texts), missed)
		if got < c.want {
			t.Errorf("%s, half %d: found %.1f %%, want %.0f", c.file, c.half, got, c.want)
		}
	}
}
