// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// ibanLengthsByCountry are the codes an IBAN may begin with, and how long it is (SWIFT's IBAN
// registry, ISO 13616).
const ibanLengthsByCountry = "ad24 ae23 al28 at20 az28 ba20 be16 bg22 bh22 bi27 br29 by28 ch21 cr22 cy28 cz24 de22 " +
	"dj27 dk18 do28 ee20 eg29 es24 fi18 fk18 fo18 fr27 gb22 ge22 gi23 gl18 " +
	"gr27 gt28 hn28 hr21 hu28 ie22 il23 iq23 is26 it27 jo30 kw30 kz20 lb28 lc32 li21 lt20 lu20 lv21 ly25 mc27 md24 " +
	"me22 mk19 mn20 mr27 mt31 mu30 ni28 nl18 no15 om23 pk24 pl28 " +
	"ps29 pt25 qa29 ro24 rs22 ru33 sa24 sc31 sd18 se24 si19 sk24 sm27 so23 st25 sv28 tl23 tn24 tr26 ua29 va22 vg24 xk20 ye30"

// IBANCountries are the codes, with the lengths behind them.
var IBANCountries = strings.Fields(ibanLengthsByCountry)

// ibanLengths are the lengths by country, 0 where there is no IBAN.
var ibanLengths = func() (t [26][26]uint8) {
	for c := range strings.FieldsSeq(ibanLengthsByCountry) {
		n, _ := strconv.Atoi(c[2:])
		t[c[0]-'a'][c[1]-'a'] = uint8(n)
	}
	return t
}()

// isNodeOfUUID reports whether a dash and the last twelve digits of a UUID stand at p.
func isNodeOfUUID(s string, p int) bool {
	return p+13 <= len(s) && s[p] == '-' && chars.IsHex(s[p+1:p+13])
}

// ibanEnd is the end of an IBAN (two letters, two check digits, as many more as its
// country's have, blanks or dashes between groups of four, remainder 1 modulo 97) that
// begins with two letters at b; 0 if there is none.
func ibanEnd(s string, b int) int {
	if b > 0 && s[b-1] == '-' {
		return 0 // in the middle of a UUID
	}
	length := int(ibanLengths[chars.Fold[s[b]]-'a'][chars.Fold[s[b+1]]-'a'])
	var text [34]byte
	n, p := 0, b
	for ; p < len(s) && n < length; p++ {
		c := s[p]
		if chars.IsLetter(c) {
			c &^= 0x20
		}
		switch {
		case chars.IsAlnum(c):
			text[n] = c
			n++
		case (c == ' ' || c == '-') && n%4 == 0 && p+1 < len(s) && chars.IsAlnum(s[p+1]):
		default:
			return 0
		}
	}
	if length == 0 || n < length || p < len(s) && chars.IsAlnum(s[p]) || isNodeOfUUID(s, p) {
		return 0
	}
	remainder := 0
	for k := range n {
		if c := text[(k+4)%n]; c >= 'A' {
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		} else {
			remainder = (remainder*10 + int(c-'0')) % 97
		}
	}
	if remainder != 1 {
		return 0
	}
	return p
}
