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
		if !occurs(words, w) {
			return false
		}
	}
	for _, w := range f.without {
		if occurs(words, w) {
			return false
		}
	}
	return true
}

// fieldMark stands before each field of a row's words, and behind it.
const fieldMark = "\x00"

// fieldNames are those of the fields that rows may have.
var fieldNames = []string{"tool:", "session:", "agent:", "outcome:", "status:", "dir:", "kind:", "method:", "id:"}

// occurs reports whether a row's words have a word, or the field that it names: one that begins so, and an id as a whole.
func occurs(words, word string) bool {
	for _, name := range fieldNames {
		if strings.HasPrefix(word, name) {
			if word = fieldMark + word; name == "id:" {
				word += fieldMark
			}
			break
		}
	}
	return strings.Contains(words, word)
}

// fieldWords are the fields of a row, which are given as names and values.
func fieldWords(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			b.WriteString(fieldMark + pairs[i] + ":" + pairs[i+1] + fieldMark)
		}
	}
	return b.String()
}

// statusWords are the fields of how a call ended: "" is a success.
func statusWords(errorType string) string {
	if errorType == "" {
		return fieldWords("status", "ok")
	}
	return fieldWords("status", "error", "status", errorType)
}
