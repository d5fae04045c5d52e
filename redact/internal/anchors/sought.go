// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anchors

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
)

// Sets of classes.
const (
	anyClass = 1<<classes - 1
	digitSet = 1 << classDigit
	alnumSet = anyClass &^ (1<<classOther | 1<<classBlank | 1<<classColon | 1<<classJoin |
		1<<classDot | 1<<classAt | 1<<classBeyond)
	apartSet     = anyClass &^ alnumSet
	separatorSet = 1<<classBlank | 1<<classJoin | 1<<classDot // of digits
	hexSet       = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | digitSet
)

// The same as lists.
var (
	alnumClasses = classesOf(alnumSet)
	apartClasses = classesOf(apartSet)
	hexClasses   = classesOf(hexSet)
)

func classesOf(set uint32) (list []int) {
	for c := range classes {
		if set>>c&1 != 0 {
			list = append(list, c)
		}
	}
	return list
}

// Reach is how far before its trigram an anchor may begin, in bytes.
const Reach = 6

// sought tells of each trigram what a filter looks for by it, apart for each place where anchors begin.
type sought struct {
	of     [trigrams]uint16 // the first of the places of t; 0: there is none
	places []soughtPlace    // the first one is none
}

type soughtPlace struct {
	neighbours
	next uint16 // of the same trigram; 0: there is none
}

// place is that of what begins offset bytes before the trigram t.
func (f *sought) place(t, offset int) *neighbours {
	begins := uint8(1) << (Reach - offset)
	for k := f.of[t]; k != 0; k = f.places[k].next {
		if n := &f.places[k].neighbours; n.begins == begins {
			return n
		}
	}
	f.places = append(f.places, soughtPlace{neighbours{begins: begins}, f.of[t]})
	f.of[t] = uint16(len(f.places) - 1)
	return &f.places[f.of[t]].neighbours
}

// addTrigram makes the filter find what begins offset bytes before the trigram t.
func (f *sought) addTrigram(t, offset int, before, behind uint32) {
	n := f.place(t, offset)
	n.before, n.behind, n.number = n.before|before, n.behind|behind, false
}

// addNumbers makes the filter find runs of digits (see [detector]), where two digits first stand
// together in one; [scanner.anchors] knows of those that go on where one was left. short tells
// that two digits alone may be something.
func (f *sought) addNumbers(short bool) {
	const d, other = classDigit, anyClass &^ digitSet
	if short {
		for _, before := range classesOf(other) {
			f.addTrigram(trigramOf(before, d, d), -1, anyClass, anyClass)
		}
		f.addTrigram(trigramOf(d, classDot, d), 0, anyClass, anyClass)
		f.addTrigram(trigramOf(d, classColon, d), 0, anyClass, anyClass)
		return
	}
	for _, before := range classesOf(other) {
		t, behind := trigramOf(before, d, d), uint32(separatorSet|digitSet)
		if apartSet>>before&1 != 0 { // base58
			behind |= alnumSet
		}
		if separatorSet>>before&1 != 0 { // the last digits of a number whose others all stand alone
			behind = anyClass
		}
		f.addTrigram(t, -1, anyClass, behind)
		f.place(t, -1).number = true
	}
}

// addWords makes the filter find the words that have no anchor (see [detector]).
func (f *sought) addWords(words []string) {
	const d = classDigit
	for _, letter := range classesOf(alnumSet &^ digitSet) { // base58; behind two digits as a number
		for _, before := range apartClasses {
			f.addTrigram(trigramOf(before, d, letter), -1, anyClass, alnumSet)
		}
	}
	for _, country := range words {
		f.addTrigram(trigramOf(int(classOf[country[0]]), int(classOf[country[1]]), d), 0, apartSet, digitSet)
	}
	for _, a := range hexClasses { // MAC
		for _, b := range hexClasses {
			f.addTrigram(trigramOf(a, classJoin, b), 1, hexSet, hexSet)
			f.addTrigram(trigramOf(a, classColon, b), 1, hexSet, hexSet)
		}
	}
}

func trigramOf(a, b, c int) int { return (a*classes+b)*classes + c }

// addAnchor makes the filter find a folded literal. apart tells that it may not follow a letter
// or a digit, alone that nothing with the same head may.
func (f *sought) addAnchor(lit string, apart, alone bool) {
	if len(lit) == 2 && apart { // with the byte before, which is none of these
		for _, before := range apartClasses {
			f.addTrigram(trigramOf(before, int(classOf[lit[0]]), int(classOf[lit[1]])), -1, anyClass, anyClass)
		}
		return
	}
	best, least := 0, f.cost(lit)
	for offset := 1; offset <= min(Reach, len(lit)-3); offset++ {
		if n := f.cost(lit[offset:]); n < least {
			best, least = offset, n
		}
	}
	before, behind := uint32(anyClass), uint32(anyClass)
	switch {
	case best > 0:
		before = 1 << classOf[lit[best-1]]
	case alone:
		before = apartSet
	}
	if best+3 < len(lit) {
		behind = 1 << classOf[lit[best+3]]
	}
	for _, t := range trigramsOf(lit[best:]) {
		f.addTrigram(t, best, before, behind)
	}
}

// sharing makes a trigram that is sought already count as half as frequent: a place that has one is examined once,
// whatever number of anchors it is for.
const sharing = 2

// cost is how frequent the three bytes at the head of a folded literal are; less if they are sought already.
func (f *sought) cost(lit string) int {
	n := frequency(lit)
	if len(lit) >= 3 && f.of[trigramsOf(lit[:3])[0]] != 0 {
		n -= sharing
	}
	return n
}

// frequencies are twice the binary logarithms of how many bytes in a thousand are of each
// class, in hexadecimal digits.
const frequencies = "cc7aad88ac35a9cc9ebbc967579b6952"

// frequency is how frequent the three bytes at the head of a folded literal are, as a
// logarithm.
func frequency(lit string) int {
	n := 0
	for i := range min(len(lit), 3) {
		n += chance.Level16(frequencies[classOf[lit[i]]])
		switch {
		case i == 0:
		case chars.IsLetter(lit[i-1]) && chars.IsLetter(lit[i]):
			n += (chance.Level16(chance.Bigrams[int(lit[i-1]-'a')*26+int(lit[i]-'a')]) - 10) * 4 / 3
		case chars.IsDigit(lit[i-1]) && chars.IsDigit(lit[i]):
			n += 9 // digits come together
		case lit[i-1] == ':' && chars.IsDigit(lit[i]):
			n += 3 // the numbers of JSON
		}
	}
	return n
}
