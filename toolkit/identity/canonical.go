// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
)

// AppendCanonical appends the one spelling of the arguments: JSON without white space,
// members in the order of their names' bytes, strings with no escape but those JSON
// requires, numbers as digits without zeros at either end and an exponent. Arguments are
// equal if and only if these texts are, in any process: what is kept outside this
// one is found by it, or by a digest of it.
func (a *Arguments) AppendCanonical(dst []byte) []byte {
	start := space(a.raw, 0)
	if start == len(a.raw) {
		return append(dst, "{}"...)
	}
	dst, _ = appendCanonical(dst, a.raw, start, a.volatile)
	return dst
}

// appendCanonical appends the value that begins at i and returns where it ends.
func appendCanonical(dst, p []byte, i int, volatile []string) (out []byte, end int) {
	switch c := p[i]; c {
	case '"':
		end, _ := scanString(p, i+1)
		return appendString(dst, appendText(nil, p[i+1:end])), end + 1
	case '[':
		dst = append(dst, c)
		first := true
		for i = space(p, i+1); p[i] != ']'; i = nextElement(p, i) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, i = appendCanonical(dst, p, i, nil)
		}
		return append(dst, ']'), i + 1
	case '{':
		return appendObject(dst, p, i+1, volatile)
	case 't', 'f', 'n':
		end = i + len("true")
		if c == 'f' {
			end = i + len("false")
		}
		return append(dst, p[i:end]...), end
	}
	n, end := readNumber(p, i)
	return n.append(dst), end
}

// A canonicalMember is one of an object, in its one spelling.
type canonicalMember struct{ name, value []byte }

// byName sorts members. Programs have the code of sort.Sort anyway, and none of slices.SortFunc for members.
type byName []canonicalMember

func (m byName) Len() int           { return len(m) }
func (m byName) Less(i, k int) bool { return bytes.Compare(m[i].name, m[k].name) < 0 }
func (m byName) Swap(i, k int)      { m[i], m[k] = m[k], m[i] }

func appendObject(dst, p []byte, i int, volatile []string) (out []byte, end int) {
	var entries byName
	for i = space(p, i); p[i] != '}'; i = nextElement(p, i) {
		close, _ := scanString(p, i+1)
		e := canonicalMember{name: appendText(nil, p[i+1:close])}
		i = space(p, space(p, close+1)+1)
		e.value, i = appendCanonical(nil, p, i, nil)
		if !slices.Contains(volatile, string(e.name)) {
			entries = append(entries, e)
		}
	}
	sort.Sort(entries)
	dst = append(dst, '{')
	for k, e := range entries {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, e.name), ':')
		dst = append(dst, e.value...)
	}
	return append(dst, '}'), i + 1
}

// appendString appends valid UTF-8 as a JSON string.
func appendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// append appends the number's one spelling.
func (n number) append(dst []byte) []byte {
	if n.negative {
		dst = append(dst, '-')
	}
	if n.long != nil {
		dst = n.appendDigits(dst)
	} else {
		dst = strconv.AppendUint(dst, n.digits, 10)
	}
	if n.exp != 0 {
		dst = strconv.AppendInt(append(dst, 'e'), n.exp, 10)
	}
	return dst
}
