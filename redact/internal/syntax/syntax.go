// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"math/bits"
	"strings"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
)

// LooksLikeJSON reports whether s begins as an object, an array or a string does.
func LooksLikeJSON(s string) bool {
	i := SkipBlank(s, 0)
	if i >= len(s) {
		return false
	}
	switch s[i] {
	case '{':
		i = SkipBlank(s, i+1)
		return i == len(s) || s[i] == '"' || s[i] == '}'
	case '[':
		i = SkipBlank(s, i+1)
		return i == len(s) || strings.IndexByte(`"{[]-0123456789tfn`, s[i]) >= 0
	case '"': // but for the cells of a table: "login" "password"
		end, _ := StringEnd(s, i+1)
		return !strings.HasPrefix(s[min(end+1, len(s)):], " \"") && !strings.HasPrefix(s[min(end+1, len(s)):], "\t\"")
	}
	return false
}

// SkipBlank is the first place from i on that JSON does not take for white space.
//
//go:noinline
func SkipBlank(s string, i int) int {
	return chars.Skip(s, i, chars.Space)
}

// StringEnd is QuotedEnd for who does not care about escapes.
func StringEnd(s string, i int) (end int, closed bool) {
	end, _, closed = QuotedEnd(s, i)
	return end, closed
}

// QuotedEnd finds the quote that closes the JSON string whose inside begins at i.
func QuotedEnd(s string, i int) (end int, escaped, closed bool) {
	for p := i; p < len(s); {
		if len(s)-p >= 8 {
			w := chars.Word8(s, p)
			found := chars.HasByte8(w, '"') | chars.HasByte8(w, '\\')
			if found == 0 {
				if p += 8; p-i > 32 && !escaped { // a long one: let the library look
					if p = plainEnd(s, p); p == len(s) {
						break
					}
				}
				continue
			}
			p += bits.TrailingZeros64(found) / 8
		}
		switch s[p] {
		case '"':
			return p, escaped, true
		case '\\':
			escaped = true
			p++
		}
		p++
	}
	return len(s), escaped, false
}

// plainEnd is the first quote or backslash in s from p on, or its end.
func plainEnd(s string, p int) int {
	if n := strings.IndexByte(s[p:], '"'); n >= 0 {
		s = s[:p+n]
	}
	if n := strings.IndexByte(s[p:], '\\'); n >= 0 {
		return p + n
	}
	return len(s)
}

// IsNumber reports whether JSON text is a number alone.
func IsNumber(s string) bool {
	for i := range len(s) {
		if !chars.IsDigit(s[i]) && !chars.IsSpace(s[i]) && strings.IndexByte("+-.eE", s[i]) < 0 {
			return false
		}
	}
	return true
}

// Text is b as a string, without a copy. b must not change while the string is in use.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// SkipValue is the end of the value that begins at i, by brackets and quotes alone.
func SkipValue(s string, i int) int {
	open := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			end, _, _ := QuotedEnd(s, i+1)
			i = min(end+1, len(s))
			if open == 0 {
				return i
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			if open--; open < 0 {
				return i
			}
			if open == 0 {
				return i + 1
			}
		case ',':
			if open == 0 {
				return i
			}
		}
		i++
	}
	return i
}
