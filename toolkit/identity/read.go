// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import "slices"

// maxDepth is how many objects and arrays may lie in each other.
const maxDepth = 128

// space returns the index of the first byte from i on that is no white space.
func space(p []byte, i int) int {
	for i < len(p) && (p[i] == ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r') {
		i++
	}
	return i
}

// value hashes the value that begins at i and returns where it ends; -1 if it has no
// identity.
func (a *Arguments) value(i, depth int) (hash uint64, end int) {
	p := a.raw
	if i >= len(p) || depth > maxDepth {
		return 0, -1
	}
	switch p[i] {
	case '"':
		h, end := a.str(i + 1)
		return h ^ keyString, end
	case '{':
		return a.readObject(i+1, depth)
	case '[':
		return a.readArray(i+1, depth)
	case 't':
		return hashTrue, literal(p, i, "true")
	case 'f':
		return hashFalse, literal(p, i, "false")
	case 'n':
		return hashNull, literal(p, i, "null")
	}
	n, end := readNumber(p, i)
	return n.hash(), end
}

func literal(p []byte, i int, want string) (end int) {
	if len(p)-i < len(want) || string(p[i:i+len(want)]) != want {
		return -1
	}
	return i + len(want)
}

// str hashes the string whose text begins at i; end is after its closing quote.
func (a *Arguments) str(i int) (hash uint64, end int) {
	end, plain := scanString(a.raw, i)
	if end < 0 {
		return 0, -1
	}
	if plain {
		return hashText(a.raw[i:end]), end + 1
	}
	a.text = appendText(a.text[:0], a.raw[i:end])
	return hashText(a.text), end + 1
}

func (a *Arguments) readArray(i, depth int) (hash uint64, end int) {
	p, hash := a.raw, keyArray
	i = space(p, i)
	if i < len(p) && p[i] == ']' {
		return hash, i + 1
	}
	for {
		var v uint64
		if v, i = a.value(i, depth+1); i < 0 {
			return 0, -1
		}
		hash = mix(hash, v)
		switch i = space(p, i); {
		case i >= len(p):
			return 0, -1
		case p[i] == ']':
			return mix(hash, keyArray), i + 1
		case p[i] != ',':
			return 0, -1
		}
		i = space(p, i+1)
	}
}

func (a *Arguments) readObject(i, depth int) (hash uint64, end int) {
	p, first := a.raw, len(a.names)
	var sum, members uint64
	var seen uint64 // a bit for each name, by its hash
	maybeTwice := false
	i = space(p, i)
	if i < len(p) && p[i] == '}' {
		return objectHash(0, 0), i + 1
	}
	for {
		if i >= len(p) || p[i] != '"' {
			return 0, -1
		}
		m := member{name: int32(i + 1)}
		if i = a.readName(&m); i < 0 {
			return 0, -1
		}
		bit := uint64(1) << (m.nameHash & 63)
		maybeTwice = maybeTwice || seen&bit != 0
		seen |= bit
		m.value = int32(i)
		var v uint64
		if v, i = a.value(i, depth+1); i < 0 {
			return 0, -1
		}
		if depth > 0 || len(a.volatile) == 0 || !a.leftOut(m) {
			m.hash = mix(m.nameHash, v)
			sum += m.hash
			members++
			if depth == 0 {
				m.valueEnd = int32(i)
				a.members = append(a.members, m)
			}
		}
		switch i = space(p, i); {
		case i >= len(p):
			return 0, -1
		case p[i] == '}':
			if maybeTwice && twice(a.names[first:]) {
				return 0, -1
			}
			a.names = a.names[:first]
			return objectHash(sum, members), i + 1
		case p[i] != ',':
			return 0, -1
		}
		i = space(p, i+1)
	}
}

// readName reads a member's name; the place of its value, or -1.
func (a *Arguments) readName(m *member) (i int) {
	if m.nameHash, i = a.str(int(m.name)); i < 0 {
		return -1
	}
	m.nameEnd = int32(i - 1)
	a.names = append(a.names, m.nameHash)
	if i = space(a.raw, i); i >= len(a.raw) || a.raw[i] != ':' {
		return -1
	}
	return space(a.raw, i+1)
}

// leftOut reports whether a member is volatile.
func (a *Arguments) leftOut(m member) bool {
	a.text = appendText(a.text[:0], a.raw[m.name:m.nameEnd])
	return slices.Contains(a.volatile, string(a.text))
}

// twice reports whether a name is there twice, by the names' hashes: should two names
// ever have one hash, their object has no identity, which is safe.
func twice(names []uint64) bool {
	if len(names) > 16 {
		slices.Sort(names)
		for i := 1; i < len(names); i++ {
			if names[i] == names[i-1] {
				return true
			}
		}
		return false
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return true
		}
	}
	return false
}
