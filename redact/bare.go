// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// kindRandom is off by default: ids of every kind look like it.
var kindRandom = newKind("random-string", groupEntropy, "a string of 20 bytes or more that looks drawn by chance, with nothing beside it that tells", false)

// bareRandom removes the run [start,end) of letters, digits and the rest of base64's
// alphabets if it looks drawn by chance. UUIDs and digests stay: they name things, and are
// everywhere.
func (sc *scanner) bareRandom(s string, start, end int) {
	v := s[start:end]
	if !sc.e.on.has(kindRandom) || isHex(v) || isUUID(v) || isPath(v) || !hasDigit(v) || patterned(v) || !random(v) {
		return
	}
	if sc.quick {
		sc.suspect = true
		return
	}
	settled := sc.settled
	sc.settled = 0
	sc.take(s, start, end, kindRandom)
	sc.settled = settled
}
