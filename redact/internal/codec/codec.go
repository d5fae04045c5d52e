// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

// A Codec is a way that text is written within text. Its lead byte begins what is
// longer written than read; all else stands for itself.
type Codec byte

const (
	JSON    Codec = '\\' // the escapes of JSON, C and shells
	Percent Codec = '%'  // RFC 3986, 2.1
	NUL     Codec = 0    // UTF-16 of ASCII, seen as bytes
	ANSI    Codec = 0x1b // colours and the like of a terminal (ECMA-48, 5.4)
)

// step reads what begins with the lead byte at s[0]: how long it is written, and what
// it stands for.
func (c Codec) step(s string, out *[utf8.UTFMax]byte) (raw, n int) {
	switch c {
	case SoftHyphen, ZeroWidth, ByteOrder:
		if raw = invisibleAt(s); raw > 0 {
			return raw, 0
		}
		out[0] = s[0]
		return 1, 1
	case Entity:
		if raw, text := entityAt(s); raw > 0 {
			return raw, copy(out[:], text)
		}
		out[0] = s[0]
		return 1, 1
	case NUL:
		return 1, 0
	case ANSI:
		return controlEnd(s), 0
	case Percent:
		if len(s) >= 3 && chars.Class[s[1]]&chars.Class[s[2]]&chars.Hex != 0 {
			out[0] = hexValue(s[1])<<4 | hexValue(s[2])
			return 3, 1
		}
		out[0] = '%'
		return 1, 1
	}
	if len(s) < 2 {
		out[0] = '\\'
		return 1, 1
	}
	if plain := plainEscapes[s[1]]; plain != 0 {
		out[0] = plain
		return 2, 1
	}
	switch s[1] {
	case 'x':
		if len(s) >= 4 && chars.Class[s[2]]&chars.Class[s[3]]&chars.Hex != 0 {
			out[0] = hexValue(s[2])<<4 | hexValue(s[3])
			return 4, 1
		}
		out[0] = '\\'
		return 1, 1
	case 'u':
		r, ok := hex4(s)
		if !ok {
			out[0] = '\\'
			return 1, 1
		}
		raw = 6
		if r >= 0xd800 && r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := hex4(s[6:]); ok && low >= 0xdc00 && low < 0xe000 {
				r, raw = (r-0xd800)<<10|(low-0xdc00)+0x10000, 12
			}
		}
		return raw, utf8.EncodeRune(out[:], r) // lone surrogates become U+FFFD
	}
	out[0] = '\\'
	return 1, 1
}

// controlEnd is how long the control sequence at s[0] is: ESC, '[', parameters, and a
// letter.
func controlEnd(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	i := 2
	for i < len(s) && i < 32 && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 1
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || chars.Class[s[2]]&chars.Class[s[3]]&chars.Class[s[4]]&chars.Class[s[5]]&chars.Hex == 0 {
		return 0, false
	}
	return rune(hexValue(s[2]))<<12 | rune(hexValue(s[3]))<<8 | rune(hexValue(s[4]))<<4 | rune(hexValue(s[5])), true
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return (c | 0x20) - 'a' + 10
}

// Decode appends what s stands for, which is never longer than s.
func (c Codec) Decode(dst []byte, s string) []byte {
	dst = slices.Grow(dst, len(s)+8)
	out := dst[len(dst) : len(dst)+len(s)+8]
	n := 0
	for p := 0; p < len(s); {
		run := 8 // bytes up to the next escape, as far as is seen
		w := chars.Word8(s, p)
		if found := chars.HasByte8(w, byte(c)); found != 0 {
			run = bits.TrailingZeros64(found) / 8
		}
		binary.LittleEndian.PutUint64(out[n:], w)
		run = min(run, len(s)-p)
		if p, n = p+run, n+run; run == 8 || p == len(s) {
			continue
		}
		if c == JSON && p+1 < len(s) {
			if plain := plainEscapes[s[p+1]]; plain != 0 {
				out[n] = plain
				p, n = p+2, n+1
				continue
			}
		}
		var rune [utf8.UTFMax]byte
		raw, size := c.step(s[p:], &rune)
		p, n = p+raw, n+copy(out[n:], rune[:size])
	}
	return dst[:len(dst)+n]
}

// plainEscapes are what escapes of two bytes stand for in JSON, by the second one.
var plainEscapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/',
	'\'': '\''}

// A translator finds the places of a decoded text in the text s it was decoded from. It walks s
// once, so places are asked for in their order.
type translator struct {
	codec    Codec
	s        string
	raw, dec int // the same place in both texts
	lead     int // of the next escape in s; -1 if not looked for
}

// Translator is one for s.
func (c Codec) Translator(s string) translator { return translator{codec: c, s: s, lead: -1} }

// Place is where the byte at target of the decoded text comes from: of an escape that stands for
// several, its beginning or, with up, its end.
func (t *translator) Place(target int, up bool) int {
	var out [utf8.UTFMax]byte
	for {
		if t.lead < t.raw {
			i := strings.IndexByte(t.s[t.raw:], byte(t.codec))
			if i < 0 {
				t.lead = len(t.s)
			} else {
				t.lead = t.raw + i
			}
		}
		run := t.lead - t.raw
		if target <= t.dec+run {
			if target > t.dec {
				t.raw, t.dec = t.raw+target-t.dec, target
			}
			return t.raw
		}
		if t.lead >= len(t.s) {
			return len(t.s)
		}
		raw, n := t.codec.step(t.s[t.lead:], &out)
		if target < t.dec+run+n { // within what one escape stands for
			if up {
				return t.lead + raw
			}
			return t.lead
		}
		t.raw, t.dec = t.lead+raw, t.dec+run+n
	}
}
