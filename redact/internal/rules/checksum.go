// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import "hash/crc32"

// checksumLength is how many bytes the checksum of a token has.
const checksumLength = 6

// checks reports whether the last six bytes of a token's body are the CRC-32 of the others in base 62, as
// GitHub and npm write it. See
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ and
// https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/.
//
// A checksum that fits proves a token in any surroundings. One that does not fit proves nothing: a
// token may be cut off, misspelt or of a later form, and is removed by its shape.
func checks(body string) bool {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	n := len(body) - checksumLength
	sum := ^uint32(0)
	for i := range n { // without a copy of the text
		sum = crc32.IEEETable[byte(sum)^body[i]] ^ sum>>8
	}
	sum = ^sum
	for i := len(body) - 1; i >= n; i-- {
		if body[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return sum == 0
}
