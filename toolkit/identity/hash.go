// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"hash/maphash"
	"math/bits"
)

// The keys of this process: no one outside it can look for collisions.
var (
	seed                          = maphash.MakeSeed()
	keyLeft, keyRight             = maphash.String(seed, "left"), maphash.String(seed, "right")
	keyObject, keyArray           = maphash.String(seed, "object"), maphash.String(seed, "array")
	keyString, keyNumber          = maphash.String(seed, "string"), maphash.String(seed, "number")
	hashTrue, hashFalse, hashNull = maphash.String(seed, "true"), maphash.String(seed, "false"), maphash.String(seed, "null")
)

// mix makes one hash of two, whose order counts.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^keyLeft, b^keyRight)
	return hi ^ lo
}

// objectHash is the hash of an object by the sum of its members' hashes: the order of
// the members does not count.
func objectHash(sum, members uint64) uint64 { return mix(sum^keyObject, members) }
