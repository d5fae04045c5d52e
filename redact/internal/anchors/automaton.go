// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anchors

import (
	"slices"

	"github.com/toolscope/toolscope/internal/chars"
)

// An Act is what to do where an anchor is found.
type Act uint8

const (
	ActDetector Act = iota // ask the detector
	ActName                // a word that names of secrets have
	ActURL                 // "://"
	ActScheme              // an HTTP authentication scheme
	ActCommand             // a program that takes secrets as arguments
	ActKnown               // a known value
	ActManifest            // the kind of a Kubernetes Secret
	ActLabel               // a word that names of personal data have
	ActPattern             // a pattern of the host
	ActForeign             // a word for a password that is no name in source code
)

// An Entry is one anchor.
type Entry struct {
	head, mask uint64 // the first eight bytes of lit as [Word8] has them, and which there are
	Lit        string // folded
	N          int32  // the detector, the program, or the known value
	Act        Act
	Within     bool // it may follow a letter or digit
}

// MayBegin reports whether the first eight bytes of the entry's anchor are those of head, the folded word of the
// text. It is inlined where entries are asked one after the other.
func (e *Entry) MayBegin(head uint64) bool { return head&e.mask == e.head }

// Begins reports whether the entry's anchor stands at i, where head is the folded word of
// the text.
func (e *Entry) Begins(s string, i int, head uint64) bool {
	return head&e.mask == e.head && (len(e.Lit) <= 8 || chars.HasFold(s, i+8, e.Lit[8:])) && len(e.Lit) <= len(s)-i
}

// A group is what begins with one trigram.
type group struct {
	from, to uint16 // the anchors are entries[from:to]
	next     uint32 // the classes that the byte after the trigram has in one of them
	Shapes   uint8  // what has no anchor
	Within   bool   // one of them may stand within a word
	heads    *heads // of the anchors, if the classes of their bytes tell little; else nil
}

// Heads are the anchors of a group in the order of a hash of their first four bytes, in lower case: scripts beyond
// ASCII have many anchors, whose bytes are all of one class.
type heads struct {
	set   [buckets]uint64     // of the hashes
	until [buckets + 1]uint16 // the anchors of bucket n are entries[from+until[n]:from+until[n+1]]
}

const buckets = 64

// headHash is of 12 bits, of which the upper ones tell the bucket.
func headHash(a, b, c, d byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(chars.Fold[d])<<24) * 0x9e3779b1 >> 20
}

// headsOf returns the heads of anchors that begin with three bytes beyond ASCII, and orders these by bucket; nil if
// one has only three bytes.
func headsOf(list []Entry) *heads {
	h := new(heads)
	var lists [buckets][]Entry
	for _, e := range list {
		if len(e.Lit) < 4 {
			return nil
		}
		n := headHash(e.Lit[0], e.Lit[1], e.Lit[2], e.Lit[3])
		h.set[n/64] |= 1 << (n % 64)
		lists[n/64] = append(lists[n/64], e)
	}
	n := 0
	for i := range lists {
		n += copy(list[n:], lists[i])
		h.until[i+1] = uint16(n)
	}
	return h
}

// The shapes without an anchor (see [detector]).
const (
	ShapeDigits = 1 << iota
	ShapeWord
)

// An Anchor is a literal, in lower case, and what to do where it is found.
type Anchor struct {
	Lit    string
	Act    Act
	N      int32 // which one of the act's
	Within bool  // it may follow a letter or digit
}

// Runs are what is found without a literal (see [detector]).
type Runs struct {
	Dotted bool     // Runs of digits that begin with one digit and a dot or colon
	Short  bool     // Runs of two digits
	Words  []string // two letters each, with which words begin that go on with a digit
}

// An Automaton finds anchors and runs. It is immutable.
type Automaton struct {
	Filter  Filter
	groupOf [trigrams]uint16 // groups[groupOf[t]] begins with t
	groups  []group          // the first one is empty
	Entries []Entry
}

// NewAutomaton makes one that finds anchors and runs.
func NewAutomaton(anchors []Anchor, f *Runs) *Automaton {
	m := new(Automaton)
	lists := make(map[int][]Entry)
	for _, a := range anchors {
		e := Entry{Lit: a.Lit, Act: a.Act, N: a.N, Within: a.Within}
		e.head, e.mask = chars.Word8(a.Lit, 0), ^uint64(0)>>(64-8*min(len(a.Lit), 8))
		for _, t := range trigramsOf(a.Lit) {
			if !slices.Contains(lists[t], e) {
				lists[t] = append(lists[t], e)
			}
		}
	}
	m.lay(lists, f.shapes())
	sought := &sought{places: make([]soughtPlace, 1)}
	sought.addNumbers(f.Short)
	sought.addWords(f.Words)
	for _, short := range [...]bool{true, false} { // the long ones may share the trigrams of the short ones
		for _, a := range anchors {
			if short == (len(a.Lit) <= 3) {
				sought.addAnchor(a.Lit, !a.Within, !a.Within && !m.groups[m.groupOf[trigramsOf(a.Lit)[0]]].Within)
			}
		}
	}
	m.Filter.lay(sought)
	return m
}

// Group is what may begin at i.
func (m *Automaton) Group(s string, i int) *group { return &m.groups[m.groupOf[trigramAt(s, i)]] }

// List is which anchors of a group may stand at i, by the byte behind its trigram.
func (m *Automaton) List(g *group, s string, i int) []Entry {
	if i+3 >= len(s) {
		return m.Entries[g.from:g.to]
	}
	if g.next>>classIndex(s[i+3])&1 == 0 {
		return nil
	}
	if h := g.heads; h != nil {
		n := headHash(s[i], s[i+1], s[i+2], s[i+3])
		if h.set[n/64]>>(n%64)&1 == 0 {
			return nil
		}
		return m.Entries[g.from+h.until[n/64] : g.from+h.until[n/64+1]]
	}
	return m.Entries[g.from:g.to]
}

// shapes tells for each trigram which runs of digits and which words may begin with it (see
// [detector]).
func (f *Runs) shapes() *[trigrams]uint8 {
	out := new([trigrams]uint8)
	add := func(a, b, c int, shape uint8) { out[a*classes*classes+b*classes+c] |= shape }
	const d = classDigit
	for _, c := range []int{0, classBlank, classColon, classJoin, classDot, d} {
		add(d, d, c, ShapeDigits)
	}
	if f.Dotted {
		add(d, classDot, d, ShapeDigits)
		add(d, classColon, d, ShapeDigits)
	}
	for _, country := range f.Words {
		add(int(classOf[country[0]]), int(classOf[country[1]]), d, ShapeWord)
	}
	for _, c := range alnumClasses {
		for _, e := range alnumClasses {
			add(d, c, e, ShapeWord) // base58
		}
	}
	for _, a := range hexClasses {
		for _, b := range hexClasses {
			add(a, b, classJoin, ShapeWord)
			add(a, b, classColon, ShapeWord)
		}
	}
	return out
}

// comesBefore reports whether a is asked before b: forms before names, and longer anchors first.
func comesBefore(a, b *Entry) bool {
	if (a.Act == ActName) != (b.Act == ActName) {
		return a.Act < b.Act
	}
	return len(a.Lit) > len(b.Lit)
}

// lay writes the lists one behind the other, longer anchors first.
func (m *Automaton) lay(lists map[int][]Entry, shapes *[trigrams]uint8) {
	m.groups = make([]group, 1, len(lists)+1)
	for t := range trigrams {
		list := lists[t]
		if len(list) == 0 && shapes[t] == 0 {
			continue
		}
		for n := 1; n < len(list); n++ { // they are few
			for k := n; k > 0 && comesBefore(&list[k], &list[k-1]); k-- {
				list[k], list[k-1] = list[k-1], list[k]
			}
		}
		g := group{from: uint16(len(m.Entries)), Shapes: shapes[t], Within: shapes[t]&ShapeDigits != 0 ||
			slices.ContainsFunc(list, func(e Entry) bool { return e.Within })}
		for i := range list {
			if lit := list[i].Lit; len(lit) > 3 {
				g.next |= 1 << classOf[lit[3]]
			} else {
				g.next = ^uint32(0)
			}
		}
		if t == (classBeyond*classes+classBeyond)*classes+classBeyond {
			g.heads = headsOf(list)
		}
		m.Entries = append(m.Entries, list...)
		g.to = uint16(len(m.Entries))
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
