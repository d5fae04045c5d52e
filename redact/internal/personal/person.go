// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// maxNameWords is how many words a person's name has at most.
const maxNameWords = 6

// nameParticles stand between the words of a name.
var nameParticles = names.Set("de da do dos das di del della la le les van von der den ter ten bin binti ibn al el y e " +
	"of zu af av")

// noNames are words with a capital that are no name of a person, but of what stands in its place.
var noNames = names.Set("none null unknown string required optional text name first last full true false yes no n/a the " +
	"admin user test example anonymous empty missing invalid value field varchar not type default your enter is must " +
	"max min length please")

// nameForm is a person's name: words with capitals, or letters of a script without them, and particles between them.
func nameForm(s string, i int) int {
	end, last, p, words := 0, 0, i, 0
	for words < maxNameWords && p < len(s) {
		q := nameWord(s, p)
		if q == p {
			break
		}
		word := s[p:q]
		r, _ := utf8.DecodeRuneInString(word)
		switch {
		case nameParticles[word] && words > 0:
		case !unicode.IsUpper(r) && unicode.IsLower(r), noNames[strings.ToLower(word)], isCamel(word):
			return end
		default:
			words++
			end, last = q, q-p
			if q < len(s) && s[q] == '.' && q-p <= 2 { // an initial
				q++
			}
		}
		if q < len(s) && s[q] == ',' && words == 1 && q+1 < len(s) && s[q+1] == ' ' { // Whitaker, Denise
			q++
		}
		if q >= len(s) || s[q] != ' ' && s[q] != '+' && !strings.HasPrefix(s[q:], "\u3000") {
			break
		}
		p = q + 1
		if s[q] >= 0x80 {
			p = q + len("\u3000")
		}
	}
	if end < len(s) && end > 0 && (chars.IsDigit(s[end]) || strings.IndexByte("_/(=[{@:\\", s[end]) >= 0) {
		return 0
	}
	if end+1 < len(s) && s[end] == '.' && last > longestTitle && chars.IsLetter(s[end+1]) {
		return 0 // NUnit.Tests
	}
	return end
}

// longestTitle is the length of the longest word that a dot and the next word of a name follow directly: Prof.Ann.
const longestTitle = 4

// nameWord is where the word at p ends: letters and marks, with hyphens and apostrophes within.
func nameWord(s string, p int) int {
	q := p
	for q < len(s) && (chars.IsLetter(s[q]) || s[q] >= 0x80 || q > p && strings.IndexByte("-'", s[q]) >= 0) {
		r, n := utf8.DecodeRuneInString(s[q:])
		if s[q] >= 0x80 && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		q += n
	}
	for q > p && s[q-1] == '\'' { // a quote
		q--
	}
	return q
}

// isCamel reports whether a word has a small letter before a capital, as names in source code have, but for McAdams.
func isCamel(word string) bool {
	for i := 3; i < len(word); i++ {
		if chars.IsUpper(word[i]) && chars.Class[word[i-1]]&chars.Lower != 0 {
			return true
		}
	}
	return false
}
