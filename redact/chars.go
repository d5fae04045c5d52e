// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// The classes of bytes. A byte may be of several.
const (
	chDigit = 1 << iota
	chLower
	chUpper
	chHex
	chJoin      // _ -
	chDot       // .
	chPlus      // + /
	chEqual     // =
	chDollar    // $
	chPercent   // % \
	chComma     // ,
	chSpace     // blank, tab, line ends
	chSeparator // what may stand between digits of a number: blank - . / ( )

	chLetter = chLower | chUpper
	chAlnum  = chLetter | chDigit
	chURL    = chAlnum | chJoin // of base64 for URLs
	chDotted = chURL | chDot
	chName   = chDotted | chDollar
	chB64    = chURL | chPlus             // of both alphabets of base64
	chBase64 = chAlnum | chPlus | chEqual // of base64 with padding
)

// chars tells the classes of a byte.
var chars = func() (t [256]uint16) {
	for class, list := range map[uint16]string{
		chDigit: "0123456789", chLower: "abcdefghijklmnopqrstuvwxyz", chUpper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", chHex: "0123456789abcdefABCDEF",
		chJoin: "_-", chDot: ".", chPlus: "+/", chEqual: "=", chDollar: "$", chPercent: "%\\", chComma: ",", chSpace: " \t\n\r", chSeparator: " -./()",
	} {
		for _, c := range []byte(list) {
			t[c] |= class
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

// word8 is the eight bytes at i, the first one lowest; behind the end of s are zeros.
func word8(s string, i int) (w uint64) {
	if b := s[i:]; len(b) >= 8 {
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	}
	for k := len(s) - 1; k >= i; k-- {
		w = w<<8 | uint64(s[k])
	}
	return w
}

// hasByte8 tells whether one of eight bytes is c: the lowest bit that is set is of the first
// one that is.
func hasByte8(w uint64, c byte) uint64 {
	const each = 0x0101010101010101
	w ^= uint64(c) * each
	return (w - each) &^ w & (0x80 * each)
}

// fold8 folds the ASCII letters of eight bytes.
func fold8(w uint64) uint64 {
	const each = 0x0101010101010101
	low := w &^ (0x80 * each)
	upper := (low + (0x80-'A')*each) &^ (low + (0x7f-'Z')*each) &^ w & (0x80 * each)
	return w | upper>>2
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
		if chars[v[i]]&chHex == 0 {
			return false
		}
	}
	return true
}

// fold is s with its ASCII letters in lower case.
func fold(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower[b[i]]
	}
	return string(b)
}
