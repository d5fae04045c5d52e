// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import "strings"

// filter is words that a row has, and words that it has not.
type filter struct{ with, without []string }

// parseFilter reads what a person typed: words that must all occur, in any case, and
// words behind a "-" that must not. Nil lets everything through.
func parseFilter(text string) *filter {
	var f filter
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if not, found := strings.CutPrefix(w, "-"); found && not != "" {
			f.without = append(f.without, not)
			continue
		}
		f.with = append(f.with, w)
	}
	if len(f.with)+len(f.without) == 0 {
		return nil
	}
	return &f
}

func (f *filter) fits(words string) bool {
	words = strings.ToLower(words)
	for _, w := range f.with {
		if !strings.Contains(words, w) {
			return false
		}
	}
	for _, w := range f.without {
		if strings.Contains(words, w) {
			return false
		}
	}
	return true
}
