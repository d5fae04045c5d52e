// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// nearBy is how far before a number a word may stand that says what it is, in bytes.
const nearBy = 48

// near reports whether one of the words stands shortly before i. Of our own marks
// nothing counts, also where one begins farther away.
func near(s string, i int, words ...string) bool {
	from := max(0, i-nearBy)
	if !containsOne(s[from:i], words) {
		return false
	}
	seen := s[max(0, from-maxMark):i]
	if m := strings.LastIndex(seen, markHead); m >= 0 {
		if end := strings.IndexByte(seen[m:], ']'); end >= 0 {
			from = max(from, i-len(seen)+m+end+1)
		}
	}
	return containsOne(s[from:i], words)
}

// containsOne reports whether one of the words, which are in lower case, occurs in s.
func containsOne(s string, words []string) bool {
	for _, w := range words {
		if containsFold(s, w) {
			return true
		}
	}
	return false
}
