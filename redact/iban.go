// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// ibanEnd is the end of an IBAN (ISO 13616: two letters, two check digits, up to 30
// more, blanks between groups, remainder 1 modulo 97) that begins at b.
func ibanEnd(s string, b int) int {
	remainder, n, end := 0, 0, 0
	var text [34]byte
	p := b
	for ; p < len(s) && n < len(text); p++ {
		c := s[p]
		if c >= 'a' && c <= 'z' {
			c -= 0x20
		}
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z':
			text[n] = c
			n++
			end = p + 1
			continue
		case (c == ' ' || c == '-') && n%4 == 0 && p+1 < len(s) && alphabets[s[p+1]]&alnum != 0:
			continue
		}
		break
	}
	for ; n >= 15; n-- { // the longest prefix that fits: words may follow
		if p < len(s) && end < len(s) && alphabets[s[end]]&alnum != 0 {
			// inside a word
		} else {
			remainder = 0
			for k := range n {
				c := text[(k+4)%n]
				if c >= 'A' {
					remainder = (remainder*100 + int(c-'A') + 10) % 97
				} else {
					remainder = (remainder*10 + int(c-'0')) % 97
				}
			}
			if remainder == 1 {
				return end
			}
		}
		end--
		for end > b && (s[end-1] == ' ' || s[end-1] == '-') {
			end--
		}
	}
	return 0
}
