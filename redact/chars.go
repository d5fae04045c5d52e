// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// The classes of bytes that several files ask for.
const (
	chDigit = 1 << iota
	chLower
	chUpper
	chHex
	chName  // letters, digits, '_', '-', '.', '$'
	chSpace // blank, tab, line ends
	chB64   // letters, digits, '+', '/', '-', '_'

	chLetter = chLower | chUpper
	chAlnum  = chLetter | chDigit
)

var chars = func() (t [256]uint8) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= '0' && b <= '9':
			t[c] = chDigit | chHex | chName | chB64
		case b >= 'a' && b <= 'z':
			t[c] = chLower | chName | chB64
		case b >= 'A' && b <= 'Z':
			t[c] = chUpper | chName | chB64
		case b == '_' || b == '-':
			t[c] = chName | chB64
		case b == '.' || b == '$':
			t[c] = chName
		case b == '+' || b == '/':
			t[c] = chB64
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			t[c] = chSpace
		}
		if b := byte(c) | 0x20; b >= 'a' && b <= 'f' {
			t[c] |= chHex
		}
	}
	return t
}()

func isAlnum(c byte) bool  { return chars[c]&chAlnum != 0 }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSpace(c byte) bool  { return chars[c]&chSpace != 0 }

// lower folds ASCII letters.
var lower = func() (t [256]byte) {
	for c := range 256 {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

// hasFold reports whether s[at:] begins with low, which is in lower case.
func hasFold(s string, at int, low string) bool {
	if at < 0 || len(s)-at < len(low) {
		return false
	}
	for i := range len(low) {
		if lower[s[at+i]] != low[i] {
			return false
		}
	}
	return true
}

// equalFold reports whether s is low, which is in lower case.
func equalFold(s, low string) bool { return len(s) == len(low) && hasFold(s, 0, low) }

// containsFold reports whether low, which is in lower case, occurs in s.
func containsFold(s, low string) bool {
	for i := 0; i+len(low) <= len(s); i++ {
		if lower[s[i]] == low[0] && hasFold(s, i, low) {
			return true
		}
	}
	return false
}

// isHex reports whether v is made of hexadecimal digits.
func isHex(v string) bool {
	for i := range len(v) {
		if alphabets[v[i]]&lowHex == 0 {
			return false
		}
	}
	return true
}
