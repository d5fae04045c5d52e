// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/personal"
)

// maxLabel is how far behind the name of personal data a digit has to stand, in bytes.
const maxLabel = 48

// labelHit looks at the name of personal data around the word [i,end) and at the value behind it.
func (sc *Scanner) labelHit(s string, i, end int) int {
	if i < sc.named {
		return 0
	}
	stop := wordEnd(s, end)
	if !digitAhead(s, end) && !(stop < len(s) && (s[stop] == '"' || s[stop] == '\'')) {
		return 0
	}
	start := wordsBack(s, i)
	for extra := 2; extra >= 0; extra-- {
		last, ok := stop, true
		for range extra {
			if last, ok = nextWord(s, last); !ok {
				break
			}
		}
		if !ok {
			continue
		}
		v := sc.classify(s[max(start, last-names.MaxName):last])
		if isPersonal(v) {
			return sc.personalHit(s, i, last, v)
		}
	}
	return 0
}

// personalHit removes the value that belongs to the name [start,stop) of personal data: below it, in the
// next cell or element, or behind it.
func (sc *Scanner) personalHit(s string, start, stop int, v names.Verdict) int {
	if !sc.quick && sc.tableHit(s, start, stop) {
		return 0
	}
	sc.named = max(sc.named, stop)
	sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
	at, bound := personal.Gap(s, stop)
	sc.Count(at - stop + 1)
	if at >= len(s) || !bound {
		switch {
		case stop >= len(s):
		case sc.quick: // the name is a string, or the text of an element, and its value another one
			sc.suspect = sc.suspect || s[stop] == '"' || s[stop] == '\'' || s[stop] == '.' || s[stop] == '<'
		default:
			if from, to := operands.FilledValue(s, start, stop); to > from && personal.Fits(v.Kind, s[from:to]) {
				return sc.takeSpan(s, from, to, v.Kind)
			}
			sc.elementHit(s, stop, v)
		}
		return 0
	}
	to := personal.Labelled(v.Kind, s, at)
	if to <= at {
		return 0
	}
	return sc.takeSpan(s, at, to, v.Kind)
}

func digitAhead(s string, end int) bool {
	for p := end; p < len(s) && p-end < maxLabel; p++ {
		if chars.IsDigit(s[p]) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool { return chars.IsLetter(c) || c >= 0x80 }

// wordsBack is where the name begins that goes on at i: up to four words with single separators
// between them.
func wordsBack(s string, i int) int {
	p := i
	for range 5 {
		for p > 0 && i-p < names.MaxName && isWordByte(s[p-1]) {
			p--
		}
		if p < 2 || i-p >= names.MaxName || s[p-1] != ' ' && s[p-1] != '_' && s[p-1] != '-' && s[p-1] != '+' &&
			s[p-1] != '\'' || !isWordByte(s[p-2]) {
			break
		}
		p--
	}
	return max(p, i-names.MaxName)
}

func wordEnd(s string, p int) int {
	for p < len(s) && isWordByte(s[p]) {
		p++
	}
	return p
}

// nextWord is the end of the word behind a single separator at p.
func nextWord(s string, p int) (end int, ok bool) {
	if p+1 >= len(s) || s[p] != ' ' && s[p] != '_' && s[p] != '-' && s[p] != '+' && s[p] != '\'' ||
		!isWordByte(s[p+1]) {
		return p, false
	}
	return wordEnd(s, p+1), true
}
