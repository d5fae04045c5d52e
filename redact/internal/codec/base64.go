// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	b64 "encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

// PercentEncoded reports whether some of s is.
func PercentEncoded(s string) bool {
	for len(s) >= 3 {
		if chars.Class[s[1]]&chars.Class[s[2]]&chars.Hex != 0 {
			return true
		}
		i := strings.IndexByte(s[1:], '%')
		if i < 0 {
			return false
		}
		s = s[1+i:]
	}
	return false
}

// MinEncoded is the shortest run of base64 that is opened, in bytes.
const MinEncoded = 20

// BrokenAround reports whether no run of base64 around i can have MinEncoded bytes, since
// blanks, quotes or the text's end stand within eight bytes on both sides.
func BrokenAround(s string, i int) bool {
	return i >= 8 && hasBlank8(chars.First8(s[i-8:])) &&
		(i+9 > len(s) || hasBlank8(chars.First8(s[i+1:])))
}

// hasBlank8 reports whether one of eight bytes is less than '#': a blank, a line's end, a
// quote.
func hasBlank8(w uint64) bool {
	const each = 0x0101010101010101
	return (w-'#'*each)&^w&(0x80*each) != 0
}

// OpensToText reports whether the first 20 bytes decode to printable text.
func OpensToText(run string) bool {
	var in, out [MinEncoded]byte
	for i := range in {
		in[i] = StandardAlphabet(run[i])
	}
	n, err := b64.RawStdEncoding.Decode(out[:], in[:])
	return err == nil && printable(out[:n])
}

// InBlock reports whether [start,end) is a part of a longer run of base64 rather than a word. What crosses the end of a
// line is judged by its first one.
func InBlock(s string, start, end int) bool {
	const most, class = 128, chars.Alnum | chars.Plus // without the signs for URLs, which are in names and tokens
	to := chars.Skip(s[:min(len(s), end+most)], start, class)
	return isMixed(s[chars.SkipBack(s, max(0, start-most), start, class):start]) || to > end && isMixed(s[end:to])
}

// isMixed reports whether v has digits, small letters and capitals, and seldom a slash, as paths do.
func isMixed(v string) bool {
	set, slashes := uint16(0), 0
	for i := range len(v) {
		set |= chars.Class[v[i]]
		if v[i] == '/' {
			slashes += 8
		}
	}
	const all = chars.Digit | chars.Lower | chars.Upper
	return len(v) >= 16 && set&all == all && slashes <= len(v)
}

// IsText reports whether at most one byte of ten is none of a text in UTF-8.
func IsText(v string) bool {
	bad := 0
	for _, r := range v {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			bad += 10
		}
	}
	return bad <= len(v)
}

// StandardAlphabet is the byte of standard base64 that c of the alphabet for URLs stands for.
func StandardAlphabet(c byte) byte {
	switch c {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return c
}

// printable reports whether b is the beginning of a text in UTF-8 without control
// characters.
func printable(b []byte) bool {
	for len(b) > 0 {
		if c := b[0]; c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n < 2 {
			return !utf8.FullRune(b) // cut off at the end
		}
		b = b[n:]
	}
	return true
}
