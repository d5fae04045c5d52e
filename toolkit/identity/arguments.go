// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
)

// Arguments are a call's arguments, read once. They are immutable; all methods are safe for
// concurrent use.
type Arguments struct {
	raw      []byte   // as written; nil counts as {}
	volatile []string // the names left out
	members  []member // of an object: those that count, in the order written
	object   bool
	hash     uint64
	spelling uint64 // hash of raw as it is
	kept     bool   // whether raw and members are not shared

	names []uint64 // while reading: hashes of the names in the open objects
	text  []byte   // while reading: a string without its escapes
}

// member is one member of the arguments: its name without the quotes and its
// value, as parts of raw.
type member struct {
	name, nameEnd, value, valueEnd int32
	nameHash, hash                 uint64
}

// maxScratch is the capacity, in bytes, beyond which memory is not used again.
const maxScratch = 64 << 10

// Of reads the arguments raw, leaving out top-level members with the names in volatile.
// It is false if they have no identity. The same bytes, read twice of late, give the
// same Arguments at the cost of hashing them as they are. Others are written into
// scratch, which must not be in use and is made if it is nil: such Arguments point
// into raw, and last until scratch is used again; [Arguments.Keep] makes them last.
func Of(raw []byte, volatile []string, scratch *Arguments) (*Arguments, bool) {
	spelling := maphash.Bytes(seed, raw)
	known := recent.find(spelling, raw, volatile)
	if known != nil {
		return known, true
	}
	if scratch == nil {
		scratch = new(Arguments)
	}
	scratch.raw, scratch.volatile, scratch.spelling = raw, volatile, spelling
	if !scratch.read() {
		return nil, false
	}
	if len(raw) <= recentBytes && recent.seen(spelling) {
		kept := scratch.Keep()
		recent.addArguments(kept)
		return kept, true
	}
	return scratch, true
}

// Hash is the same for arguments that are equal, and differs from process to process.
func (a *Arguments) Hash() uint64 { return a.hash }

// Size is how many bytes of memory a kept copy takes, about.
func (a *Arguments) Size() int { return len(a.raw) + 40*len(a.members) + 160 }

// Keep returns Arguments that last, which share no memory with a's; a itself if it
// is such.
func (a *Arguments) Keep() *Arguments {
	if a.kept {
		return a
	}
	return &Arguments{
		raw: bytes.Clone(a.raw), volatile: a.volatile, members: slices.Clone(a.members),
		object: a.object, hash: a.hash, spelling: a.spelling, kept: true,
	}
}

// Reset forgets what a was read from, so that scratch memory does not keep a call's
// arguments alive.
func (a *Arguments) Reset() {
	a.raw, a.volatile = nil, nil
	a.text = a.text[:0]
}

// read fills a from raw and reports whether it has an identity.
func (a *Arguments) read() bool {
	a.members, a.names, a.object, a.kept = a.members[:0], a.names[:0], true, false
	if cap(a.members)*40 > maxScratch {
		a.members = nil
	}
	if cap(a.names)*8 > maxScratch {
		a.names = nil
	}
	if cap(a.text) > maxScratch {
		a.text = nil
	}
	if len(a.raw) > math.MaxInt32 {
		return false
	}
	start := space(a.raw, 0)
	if start == len(a.raw) {
		a.hash = objectHash(0, 0)
		return true
	}
	a.object = a.raw[start] == '{'
	h, end := a.value(start, 0)
	if end < 0 || space(a.raw, end) != len(a.raw) {
		return false
	}
	a.hash = h
	return true
}
