// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"
	"testing"
)

func TestDisguised(t *testing.T) {
	for path, want := range map[string]bool{
		"a/b.txt": false, "100%.txt": false, "a%20b": false, "..a/b..": false, ".../x": false, "x%2ey": false,
		"für/中.txt": false, "a:b": false, "%zz%u12": false, "": false,
		`a\..\b`: true, `..\x`: true, `\x`: true, "%2e%2e/x": true, "%2E%2e%2Fx": true, "..%2fx": true,
		"%252e%252e%252fx": true, "%25252e%25252e/x": true,
		"a/..%5cb": true, "%2fetc": true, "..%c0%afx": true, "%c0%ae%c0%ae/x": true, "%uff0e%uff0e/x": true,
		"\uff0e\uff0e/x": true, "..\u2215x": true,
		"x%00.png": true, "x%0ay": true, `C:\boot.ini`: true, "c:/x": true, "%25252525252525252e": true,
	} {
		if got := disguised(path); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}

// FuzzDisguised checks that an accepted path has no ".." however often it is decoded.
func FuzzDisguised(f *testing.F) {
	f.Add("%2e%2e%2f")
	f.Add(`a\..%252f`)
	f.Fuzz(func(t *testing.T, path string) {
		if disguised(path) {
			return
		}
		for range decodings {
			for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
				if part == ".." {
					t.Errorf("%q passes", path)
				}
			}
			path = unescape(path)
		}
	})
}
