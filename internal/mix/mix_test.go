// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mix

import "testing"

// TestHashesDiffer: neighbours, swapped hashes and zeros give different hashes, and few low bits coincide, with the
// keys of this process and with keys for which one product is not enough.
func TestHashesDiffer(t *testing.T) {
	for _, keys := range [][2]uint64{
		{keyA, keyB}, {0x0145e5ae38e542d7, 0xffec204ade771ba7}, {0x0c876b612a192cf, 0x11ff90dadf9295c},
		{0xfff1bb31fa0cd451, 0x1b76408853c329a},
	} {
		seen, slots := map[uint64]bool{}, map[uint64]int{}
		for a := range uint64(256) {
			for b := range uint64(256) {
				h := hashes(a, b, keys[0], keys[1])
				if seen[h] {
					t.Fatalf("%#x: %d, %d has the hash of another pair", keys, a, b)
				}
				seen[h] = true
				slots[h%16]++
			}
		}
		for slot, n := range slots {
			if n < 3000 || n > 5200 {
				t.Errorf("%#x: %d of 65536 hashes end with %d, want about 4096", keys, n, slot)
			}
		}
	}
}
