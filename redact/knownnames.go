// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// maxKnownName is the longest name of a member that is remembered, in bytes.
const maxKnownName = 24

// knownNames remembers what names of members said in which nothing was found: the members
// of a tool's calls have the same names again and again. It is a scanner's own, and bounded:
// of two names that want one place the later one has it.
type knownNames [64]knownName

// A knownName is a name, byte for byte, and what it says to a machine.
type knownName struct {
	machine *machine
	words   [maxKnownName / 8]uint64
	length  int
	says    verdict
}

// nameOf is the name s[a:b]; ok is false if it is too long to be remembered. hash tells
// where it has its place.
func nameOf(m *machine, s string, a, b int) (n knownName, hash uint64, ok bool) {
	n.machine, n.length = m, b-a
	if n.length > maxKnownName {
		return n, 0, false
	}
	hash = uint64(n.length)
	for i := range n.words {
		left := n.length - 8*i
		if left <= 0 {
			break
		}
		n.words[i] = word8(s, a+8*i)
		if left < 8 {
			n.words[i] &= 1<<(8*left) - 1
		}
		hash = (hash ^ n.words[i]) * 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	}
	return n, hash, true
}

// find is what the name said before.
func (k *knownNames) find(n *knownName, hash uint64) (says verdict, ok bool) {
	p := &k[hash>>58]
	return p.says, p.machine == n.machine && p.length == n.length && p.words == n.words
}

// keep remembers what the name says.
func (k *knownNames) keep(n *knownName, hash uint64, says verdict) {
	n.says = says
	k[hash>>58] = *n
}
