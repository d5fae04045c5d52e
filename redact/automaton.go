// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "slices"

// An act is what to do where an anchor is found.
type act uint8

const (
	actDetector act = iota // ask the detector
	actName                // a word that names of secrets have
	actURL                 // "://"
	actScheme              // an HTTP authentication scheme
	actCommand             // a program that takes secrets as arguments
	actKnown               // a known value
	actManifest            // the kind of a Kubernetes Secret
)

// An entry is one anchor.
type entry struct {
	head, mask uint64 // the first eight bytes of lit as [word8] has them, and which there are
	lit        string // folded
	n          int32  // the detector, the program, or the known value
	act        act
	within     bool // it may follow a letter or digit
}

// begins reports whether the entry's anchor stands at i, where head is the folded word of
// the text.
func (e *entry) begins(s string, i int, head uint64) bool {
	return head&e.mask == e.head && (len(e.lit) <= 8 || hasFold(s, i+8, e.lit[8:])) && len(e.lit) <= len(s)-i
}

// A group is what begins with one trigram.
type group struct {
	from, to uint16 // the anchors are entries[from:to]
	next     uint32 // the classes that the byte after the trigram has in one of them
	shapes   uint8  // what has no anchor
	within   bool   // one of them may stand within a word
}

// The shapes without an anchor (see [detector]).
const (
	shapeDigits = 1 << iota
	shapeWord
)

// An anchor is a literal, in lower case, and what to do where it is found.
type anchor struct {
	lit    string
	act    act
	n      int32 // which one of the act's
	within bool  // it may follow a letter or digit
}

// runs are what is found without a literal (see [detector]).
type runs struct {
	dotted bool     // runs of digits that begin with one digit and a dot or colon
	short  bool     // runs of two digits
	words  []string // two letters each, with which words begin that go on with a digit
}

// An automaton finds anchors and runs. It is immutable.
type automaton struct {
	filter  filter
	groupOf [trigrams]uint16 // groups[groupOf[t]] begins with t
	groups  []group          // the first one is empty
	entries []entry
}

// newAutomaton makes one that finds anchors and runs.
func newAutomaton(anchors []anchor, f *runs) *automaton {
	m := new(automaton)
	lists := make(map[int][]entry)
	for _, a := range anchors {
		e := entry{lit: a.lit, act: a.act, n: a.n, within: a.within}
		e.head, e.mask = word8(a.lit, 0), ^uint64(0)>>(64-8*min(len(a.lit), 8))
		for _, t := range trigramsOf(a.lit) {
			if !slices.Contains(lists[t], e) {
				lists[t] = append(lists[t], e)
			}
		}
	}
	m.lay(lists, f.shapes())
	sought := make(sought, trigrams)
	sought.addNumbers(f.short)
	sought.addWords(f.words)
	for _, a := range anchors {
		sought.addAnchor(a.lit, !a.within, !a.within && !m.groups[m.groupOf[trigramsOf(a.lit)[0]]].within)
	}
	m.filter.lay(sought)
	return m
}

// group is what may begin at i.
func (m *automaton) group(s string, i int) *group { return &m.groups[m.groupOf[trigramAt(s, i)]] }

// list is which anchors of a group may stand at i, by the byte behind its trigram.
func (m *automaton) list(g *group, s string, i int) []entry {
	if i+3 >= len(s) || g.next>>classIndex(s[i+3])&1 != 0 {
		return m.entries[g.from:g.to]
	}
	return nil
}

// shapes tells for each trigram which runs of digits and which words may begin with it (see
// [detector]).
func (f *runs) shapes() *[trigrams]uint8 {
	out := new([trigrams]uint8)
	add := func(a, b, c int, shape uint8) { out[a*classes*classes+b*classes+c] |= shape }
	const d = classDigit
	for _, c := range []int{0, classBlank, classColon, classJoin, classDot, d} {
		add(d, d, c, shapeDigits)
	}
	if f.dotted {
		add(d, classDot, d, shapeDigits)
		add(d, classColon, d, shapeDigits)
	}
	for _, country := range f.words {
		add(int(classOf[country[0]]), int(classOf[country[1]]), d, shapeWord)
	}
	for _, c := range alnumClasses {
		for _, e := range alnumClasses {
			add(d, c, e, shapeWord) // base58
		}
	}
	for _, a := range hexClasses {
		for _, b := range hexClasses {
			add(a, b, classJoin, shapeWord)
			add(a, b, classColon, shapeWord)
		}
	}
	return out
}

// lay writes the lists one behind the other, longer anchors first.
func (m *automaton) lay(lists map[int][]entry, shapes *[trigrams]uint8) {
	m.groups = make([]group, 1, len(lists)+1)
	for t := range trigrams {
		list := lists[t]
		if len(list) == 0 && shapes[t] == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b entry) int {
			if (a.act == actName) != (b.act == actName) { // forms before names
				return int(a.act) - int(b.act)
			}
			return len(b.lit) - len(a.lit)
		})
		g := group{from: uint16(len(m.entries)), shapes: shapes[t], within: shapes[t]&shapeDigits != 0 || slices.ContainsFunc(list, func(e entry) bool { return e.within })}
		for i := range list {
			if lit := list[i].lit; len(lit) > 3 {
				g.next |= 1 << classOf[lit[3]]
			} else {
				g.next = ^uint32(0)
			}
		}
		m.entries = append(m.entries, list...)
		g.to = uint16(len(m.entries))
		m.groupOf[t] = uint16(len(m.groups))
		m.groups = append(m.groups, g)
	}
}

// trigramsOf lists what the first three bytes of a folded literal may be.
func trigramsOf(lit string) []int {
	out := []int{0}
	for i := range 3 {
		var next []int
		for _, t := range out {
			if i < len(lit) {
				next = append(next, t*classes+int(classOf[lit[i]]))
				continue
			}
			for c := range classes {
				next = append(next, t*classes+c)
			}
		}
		out = next
	}
	return out
}
