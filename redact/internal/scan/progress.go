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

	values, forms readings
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

// Readings are of values that may lie in each other.
type readings struct{ end, again int }

// tooMany notes that [from,to) is read as a value. It reports whether the values that lie in each
// other, as those of "key=key=key=", have been read so often that what is left of them is removed unseen.
func (r *readings) tooMany(from, to int) bool {
	if from >= r.end {
		r.again = 0
	} else {
		r.again += min(to, r.end) - from
	}
	r.end = max(r.end, to)
	return r.again > maxAgain+maxShare*(to-from)
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
