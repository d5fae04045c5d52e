// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package chars

import "strings"

// The classes of bytes. A byte may be of several.
const (
	Digit = 1 << iota
	Lower
	Upper
	Hex
	Join    // _ -
	Dot     // .
	Plus    // + /
	Equal   // =
	Dollar  // $
	Percent // % \
	Comma   // ,
	Space   // blank, tab, line ends
	Blank   // the blank alone
	Tab
	Separator // what may stand between digits of a number: blank - . / ( )

	letter = Lower | Upper
	Alnum  = letter | Digit
	URL    = Alnum | Join // of base64 for URLs
	Dotted = URL | Dot
	Name   = Dotted | Dollar
	B64    = URL | Plus           // of both alphabets of base64
	Base64 = Alnum | Plus | Equal // of base64 with padding
)

// Class tells the classes of a byte.
var Class = func() (t [256]uint16) {
	for class, list := range map[uint16]string{
		Digit: "0123456789", Hex: "0123456789abcdefABCDEF",
		Lower: "abcdefghijklmnopqrstuvwxyz", Upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Join: "_-", Dot: ".", Plus: "+/", Equal: "=", Dollar: "$", Percent: "%\\", Comma: ",",
		Space: " \t\n\r", Blank: " ", Tab: "\t", Separator: " -./()",
	} {
		for _, c := range []byte(list) {
			t[c] |= class
		}
	}
	return t
}()

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool { return Class[c]&Alnum != 0 }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsUpper reports whether c is an ASCII capital.
func IsUpper(c byte) bool { return Class[c]&Upper != 0 }

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsSpace reports whether c is a blank, a tab or a line's end.
func IsSpace(c byte) bool { return Class[c]&Space != 0 }

// Fold folds ASCII letters.
var Fold = func() (t [256]byte) {
	for c := range 256 {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

// HasFold reports whether s[at:] begins with low, which is in lower case.
//
//go:noinline
func HasFold(s string, at int, low string) bool {
	if at < 0 || len(s)-at < len(low) {
		return false
	}
	for i := range len(low) {
		if Fold[s[at+i]] != low[i] {
			return false
		}
	}
	return true
}

// First8 is the first eight bytes of b, which has that many, the first one lowest. It is inlined.
func First8(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Word8 is the eight bytes at i, the first one lowest; behind the end of s are zeros.
func Word8(s string, i int) (w uint64) {
	if b := s[i:]; len(b) >= 8 {
		return First8(b)
	}
	for k := len(s) - 1; k >= i; k-- {
		w = w<<8 | uint64(s[k])
	}
	return w
}

// HasByte8 tells whether one of eight bytes is c: the lowest bit that is set is of the first
// one that is.
func HasByte8(w uint64, c byte) uint64 {
	const each = 0x0101010101010101
	w ^= uint64(c) * each
	return (w - each) &^ w & (0x80 * each)
}

// Fold8 folds the ASCII letters of eight bytes.
func Fold8(w uint64) uint64 {
	const each = 0x0101010101010101
	low := w &^ (0x80 * each)
	upper := (low + (0x80-'A')*each) &^ (low + (0x7f-'Z')*each) &^ w & (0x80 * each)
	return w | upper>>2
}

// EqualFold reports whether s is low, which is in lower case.
//
//go:noinline
func EqualFold(s, low string) bool { return len(s) == len(low) && HasFold(s, 0, low) }

// EndsFold reports whether s ends with low, which is in lower case.
//
//go:noinline
func EndsFold(s, low string) bool { return len(s) >= len(low) && HasFold(s, len(s)-len(low), low) }

// ContainsFold reports whether low, which is in lower case, occurs in s.
//
//go:noinline
func ContainsFold(s, low string) bool {
	for i := 0; i+len(low) <= len(s); i++ {
		if Fold[s[i]] == low[0] && HasFold(s, i, low) {
			return true
		}
	}
	return false
}

// IsHex reports whether v is made of hexadecimal digits.
//
//go:noinline
func IsHex(v string) bool {
	for i := range len(v) {
		if Class[v[i]]&Hex == 0 {
			return false
		}
	}
	return true
}

// FoldString is s with its ASCII letters in lower case.
func FoldString(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = Fold[b[i]]
	}
	return string(b)
}

// Skip is the first place from i on whose byte is not of one of the classes, or the end of s.
//
//go:noinline
func Skip(s string, i int, classes uint16) int {
	for i < len(s) && Class[s[i]]&classes != 0 {
		i++
	}
	return i
}

// SkipBack is the last place up to i, but not before low, before which no byte of the classes is.
//
//go:noinline
func SkipBack(s string, low, i int, classes uint16) int {
	for i > low && Class[s[i-1]]&classes != 0 {
		i--
	}
	return i
}

// SkipAny is Skip for the bytes of a list.
func SkipAny(s string, i int, list string) int {
	for i < len(s) && strings.IndexByte(list, s[i]) >= 0 {
		i++
	}
	return i
}

// SkipBackAny is SkipBack for the bytes of a list.
func SkipBackAny(s string, low, i int, list string) int {
	for i > low && strings.IndexByte(list, s[i-1]) >= 0 {
		i--
	}
	return i
}

// SkipAnswer passes over a word and a colon at p, which introduce an answer: A: x, Answer: x.
func SkipAnswer(s string, p int) int {
	end := p
	for end < len(s) && end-p < 16 && (IsLetter(s[end]) || s[end] >= 0x80) {
		end++
	}
	if end > p && end+1 < len(s) && s[end] == ':' && s[end+1] == ' ' {
		return end + 2
	}
	return p
}
