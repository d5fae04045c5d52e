// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"encoding/binary"
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

// hashText is the hash of a string's text. Short ones, which most names and many values
// are, are mixed here: that is several times faster than a call of maphash.
func hashText(p []byte) uint64 {
	n := len(p)
	var a, b uint64
	switch {
	case n > 16:
		return maphash.Bytes(seed, p)
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(p)), uint64(binary.LittleEndian.Uint32(p[n-4:]))
	case n > 0:
		a = uint64(p[0])<<16 | uint64(p[n>>1])<<8 | uint64(p[n-1])
	}
	return mix(mix(a, b), uint64(n)^keyString)
}

// objectHash is the hash of an object by the sum of its members' hashes: the order of
// the members does not count.
func objectHash(sum, members uint64) uint64 { return mix(sum^keyObject, members) }
