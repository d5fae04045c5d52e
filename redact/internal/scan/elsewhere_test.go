// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"
	"testing"
)

// TestIndexRare: it finds what the library finds, in texts in which the byte it looks for is
// frequent or stands at an end.
func TestIndexRare(t *testing.T) {
	for _, v := range []string{"aB3aB3aB3", "0a1f0a1f0a1f", "zzzz9", "9zzzz", "A1"} {
		for _, text := range []string{v, v[1:] + v, v + v, strings.Repeat(v[:len(v)-1], 50) + v,
			strings.Repeat("9A", 40) + v, "x" + v[1:], v[:len(v)-1], ""} {
			for at := range len(text) + 1 {
				want := strings.Index(text[at:], v)
				if want >= 0 {
					want += at
				}
				if got := indexRare(text, v, at); got != want {
					t.Fatalf("%q in %q from %d: got %d, want %d", v, text, at, got, want)
				}
			}
		}
	}
}
