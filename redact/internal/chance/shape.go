// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package chance

import "github.com/toolscope/toolscope/internal/chars"

// shape counts what random weighs.
type shape struct {
	lower, upper, digits, other int
	changes                     int  // of class
	mixed                       int  // letter beside digit
	odd                         int  // upper after lower and the like, but for one capital at the head of a word
	pairs                       int  // digit beside digit
	unlikely                    int  // sum over pairs of letters of 10 minus the model's figure
	hex                         bool // nothing but hexadecimal digits, and dashes
}

// score is the logarithm of the odds, in sixteenths, that v was drawn by chance: a
// logistic regression over random strings of tokens' alphabets and 8 to 48 bytes
// against the words, names, paths and numbers of the Go source tree.
func (s *shape) score() int {
	return 4*s.unlikely + 9*s.mixed + 3*s.odd - 7*s.other - 4*s.pairs - 34
}

// The classes of bytes that tokens have, and what one such byte tells of the whole.
const (
	tokenOther = iota
	tokenDigit
	tokenLower
	tokenUpper

	tokenClass = 3
	tokenNoHex = 1 << 2 // it is not hexadecimal
	tokenNever = 1 << 3 // it is no token
)

var tokenBytes = func() (t [256]uint8) {
	for c := range t {
		switch chars.Class[c] & chars.Alnum {
		case chars.Digit:
			t[c] = tokenDigit
		case chars.Lower:
			t[c] = tokenLower
		case chars.Upper:
			t[c] = tokenUpper
		default:
			t[c] = tokenNever
		}
		if chars.Class[c]&chars.Hex == 0 && c != '-' {
			t[c] |= tokenNoHex
		}
	}
	for _, c := range []byte("_-+/=.~:!@#$%^&*?|") {
		t[c] &^= tokenNever
	}
	return t
}()

// letterNumber is 1 to 26 for letters of any case.
var letterNumber = func() (t [256]uint8) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c-'a'+1, c-'a'+1
	}
	return t
}()

// unlikelyPairs is 10 minus the model's figure for two letters, by their numbers.
var unlikelyPairs = func() (t [1 << 10]int8) {
	for i := range len(Bigrams) {
		t[(i/26+1)<<5|(i%26+1)] = int8(10 - Level16(Bigrams[i]))
	}
	return t
}()

// A field is 16 bits of a word that counts four things at once.
const field = 16

// shapeCounts counts a byte by its class, each a field.
var shapeCounts = [4]uint64{1, 1 << field, 1 << (2 * field), 1 << (3 * field)}

// shapeSteps is what a byte adds behind two others, by the classes of the three: to the
// changes, to what is mixed, to the pairs of digits and to what is odd, each a field.
var shapeSteps = func() (t [1 << 6]uint64) {
	isLetter := func(class int) bool { return class >= tokenLower }
	for i := range t {
		before, last, now := i>>4, i>>2&3, i&3
		if now != last {
			t[i] += 1
		}
		if now == tokenDigit && isLetter(last) || isLetter(now) && last == tokenDigit {
			t[i] += 1 << field
		}
		if now == tokenDigit && last == tokenDigit {
			t[i] += 1 << (2 * field)
		}
		if now == tokenUpper && last == tokenLower || now == tokenLower && last == tokenUpper && before == tokenUpper {
			t[i] += 1 << (3 * field)
		}
	}
	return t
}()

// read counts, and reports whether all bytes are such as tokens have. v has at most
// [MaxValue] bytes, so that no field runs over.
func (s *shape) read(v string) bool {
	if v == "" {
		s.hex = true
		return true
	}
	all := tokenBytes[v[0]]
	classes := uint(all & tokenClass) // of the last three bytes; before the first stands one of another kind
	letter := letterNumber[v[0]]
	counts, steps := shapeCounts[classes&tokenClass], uint64(0)
	unlikely := 0
	for i := 1; i < len(v); i++ {
		b := tokenBytes[v[i]]
		all |= b
		classes = (classes<<2 | uint(b&tokenClass)) & 63
		counts += shapeCounts[classes&tokenClass]
		steps += shapeSteps[classes]
		next := letterNumber[v[i]]
		unlikely += int(unlikelyPairs[uint(letter&31)<<5|uint(next&31)])
		letter = next
	}
	part := func(w uint64, n int) int { return int(w >> (n * field) & (1<<field - 1)) }
	s.other, s.digits, s.lower, s.upper = part(counts, tokenOther), part(counts, tokenDigit), part(counts, tokenLower),
		part(counts, tokenUpper)
	s.changes, s.mixed, s.pairs, s.odd = part(steps, 0), part(steps, 1), part(steps, 2), part(steps, 3)
	s.unlikely, s.hex = unlikely, all&tokenNoHex == 0
	return all&tokenNever == 0
}
