// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true}, {"*.go", "a/b.go", false}, {"**/*.go", "a.go", true}, {"**/*.go", "a/b/c.go", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/b/b/c", true}, {"a/**/c", "b/c", false}, {"a/**", "a/b/c", true}, {"**", "a/b", true},
		{"a/?.go", "a/b.go", true}, {"a/[bc]/d", "a/c/d", true},
	} {
		if got := glob(strings.Split(test.pattern, "/"), strings.Split(test.path, "/")); got != test.want {
			t.Errorf("%s on %s: got %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
	// Many ** must not take exponential time.
	glob(strings.Split(strings.Repeat("**/a/", 200)+"b", "/"), strings.Split(strings.Repeat("a/", 500)+"c", "/"))
}
