// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mix_test

import (
	"testing"

	"github.com/toolscope/toolscope/internal/mix"
)

// TestHashesDiffer: neighbours, swapped hashes and zeros give different hashes, and few low bits coincide.
func TestHashesDiffer(t *testing.T) {
	seen, slots := map[uint64]bool{}, map[uint64]int{}
	for a := range uint64(256) {
		for b := range uint64(256) {
			h := mix.Hashes(a, b)
			if seen[h] {
				t.Fatalf("%d, %d has the hash of another pair", a, b)
			}
			seen[h] = true
			slots[h%16]++
		}
	}
	for slot, n := range slots {
		if n < 3000 || n > 5200 {
			t.Errorf("%d of 65536 hashes end with %d, want about 4096", n, slot)
		}
	}
}
