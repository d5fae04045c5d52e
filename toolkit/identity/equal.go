// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// Equal reports whether a and b are the same arguments. Two that leave out different
// names are compared by what they have left.
func (a *Arguments) Equal(b *Arguments) bool {
	switch {
	case a == b:
		return true
	case a.hash != b.hash || a.object != b.object || len(a.members) != len(b.members):
		return false
	case a.spelling == b.spelling && bytes.Equal(a.raw, b.raw) && slices.Equal(a.volatile, b.volatile):
		return true
	case !a.object:
		return sameValue(a.raw[space(a.raw, 0):], b.raw[space(b.raw, 0):])
	}
	return sameMembers(a.raw, a.members, b.raw, b.members)
}

// Equal reports whether two JSON texts are the same arguments, all members counting;
// false if one has no identity.
func Equal(a, b []byte) bool {
	var x, y Arguments
	x.raw, y.raw = a, b
	return x.read() && y.read() && x.Equal(&y)
}

// sameMembers compares two objects with as many members. No two names of one object have
// one hash ([twice]), so a name's hash leads to the only member that can be its like.
func sameMembers(p []byte, a []member, q []byte, b []member) bool {
	var places places
	for i := range a {
		m, o := &a[i], &b[i]
		if o.nameHash != m.nameHash {
			if o = places.find(b, m.nameHash); o == nil {
				return false
			}
		}
		if o.hash != m.hash || !bytes.Equal(p[m.name:m.valueEnd], q[o.name:o.valueEnd]) &&
			!(sameString(p[m.name:m.nameEnd], q[o.name:o.nameEnd]) && sameValue(p[m.value:m.valueEnd], q[o.value:o.valueEnd])) {
			return false
		}
	}
	return true
}

// places tells where the members of an object in another order are.
type places struct {
	filled bool
	at     [64]uint8 // by the last bits of a name's hash: one more than the index of a member
	sorted []member  // if there are too many, in the order of their names' hashes
}

func (p *places) find(members []member, nameHash uint64) *member {
	if !p.filled {
		p.filled = true
		if len(members) > 64 {
			p.sorted = slices.SortedFunc(slices.Values(members), compareNames)
		} else {
			for i := range members {
				p.at[members[i].nameHash%64] = uint8(i + 1)
			}
		}
	}
	if p.sorted != nil {
		if i, ok := slices.BinarySearchFunc(p.sorted, member{nameHash: nameHash}, compareNames); ok {
			return &p.sorted[i]
		}
		return nil
	}
	if i := p.at[nameHash%64]; i > 0 && members[i-1].nameHash == nameHash {
		return &members[i-1]
	}
	for i := range members { // two names have the same last bits
		if members[i].nameHash == nameHash {
			return &members[i]
		}
	}
	return nil
}

func compareNames(a, b member) int { return cmp.Compare(a.nameHash, b.nameHash) }

func sameString(a, b []byte) bool {
	return bytes.Equal(a, b) || (bytes.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0) && sameText(a, b)
}

// readers are used again by sameValue.
var readers = sync.Pool{New: func() any { return new(Arguments) }}

// sameValue compares two valid values, each without white space before it.
func sameValue(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		return sameText(unquote(a), unquote(b))
	case a[0] == '{' && b[0] == '{', a[0] == '[' && b[0] == '[':
		x, y := readers.Get().(*Arguments), readers.Get().(*Arguments)
		defer readers.Put(x)
		defer readers.Put(y)
		x.raw, y.raw, x.volatile, y.volatile = a, b, nil, nil
		if a[0] == '[' {
			return sameElements(x, y)
		}
		return x.read() && y.read() && x.Equal(y)
	case (a[0] == '-' || isDigit(a[0])) && (b[0] == '-' || isDigit(b[0])):
		n, _ := readNumber(a, 0)
		m, _ := readNumber(b, 0)
		return n.equal(m)
	}
	return a[0] == b[0] && (a[0] == 't' || a[0] == 'f' || a[0] == 'n')
}

// unquote returns the text of the string that p begins with.
func unquote(p []byte) []byte {
	end, _ := scanString(p, 1)
	return p[1:end]
}

// sameElements compares two arrays.
func sameElements(x, y *Arguments) bool {
	x.names, y.names = x.names[:0], y.names[:0]
	i, j := space(x.raw, 1), space(y.raw, 1)
	for x.raw[i] != ']' && y.raw[j] != ']' {
		h, end := x.value(i, 1)
		g, other := y.value(j, 1)
		if h != g || end < 0 || other < 0 || !sameValue(x.raw[i:end], y.raw[j:other]) {
			return false
		}
		i, j = nextElement(x.raw, end), nextElement(y.raw, other)
	}
	return x.raw[i] == y.raw[j]
}

// nextElement returns the index of the element, or of the array's end, after the
// element that ends at i.
func nextElement(p []byte, i int) int {
	if i = space(p, i); p[i] == ',' {
		i = space(p, i+1)
	}
	return i
}
