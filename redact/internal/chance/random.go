// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package chance

import (
	"strings"

	"github.com/toolscope/toolscope/internal/recognise"
)

// MaxValue is how far a value without an end is followed, in bytes.
const MaxValue = 8 << 10

// Bigrams tells for each letter how likely the next one is in English words and
// identifiers, in hexadecimal digits: a is as likely as by chance, 3 more are four
// times as likely, 3 fewer a quarter. Counted over the words of the Go source tree.
const Bigrams = "" +
	"9abc7995948cac5a5cbd8b6874caa9c986c95d87b87bb8c786a6c8a8c88c93bba8d86aac996574b9ace976d65a88b88bb8a89885" +
	"a8bc9995735aac698dcb697a65b8aabe86d45b99b94aaaa67685a8a8e89ab55a8bd96bca977666d879e777c57997c76aaaa68576" +
	"98ba9aa4555bbec95abc494739c9aac999a9a9a9b988c9c89988b899e8b8c77a9a9978c9979786c78bd877d36c77d767aa9886a5" +
	"d989d766c478a7cc57b9b65664b7bcc9c6b58878b857cd89646599bb7a95848abdab3dabbb9644c7a9d879a38b96ca6dbba67673" +
	"99aaa99997899889bba8ea9899c799e895c489a9c85abb987594a8a8d67bc38987aa79beb586a5c798d86bd35986b95cb9a677a6" +
	"9ba9ba86b45cbd7a6ccc576846c9a9ea88b459b89c89b98a9847d899c98bc6698bc97cb8979867bababb77a66997ac79ad8c8a86" +
	"9899a877a679cc9d69db798899b9a9f889b87988a87998889a8b"

// Random reports whether v looks drawn by chance rather than written by a person: a
// small model of letter pairs, and of how often letters, digits and cases change.
func Random(v string) bool {
	if n := len(v); n < 8 || n > MaxValue {
		return n > MaxValue
	}
	var s shape
	return s.read(v) && s.isRandom(v)
}

// isRandom is Random of a value of 8 bytes or more that has been read.
func (s *shape) isRandom(v string) bool {
	n, letters := len(v), s.lower+s.upper
	switch {
	case recognise.UUID(v):
		return true
	case letters == 0:
		return s.digits >= 16 && s.other*8 <= n
	case s.hex && s.digits > 0 && n >= 16:
		return s.changes*6 >= n
	case s.digits == 0 && n < 16:
		return false
	}
	return s.score() > 0
}

// maxSegments is how many parts of a value are examined.
const maxSegments = 8

// RandomPart reports whether v ends in something random behind a prefix, as in
// shop_test_0123abcd…: the parts of a token differ in kind.
func RandomPart(v string) bool {
	for range maxSegments {
		i := strings.IndexAny(v, "_-.:|/~")
		if i < 0 || i+1 >= len(v) {
			return false
		}
		v = v[i+1:]
		if len(v) < 16 {
			return false
		}
		if recognise.UUID(v) || !strings.ContainsAny(v, "_-.:|/~") && Random(v) {
			return true
		}
	}
	return false
}

// Plausible is random with less doubt, for the value of a name that tells.
func Plausible(v string) bool {
	if len(v) < 8 || len(v) > MaxValue {
		return len(v) > MaxValue
	}
	var s shape
	if !s.read(v) {
		return RandomPart(v)
	}
	if s.isRandom(v) || RandomPart(v) {
		return true
	}
	if s.digits == 0 || s.lower+s.upper == 0 {
		return false
	}
	return s.score() > -16 || len(v) >= 32 && s.other == 0 && s.digits >= 4 && s.mixed >= 3 || len(v) >= 24 &&
		s.other*6 <= len(v) && s.digits >= 5 && s.mixed >= 5
}

// Unpronounceable reports whether v is letters of one case that no word has behind one another.
func Unpronounceable(v string) bool {
	var s shape
	return len(v) >= 8 && len(v) <= MaxValue && s.read(v) && s.digits+s.other == 0 && s.unlikely*3 > len(v)
}

// Level16 is the value of a hexadecimal digit.
func Level16(c byte) int {
	if c <= '9' {
		return int(c - '0')
	}
	return int(c-'a') + 10
}
