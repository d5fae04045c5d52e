// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mix makes one 64-bit hash of two.
package mix

import (
	"hash/maphash"
	"math/bits"
)

var (
	seed       = maphash.MakeSeed()
	keyA, keyB = maphash.String(seed, "a"), maphash.String(seed, "b")
)

// Hashes is a hash of a and b, in this order, of this process, as wyhash makes it: the two halves of a product, twice,
// each time combined with random keys. Of one product, some pairs of keys leave low bits that are far from even.
func Hashes(a, b uint64) uint64 { return hashes(a, b, keyA, keyB) }

func hashes(a, b, keyA, keyB uint64) uint64 {
	hi, lo := bits.Mul64(a^keyA, b^keyB)
	hi, lo = bits.Mul64(lo^keyA, hi^keyB)
	return hi ^ lo
}
