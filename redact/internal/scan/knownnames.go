// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/memo"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// maxKnownName is the longest name of a member that is remembered, in bytes.
const maxKnownName = 24

// knownNames remembers what names of members said in which nothing was found: the members
// of a tool's calls have the same names again and again.
type knownNames = memo.Local[knownName, names.Verdict]

// A knownName is a name, byte for byte, and the machine that it says something to.
type knownName struct {
	machine *machine
	words   [maxKnownName / 8]uint64
	length  int
}

// nameOf is the name s[a:b] and its hash; ok is false if it is too long to be remembered.
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
		n.words[i] = chars.Word8(s, a+8*i)
		if left < 8 {
			n.words[i] &= 1<<(8*left) - 1
		}
		hash = memo.Mix(hash, n.words[i])
	}
	return n, hash, true
}
