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

// Hashes is a hash of a and b, in this order, of this process: the two halves of the product of both, which are as
// random as the inputs since each is combined with a random key.
func Hashes(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^keyA, b^keyB)
	return hi ^ lo
}
