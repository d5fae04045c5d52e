// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package marks

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// NearBy is how far before a number a word may stand that says what it is, in bytes.
const NearBy = 48

// Near reports whether one of the words stands shortly before i. Of our own marks
// nothing counts, also where one begins farther away.
func Near(s string, i int, words ...string) bool {
	from := max(0, i-NearBy)
	if !containsOne(s[from:i], words) {
		return false
	}
	seen := s[max(0, from-Max):i]
	if m := strings.LastIndex(seen, Head); m >= 0 {
		if end := strings.IndexByte(seen[m:], ']'); end >= 0 {
			from = max(from, i-len(seen)+m+end+1)
		}
	}
	return containsOne(s[from:i], words)
}

// containsOne reports whether one of the words, which are in lower case, occurs in s.
func containsOne(s string, words []string) bool {
	for _, w := range words {
		if chars.ContainsFold(s, w) {
			return true
		}
	}
	return false
}
