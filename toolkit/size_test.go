// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"strconv"
	"testing"
	"unsafe"
)

// TestSizes: each layer about a tool copies a call and a result. The compiler does so in pieces
// of two words; a word that is left over is copied by a piece that overlaps the one before,
// which waits for it: a fifth of a cache hit.
func TestSizes(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("the sizes of 64-bit processors")
	}
	for name, size := range map[string]uintptr{"Call": unsafe.Sizeof(Call{}), "Result": unsafe.Sizeof(Result{})} {
		if size%16 != 0 {
			t.Errorf("%s: got %d bytes, want a multiple of 16: mend the blank field at its end", name, size)
		}
	}
}
