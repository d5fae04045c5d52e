// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// One bit or byte in each of a word's eight bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros marks the bytes of x that are 0: the lowest mark is exact.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// scanString finds the closing quote of the string whose text begins at i; -1 if
// the text is not valid. It is plain if it has no escapes.
func scanString(p []byte, i int) (end int, plain bool) {
	plain = true
	for {
		// Eight bytes at once, as long as none needs a look: a quote, a backslash, a
		// control character, a byte that is not ASCII.
		for i+8 <= len(p) {
			x := binary.LittleEndian.Uint64(p[i:])
			marks := zeros(x^ones*'"') | zeros(x^ones*'\\') | ((x-ones*0x20)&^x|x)&highs
			if marks != 0 {
				i += bits.TrailingZeros64(marks) >> 3
				break
			}
			i += 8
		}
		if i >= len(p) {
			return -1, false
		}
		switch c := p[i]; {
		case c == '"':
			return i, plain
		case c == '\\':
			_, n := escape(p[i:])
			if n < 0 {
				return -1, false
			}
			i, plain = i+n, false
		case c < 0x20:
			return -1, false
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(p[i:])
			if r == utf8.RuneError && n == 1 {
				return -1, false
			}
			i += n
		}
	}
}

// escape decodes the escape that p begins with; n is its length, -1 if it is not
// valid or half of a surrogate pair.
func escape(p []byte) (r rune, n int) {
	if len(p) < 2 {
		return 0, -1
	}
	switch p[1] {
	case '"', '\\', '/':
		return rune(p[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := hex4(p[2:])
		if !ok {
			return 0, -1
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(p) < 12 || p[6] != '\\' || p[7] != 'u' {
			return 0, -1
		}
		low, ok := hex4(p[8:])
		if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
			return 0, -1
		}
		return r, 12
	}
	return 0, -1
}

func hex4(p []byte) (r rune, ok bool) {
	if len(p) < 4 {
		return 0, false
	}
	for _, c := range p[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// appendText appends a valid string's text without its escapes.
func appendText(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			dst = append(dst, text[i])
			i++
			continue
		}
		r, n := escape(text[i:])
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

// A textReader reads a valid string's text byte by byte, without its escapes.
type textReader struct {
	text []byte
	buf  [utf8.UTFMax]byte
	rest []byte // of buf
}

func (t *textReader) next() (c byte, ok bool) {
	if len(t.rest) == 0 {
		switch {
		case len(t.text) == 0:
			return 0, false
		case t.text[0] != '\\':
			c, t.text = t.text[0], t.text[1:]
			return c, true
		}
		r, n := escape(t.text)
		t.text = t.text[n:]
		t.rest = utf8.AppendRune(t.buf[:0], r)
	}
	c, t.rest = t.rest[0], t.rest[1:]
	return c, true
}

// sameText compares two valid strings' texts, however they are escaped.
func sameText(a, b []byte) bool {
	x, y := textReader{text: a}, textReader{text: b}
	for {
		c, more := x.next()
		d, more2 := y.next()
		if c != d || more != more2 {
			return false
		}
		if !more {
			return true
		}
	}
}
