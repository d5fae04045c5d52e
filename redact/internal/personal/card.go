// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

// cardWithin is the end of a card number that begins at i and ends with the run, or
// with one of its groups: numbers may follow one another.
func cardWithin(s string, i, end int) int {
	if i > 1 && s[i-1] == ' ' && s[i-2] == ',' { // 84926274344903, 365590438845504: integers of a list
		if p := chars.SkipBack(s, max(0, i-24), i-2, chars.Digit); i-p > 14 && cardEnd(s, p, i-2) == 0 {
			return 0
		}
	}
	for p := end; p > i+11; p-- {
		if p < end && (chars.IsDigit(s[p]) || !chars.IsDigit(s[p-1])) {
			continue
		}
		if e := cardEnd(s, i, p); e > 0 {
			return e
		}
	}
	return 0
}

// cardEnd is the end of a payment card number (ISO/IEC 7812-1: issuer's digits and
// the Luhn check) that begins at i.
func cardEnd(s string, i, end int) int {
	if end+1 < len(s) && (s[end] == '-' || s[end] == '_') && chars.IsLetter(s[end+1]) {
		return 0 // the head of an id
	}
	if i > 0 && (s[i-1] == '-' || s[i-1] == '.') || strings.IndexByte(s[i:end], '.') >= 0 ||
		strings.IndexByte(s[i:end], '(') >= 0 {
		return 0
	}
	if i > 2 && s[i-2] == ',' && end+1 < len(s) && s[end] == ',' && end-i >= 17 && strings.IndexByte(s[i:end], ' ') < 0 {
		return 0 // an integer in a list of them
	}
	if i+8 < end && s[i+8] == ' ' && chars.IsDigits(s[i:i+8]) {
		return 0 // groups of eight digits are a dump
	}
	var d [maxCard]byte
	n, group, ok := cardDigits(&d, s[i:end])
	if !ok {
		return 0
	}
	// an integer or a fraction of source code: of a length that few cards have, in one group and without quotes
	integer := n == 12 || n == group && ((n < 14 || n > 16) && i > 0 && strings.IndexByte("\"'`", s[i-1]) < 0 ||
		end+1 < len(s) && s[end] == '.' && chars.IsDigit(s[end+1]))
	if !luhn(d[:n]) || (integer || !issuer(d[:n])) && !(n >= 12 && marks.Near(s, i, "card", "credit")) {
		return 0
	}
	return end
}

// maxCard is the number of digits that a card number has at most.
const maxCard = 19

// cardDigits reads the n digits of v into d; group is how many of them stand in the last group. ok is false
// if v has more digits than a card number, or another group of fewer than four: bytes in decimals.
func cardDigits(d *[maxCard]byte, v string) (n, group int, ok bool) {
	for p := range len(v) {
		switch {
		case chars.IsDigit(v[p]) && n < len(d):
			d[n] = v[p] - '0'
			n++
			group++
		case chars.IsDigit(v[p]) || group < 4 || group > 6:
			return 0, 0, false
		default:
			group = 0
		}
	}
	return n, group, true
}

// luhn reports whether the last digit is the check digit of the others by Luhn's formula.
func luhn(d []byte) bool {
	sum := 0
	for k := range d {
		v := int(d[len(d)-1-k])
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// issuer reports whether the first digits are those of a card network, with a length
// that it uses.
func issuer(d []byte) bool {
	n := len(d)
	two, four := int(d[0])*10+int(d[1]), int(d[0])*1000+int(d[1])*100+int(d[2])*10+int(d[3])
	switch {
	case d[0] == 4:
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38 || two == 39 || four >= 3000 && four <= 3059 || four == 3095:
		return n >= 14 && n <= 19
	case four == 2131 || four == 1800:
		return n == 15
	case four >= 3528 && four <= 3589:
		return n >= 16
	case two == 50 || two >= 56 && two <= 69:
		return n >= 12
	case two == 62 || two == 81 || two == 82 || two == 22:
		return n >= 16
	}
	return false
}
