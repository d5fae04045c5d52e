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
	"max min length please amazon aws")

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
			if i > 0 && (s[i-1] == '\'' || s[i-1] == '"') { // a text goes on
				return 0
			}
			return end
		default:
			words++
			end, last = q, q-p
			if q < len(s) && s[q] == '.' && q-p <= 2 { // an initial
				q++
			}
		}
		if strings.HasPrefix(s[q:], ", ") && words == 1 { // Whitaker, Denise
			q++
		}
		gap := nameGap(s, q)
		if gap == 0 {
			break
		}
		p = q + gap
	}
	if end > 0 && (end < len(s) && isCodeBehind(s, end, last) || names.Classify(s[i:end]).Kind == names.PersonName) {
		return 0 // or what a form calls a name
	}
	return end
}

// nameGap is the length of what separates the words of a name at q: a blank, a plus sign as in a URL, an
// ideographic space. It is 0 if nothing does.
func nameGap(s string, q int) int {
	switch {
	case q < len(s) && (s[q] == ' ' || s[q] == '+'):
		return 1
	case strings.HasPrefix(s[q:], "\u3000"):
		return len("\u3000")
	}
	return 0
}

// isCodeBehind reports whether the character at end shows that the words before it are no name but a part of
// a path, an assignment or a call; last is the length of the last of the words.
func isCodeBehind(s string, end, last int) bool {
	if s[end] == '.' { // NUnit.Tests
		return (last > longestTitle || last > 1 && chars.IsUpper(s[end-1])) && end+1 < len(s) && chars.IsLetter(s[end+1])
	}
	return chars.IsDigit(s[end]) || strings.IndexByte("_/(=[{@:\\", s[end]) >= 0
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

// isCamel reports whether a word has a small letter before a capital, as names in source code have, but for McAdams and MacAdam.
func isCamel(word string) bool {
	i := 3
	if strings.HasPrefix(word, "Mac") {
		i = 4
	}
	for ; i < len(word); i++ {
		if chars.IsUpper(word[i]) && chars.Class[word[i-1]]&chars.Lower != 0 {
			return true
		}
	}
	return false
}
