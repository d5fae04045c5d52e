// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/bits"
	"strings"
	"unsafe"
)

// looksLikeJSON reports whether s begins as an object, an array or a string does.
func looksLikeJSON(s string) bool {
	i := skipBlank(s, 0)
	if i >= len(s) {
		return false
	}
	switch s[i] {
	case '{':
		i = skipBlank(s, i+1)
		return i == len(s) || s[i] == '"' || s[i] == '}'
	case '[':
		i = skipBlank(s, i+1)
		return i == len(s) || strings.IndexByte(`"{[]-0123456789tfn`, s[i]) >= 0
	case '"':
		return true
	}
	return false
}

func skipBlank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringValue finds the spans of a string that is a value: by its name, as JSON, as
// text.
func (sc *scanner) stringValue(v string, d verdict, depth int) {
	if len(v) < 2 {
		if d.level == secret && v != "" && isAlnum(v[0]) && sc.wholeNumber(v, d) {
			sc.take(v, 0, len(v), d.kind)
		}
		return
	}
	settled := sc.settled
	sc.settled = 0
	taken := d.level > harmless && sc.namedValue(v, d)
	sc.settled = settled
	if taken {
		return
	}
	if looksLikeJSON(v) {
		if depth > sc.e.limits.inner {
			sc.settled = 0
			sc.take(v, 0, len(v), idUnscanned)
			sc.settled = settled
			return
		}
		if sc.documents(v, depth+1) {
			return
		}
	}
	sc.scanText(v, depth)
}

// namedValue decides on a string whose name tells, and reports whether it was decided.
func (sc *scanner) namedValue(v string, d verdict) bool {
	if d.kind == idSignature {
		return false
	}
	o := operand{start: 0, end: len(v), op: ':', quoted: true}
	if n, done := sc.headerValue(v, o, d); done {
		return n > 0
	}
	if (v[0] == '{' || v[0] == '[') && looksLikeJSON(v) && d.level < secret {
		return false
	}
	return judge(v, "", d, o, false) && sc.takeNamed(v, 0, len(v), d.kind) > 0
}

// wholeNumber reports whether a number is worth removing under a name.
func (sc *scanner) wholeNumber(v string, d verdict) bool {
	digits := 0
	for i := range len(v) {
		if !isDigit(v[i]) {
			return false
		}
		digits++
	}
	switch d.kind {
	case idPIN, idSSN, idPassword:
		return digits >= 3
	}
	return digits >= 6
}

// documents walks one JSON text, or several behind one another, and reports whether all
// of v was that.
func (sc *scanner) documents(v string, depth int) bool {
	sc.count(len(v))
	base := len(sc.spans)
	ok := true
	for i := skipBlank(v, 0); i < len(v); i = skipBlank(v, i) {
		end, whole := sc.walk(v, i, depth)
		if !whole {
			ok = false
			break
		}
		i = end
	}
	sc.normalise(base)
	return ok
}

// innerString scans the inside [a,b) of a JSON string, and leaves the spans in the
// coordinates of s.
func (sc *scanner) innerString(s string, a, b int, escaped bool, d verdict, depth int) {
	base, mark := len(sc.spans), len(sc.buf)
	v := s[a:b]
	if escaped {
		sc.count(len(v))
		sc.buf = codecJSON.decode(sc.buf, v)
		v = unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark)
	}
	sc.stringValue(v, d, depth)
	sc.outward(s, a, b, escaped, base)
	sc.buf = sc.buf[:mark]
}

// outward translates the spans from base on, found in the string [a,b) of s.
func (sc *scanner) outward(s string, a, b int, escaped bool, base int) {
	if len(sc.spans) == base {
		return
	}
	sc.normalise(base)
	list := sc.spans[base:]
	if escaped {
		translate(codecJSON, s[a:b], list, a)
	} else {
		for i := range list {
			list[i].start += a
			list[i].end += a
		}
	}
	for i := range list {
		if list[i].quote > 0 {
			list[i].quote++
		}
		list[i].repl = escapeText(list[i].repl)
	}
}

// stringEnd is quotedEnd for who does not care about escapes.
func stringEnd(s string, i int) (end int, closed bool) {
	end, _, closed = quotedEnd(s, i)
	return end, closed
}

// quotedEnd finds the quote that closes the JSON string whose inside begins at i.
func quotedEnd(s string, i int) (end int, escaped, closed bool) {
	for p := i; p < len(s); {
		if len(s)-p >= 8 {
			w := word8(s, p)
			found := hasByte8(w, '"') | hasByte8(w, '\\')
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
