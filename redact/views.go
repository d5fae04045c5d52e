// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	b64 "encoding/base64"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// maxViews is how many encodings within each other are opened in plain text.
const maxViews = 4

// views looks at plain text in the ways it may be meant: with escapes, percent and
// base64 encoding opened, without a terminal's colours, and JSON within it walked.
func (sc *scanner) views(s string, depth int) {
	if depth >= maxViews {
		return
	}
	if strings.IndexByte(s, '\\') >= 0 {
		sc.escapedLines(s, depth)
	}
	if i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s) && percentEncoded(s[i:]) {
		sc.view(s, 0, codecPercent, depth)
	}
	if strings.IndexByte(s, byte(codecANSI)) >= 0 {
		sc.view(s, 0, codecANSI, depth)
	}
	if i := strings.IndexByte(s, 0); i >= 0 && i < len(s)-1 {
		sc.view(s, 0, codecNUL, depth)
	}
	sc.encoded(s, depth)
	if sc.key.level > harmless && !sc.quick {
		sc.fragments(s, depth)
	}
}

// view scans what s stands for in c.
func (sc *scanner) view(s string, offset int, c codec, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.unsettled = true
	sc.count(len(s))
	base, mark := len(sc.spans), len(sc.buf)
	sc.buf = c.decode(sc.buf, s)
	sc.scanText(unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark), depth+1)
	translate(c, s, sc.spans[base:], offset)
	sc.buf = sc.buf[:mark]
}

// escapedLines scans the lines that have escapes in them, with the escapes opened.
func (sc *scanner) escapedLines(s string, depth int) {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '\\')
		if i < 0 {
			return
		}
		i += at
		if i+1 == len(s) || strings.IndexByte(`nrtux"'/\`, s[i+1]) < 0 {
			at = i + 1
			continue
		}
		start := at + strings.LastIndexByte(s[at:i], '\n') + 1
		end := len(s)
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			end = i + n
		}
		sc.view(s[start:end], start, codecJSON, depth)
		if sc.quick {
			return
		}
		at = end + 1
	}
}

// percentEncoded reports whether some of s is.
func percentEncoded(s string) bool {
	for len(s) >= 3 {
		if chars[s[1]]&chars[s[2]]&chHex != 0 {
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

// minEncoded is the shortest run of base64 that is opened, in bytes.
const minEncoded = 20

// encoded opens runs of base64 (RFC 4648, both alphabets) that decode to text. If
// something is found inside, the run is removed.
func (sc *scanner) encoded(s string, depth int) {
	for i := minEncoded - 1; i < len(s); i += minEncoded {
		if chars[s[i]]&chB64 == 0 || brokenAround(s, i) {
			continue
		}
		start, end := i, i+1
		for start > 0 && i-start < minEncoded && chars[s[start-1]]&chB64 != 0 {
			start--
		}
		for end < len(s) && chars[s[end]]&chB64 != 0 {
			end++
		}
		if end-start >= minEncoded {
			if opensToText(s[start:end]) {
				sc.openRun(s, start, end, depth)
			} else {
				sc.bareRandom(s, start, end)
			}
			if sc.quick && sc.suspect {
				return
			}
		}
		if end > i+1 {
			i = end - 1
		}
	}
}

// brokenAround reports whether no run of base64 around i can have minEncoded bytes, since
// blanks, quotes or the text's end stand within eight bytes on both sides.
func brokenAround(s string, i int) bool {
	return i >= 8 && hasBlank8(word8(s, i-8)) && hasBlank8(word8(s, i+1))
}

// hasBlank8 reports whether one of eight bytes is less than '#': a blank, a line's end, a
// quote, or none at all.
func hasBlank8(w uint64) bool {
	const each = 0x0101010101010101
	return (w-'#'*each)&^w&(0x80*each) != 0
}

// opensToText reports whether the first 20 bytes decode to printable text.
func opensToText(run string) bool {
	var in, out [minEncoded]byte
	for i := range in {
		in[i] = standardAlphabet(run[i])
	}
	n, err := b64.RawStdEncoding.Decode(out[:], in[:])
	return err == nil && printable(out[:n])
}

func standardAlphabet(c byte) byte {
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

// openRun scans what the run [start,end) decodes to.
func (sc *scanner) openRun(s string, start, end, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.unsettled = true
	run := s[start:end]
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	base, mark := len(sc.spans), len(sc.buf)
	for i := range len(run) {
		sc.buf = append(sc.buf, standardAlphabet(run[i]))
	}
	text := sc.buf[mark:]
	n, err := b64.RawStdEncoding.Decode(text, text)
	if err == nil && n > 0 {
		sc.stringValue(unsafe.String(unsafe.SliceData(text), n), verdict{}, depth+1)
	}
	sc.buf = sc.buf[:mark]
	if len(sc.spans) == base {
		return
	}
	for end < len(s) && s[end] == '=' {
		end++
	}
	found := sc.spans[base]
	sc.spans = append(sc.spans[:base], span{start: start, end: end, kind: found.kind, repl: found.repl, path: found.path})
}

// fragments walks the JSON objects within text, for what only their structure tells.
func (sc *scanner) fragments(s string, depth int) {
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], `{"`)
		if i < 0 {
			return
		}
		i += at
		end, _ := sc.walk(s, i, depth+1)
		sc.count(max(0, end-i))
		at = max(end, i+2)
	}
}
