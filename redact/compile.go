// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// The first stage looks at three bytes at a time. Each byte is folded to one of 32
// classes, so three of them make 15 bits. A [filter] tells where anchors may begin; only
// there those are compared that begin with the same three.

// classOf folds a byte: letters in any case 1 to 26, digits, and a few kinds of
// punctuation; all else is 0. Of the rarest letters two share a class: q is as j, z as x.
var classOf = func() (t [256]uint8) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c-'a'+1, c-'a'+1
	}
	t['q'], t['Q'], t['z'], t['Z'] = t['j'], t['j'], t['x'], t['x']
	for c := byte('0'); c <= '9'; c++ {
		t[c] = classDigit
	}
	for class, of := range map[uint8]string{classBlank: " ()", classColon: ":~+", classJoin: "_-", classDot: "./", classAt: "@%", classEqual: "="} {
		for _, c := range []byte(of) {
			t[c] = class
		}
	}
	return t
}()

const (
	classOther = 0
	classBlank = 'q' - 'a' + 1 // blank and parentheses
	classColon = 'z' - 'a' + 1 // : ~ +
)

const (
	classDigit = 27 + iota
	classJoin  // '_' and '-'
	classDot   // . and /
	classAt    // @ and %
	classEqual // =
	classes    // how many there are
)

const trigrams = classes * classes * classes

// What to do where an anchor is found.
const (
	actDetector = iota // ask the detector
	actName            // a word that names of secrets have
	actURL             // "://"
	actScheme          // an HTTP authentication scheme
	actCommand         // a program that takes secrets as arguments
	actKnown           // a known value
	actManifest        // the kind of a Kubernetes Secret
)

// An entry is one anchor.
type entry struct {
	head, mask uint64 // the first eight bytes of lit as [word8] has them, and which there are
	lit        string // folded
	n          int32  // the detector, the program, or the known value
	act        uint8
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

// A machine finds anchors. It is immutable.
type machine struct {
	filter    filter
	group     [trigrams]uint16 // groups[group[t]] begins with t
	groups    []group          // the first one is empty
	entries   []entry
	detectors []detector
	known     []string
	optional  bool // kinds of numbers that are off by default are on
}

// allDetectors are the detectors of all kinds, in the order of precedence.
var allDetectors = sync.OnceValue(func() []detector {
	return slices.Concat(tokenDetectors(), personalDetectors)
})

// compile makes the machine for the kinds that are on and for known values.
func compile(on *kindSet, known []string) *machine {
	m := &machine{known: known}
	lists := make(map[int][]entry)
	var anchors []entry
	add := func(lit string, act uint8, n int32) {
		e := entry{lit: lit, act: act, n: n}
		e.head, e.mask = word8(lit, 0), ^uint64(0)>>(64-8*min(len(lit), 8))
		anchors = append(anchors, e)
		for _, t := range trigramsOf(lit) {
			if !slices.Contains(lists[t], e) {
				lists[t] = append(lists[t], e)
			}
		}
	}
	for _, d := range allDetectors() {
		if !on.has(d.kind) {
			continue
		}
		m.detectors = append(m.detectors, d)
		for _, a := range d.anchors {
			add(strings.ToLower(a), actDetector, int32(len(m.detectors)-1))
		}
	}
	for i, v := range known {
		add(fold(v), actKnown, int32(i))
	}
	for _, w := range nameAnchors {
		add(w, actName, 0)
	}
	for w := range vendors {
		add(w, actName, 0)
	}
	for _, w := range manifests {
		add(w, actManifest, 0)
	}
	for i, p := range programs {
		add(p.name, actCommand, int32(i))
	}
	for _, w := range schemes {
		add(w, actScheme, 0)
	}
	add("://", actURL, 0)
	m.optional = on.has(kindIPv4) || on.any(&nationalKinds)
	found := shapes(on)
	m.lay(lists, found)
	sought := make(sought, trigrams)
	sought.addNumbers(m.optional)
	sought.addWords()
	for _, e := range anchors {
		apart := !m.mayStandWithin(e)
		sought.addAnchor(e.lit, apart, apart && !m.groups[m.group[trigramsOf(e.lit)[0]]].within)
	}
	m.filter.lay(sought)
	return m
}

// shapes tells for each trigram which runs of digits and which words may begin with it (see
// [detector]).
func shapes(on *kindSet) *[trigrams]uint8 {
	out := new([trigrams]uint8)
	add := func(a, b, c int, shape uint8) { out[a*classes*classes+b*classes+c] |= shape }
	const d = classDigit
	for _, c := range []int{0, classBlank, classColon, classJoin, classDot, d} {
		add(d, d, c, shapeDigits)
	}
	if on.has(kindIPv4) {
		add(d, classDot, d, shapeDigits)
		add(d, classColon, d, shapeDigits)
	}
	for _, country := range strings.Fields(ibanCountries) {
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

// mayStandWithin reports whether an anchor may follow a letter or digit.
func (m *machine) mayStandWithin(e entry) bool {
	switch e.act {
	case actScheme, actCommand:
		return false
	case actDetector:
		return m.detectors[e.n].within || !isAlnum(e.lit[0])
	}
	return true
}

// lay writes the lists one behind the other, longer anchors first.
func (m *machine) lay(lists map[int][]entry, shapes *[trigrams]uint8) {
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
		g := group{from: uint16(len(m.entries)), shapes: shapes[t], within: shapes[t]&shapeDigits != 0 || slices.ContainsFunc(list, m.mayStandWithin)}
		for i := range list {
			if lit := list[i].lit; len(lit) > 3 {
				g.next |= 1 << classOf[lit[3]]
			} else {
				g.next = ^uint32(0)
			}
		}
		m.entries = append(m.entries, list...)
		g.to = uint16(len(m.entries))
		m.group[t] = uint16(len(m.groups))
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

func fold(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower[b[i]]
	}
	return string(b)
}

// machineFor is compile, with the machines without known values kept: there are few
// sets of kinds in a process.
func machineFor(on *kindSet, known []string) *machine {
	if len(known) > 0 {
		return compile(on, known)
	}
	if m, ok := machines.Load(*on); ok {
		return m.(*machine)
	}
	m := compile(on, nil)
	if machineCount.Add(1) <= 64 {
		machines.Store(*on, m)
	}
	return m
}

var (
	machines     sync.Map // kindSet to *machine
	machineCount atomic.Int32
)
