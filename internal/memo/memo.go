// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package memo

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"
)

type entry[K comparable, V any] struct {
	key   K
	value V
}

// A Table remembers values by key. It is safe for concurrent use. [NewTable] makes one.
type Table[K comparable, V any] struct {
	slots []atomic.Pointer[entry[K, V]]
	shift int // of a hash to its slot
}

// NewTable makes a table of slots, a power of two.
func NewTable[K comparable, V any](slots int) *Table[K, V] {
	if slots < 1 || slots&(slots-1) != 0 {
		panic("memo: NewTable: slots has to be a power of two")
	}
	return &Table[K, V]{make([]atomic.Pointer[entry[K, V]], slots), 64 - bits.TrailingZeros(uint(slots))}
}

// Load is the value of a key; ok is false if it is not remembered.
func (t *Table[K, V]) Load(hash uint64, key K) (value V, ok bool) {
	if e := t.slots[hash>>t.shift].Load(); e != nil && e.key == key {
		return e.value, true
	}
	return value, false
}

// Store remembers the value of a key, in the place of another one if need be. It keeps key: a
// string that shares memory with something larger or changing is for the caller to clone.
func (t *Table[K, V]) Store(hash uint64, key K, value V) {
	t.slots[hash>>t.shift].Store(&entry[K, V]{key, value})
}

// Yields reports whether a key that is not remembered is to be stored, where values are cheap to find again: a
// slot that another key has is taken once in 64 times only, so that of two keys in turn one is found for a while.
func (t *Table[K, V]) Yields(hash uint64) bool {
	return t.slots[hash>>t.shift].Load() == nil || rand.Uint32()%64 == 0
}

// localSlots is how many keys a [Local] remembers at most.
const (
	localBits  = 8
	localSlots = 1 << localBits
)

// A Local remembers values by key. The zero value is empty. It is for one goroutine at a time. Keys
// are passed by their address, since those that hold no pointers to what they are made of are large.
type Local[K comparable, V any] struct {
	slots [localSlots]struct {
		entry[K, V]
		taken bool
	}
}

// Load is the value of a key; ok is false if it is not remembered.
func (l *Local[K, V]) Load(hash uint64, key *K) (value V, ok bool) {
	s := &l.slots[hash>>(64-localBits)]
	return s.value, s.taken && s.key == *key
}

// Store remembers the value of a key, in the place of another one if need be.
func (l *Local[K, V]) Store(hash uint64, key *K, value V) {
	s := &l.slots[hash>>(64-localBits)]
	s.key, s.value, s.taken = *key, value, true
}

// golden is 2^64 by the golden ratio: the upper bits of its products differ where the lower ones
// of addresses do.
const golden = 0x9e3779b97f4a7c15

// Pointer is the hash of an address. It says nothing about what is there.
func Pointer[T any](p *T) uint64 { return Mix(0, uint64(uintptr(unsafe.Pointer(p)))) }

// Mix is the hash of a word behind others, whose hash is given; of none it is 0. Its input must not
// be chosen by an attacker to whom it matters that keys share a slot.
func Mix(hash, word uint64) uint64 { return (hash ^ word) * golden }

var seed = maphash.MakeSeed()

// String is the hash of a string, under a key that each process draws: from outside nothing can be
// made that shares a hash with something else.
func String(s string) uint64 { return maphash.String(seed, s) }
