// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import "strings"

// A progress is what the scan of one text knows so far. It keeps what is read ahead from being read
// again for each anchor in it, so that the work is linear in the length of the text.
type progress struct {
	settled int // everything before is decided
	named   int // names that end before are decided
	counted int // digits before are decided
	read    int // arguments before are decided
	tables  tableState

	valued, again int // see reread
	manifest      int // the data of Kubernetes Secrets before are decided
	url           int // URLs that begin before are within another one
	at, line      ahead
}

const (
	// maxAgain and maxShare are how much of a value other values may have had before, in bytes and in
	// lengths of it.
	maxAgain = 8 << 10
	maxShare = 4
)

// reread notes that [from,to) is read as a value. It reports whether the values that lie in each
// other, as those of "key=key=key=", have been read so often that what is left of them is removed unseen.
func (p *progress) reread(from, to int) bool {
	if from >= p.valued {
		p.again = 0
	} else {
		p.again += min(to, p.valued) - from
	}
	p.valued = max(p.valued, to)
	return p.again > maxAgain+maxShare*(to-from)
}

// An ahead knows where one of some bytes stands next.
type ahead struct{ from, next int }

// find returns where one of the bytes stands next from i on, or the length of s.
func (a *ahead) find(s, bytes string, i int) int {
	if a.next > i && a.from <= i {
		return a.next
	}
	a.from, a.next = i, len(s)
	if n := strings.IndexAny(s[i:], bytes); n >= 0 {
		a.next = i + n
	}
	return a.next
}
