// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"crypto/sha256"
	"strings"
)

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Base58Check reports whether s is a number of size bytes, at most 64, in base 58, of which the last four are the
// beginning of the double SHA-256 of the others, as Bitcoin writes addresses and private keys.
func Base58Check(s string, size int) bool {
	var raw [64]byte
	number := raw[:size]
	for i := range len(s) {
		carry := strings.IndexByte(base58, s[i])
		if carry < 0 {
			return false
		}
		for k := size - 1; k >= 0; k-- {
			carry += 58 * int(number[k])
			number[k] = byte(carry)
			carry >>= 8
		}
		if carry > 0 {
			return false
		}
	}
	once := sha256.Sum256(number[:size-4])
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(number[size-4:])
}
