// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// minWithin is the shortest anchor of a label that may stand within a word, as in dateOfBirth, in bytes.
const minWithin = 5

// commonWords are words of labels that most texts have.
var commonWords = Set("file account registration identification document reference card cards national service physical " +
	"permanent current delivery direct portable government individual born pass sort call back data date lives ship " +
	"deliver business member policy social health bank home work code legal short chi name nom nome nombre naam navn " +
	"namn first last full given family middle next complete completo birth emergency patient beneficiary " +
	"titular titulaire titolare")

// PersonalAnchors are what is looked for in texts to find the Latin labels of personal data: of each a word, or the
// part of one that has no accents. Those of minWithin letters or more may stand within a word. The labels are those
// of persons' names, or all others.
func PersonalAnchors(persons bool) (list []string) {
	var several []string
	eachLabel(func(kind kinds.ID, label string) {
		switch {
		case isForeign(label) || persons != (kind == PersonName):
		case strings.ContainsAny(label, " #"):
			several = append(several, label)
		default:
			list = append(list, wordAnchors(strings.TrimLeft(label, "~^"))...)
		}
	})
	list = withoutCovered(list)
	known := anchorSet(list)
	var more []string
	for _, label := range several {
		numbered := label[0] == '#'
		if label = strings.TrimLeft(label, "~#^"); !known.within(label, len(label)) {
			more = append(more, phraseAnchors(label, numbered)...)
		}
	}
	return withoutCovered(append(list, more...))
}

// wordAnchors are the anchors of a label, or a word of one, that has no blanks.
func wordAnchors(word string) []string {
	if run := longestRun(word); len(run) >= minWithin {
		return []string{run}
	}
	var w nameWords
	if folded := strings.Join(w.WordsOf(word), ""); folded != word {
		return []string{word, chars.FoldString(strings.ToUpper(word)), folded}
	}
	return []string{word}
}

// phraseAnchors are the anchors of a label of several words: those of the longest word, or, if all are short or
// frequent, the words with a separator between them.
func phraseAnchors(label string, numbered bool) (list []string) {
	longest := ""
	words := strings.FieldsFunc(label, func(r rune) bool { return strings.ContainsRune(" -.'()", r) })
	for _, word := range words {
		if len(word) > len(longest) && !commonWords[word] && !numberWords[word] && !qualifiers[word] &&
			(len(words) == 1 || !isPerson(word)) {
			longest = word
		}
	}
	if len(longest) > 3 {
		return wordAnchors(longest)
	}
	if numbered {
		words = append(words, "n")
	}
	for _, sep := range [...]string{" ", "_", "-", "+", "", ". ", "'s "} {
		list = append(list, strings.Join(words, sep))
	}
	return list
}

// longestRun is the longest run of ASCII letters in a word.
func longestRun(word string) (run string) {
	for i := 0; i < len(word); {
		end := max(i+1, chars.Skip(word, i, chars.Lower|chars.Upper))
		if end-i > len(run) && chars.IsLetter(word[i]) {
			run = word[i:end]
		}
		i = end
	}
	return run
}

// anchors is a set of them.
type anchors map[string]bool

func anchorSet(list []string) anchors {
	set := make(anchors, len(list))
	for _, anchor := range list {
		set[anchor] = true
	}
	return set
}

// within reports whether a part of s of most bytes or fewer is one of the anchors that are found within words.
func (set anchors) within(s string, most int) bool {
	for i := range len(s) {
		for end := i + minWithin; end <= len(s); end++ {
			if end-i <= most && set[s[i:end]] {
				return true
			}
		}
	}
	return false
}

// withoutCovered drops the anchors that hold another one which is found within words, and those that come twice.
func withoutCovered(list []string) (kept []string) {
	set := anchorSet(list)
	for _, anchor := range list {
		if !set.within(anchor, len(anchor)-1) {
			kept = append(kept, anchor)
		}
	}
	seen := make(anchors, len(kept))
	unique := kept[:0]
	for _, anchor := range kept {
		if !seen[anchor] {
			seen[anchor] = true
			unique = append(unique, anchor)
		}
	}
	return unique
}
