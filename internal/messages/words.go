// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

// wordEnd is where the word that begins at i ends.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, width := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) || r == utf8.RuneError && width == 1 {
			break
		}
		i += width
	}
	return i
}

// after reports whether the rune before i is of a kind.
func after(s string, i int, of func(rune) bool) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i > 0 && of(r)
}

func isWord(r rune) bool     { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
func isWordByte(c byte) bool { return c == '_' || chars.IsAlnum(c) || c >= utf8.RuneSelf }

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if chars.IsDigit(s[i]) {
			n++
		}
	}
	return n
}
