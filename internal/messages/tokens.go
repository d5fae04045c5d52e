// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
)

// The functions below return how long a token of some kind is at the beginning of s;
// 0 if there is none.

// marks are the kinds that Normalise writes.
var marks = []string{"<num>", "<duration>", "<time>", "<uuid>", "<hex>", "<id>", "<path>", "<url>", "<addr>",
	"<email>", "<str>"}

func markLen(s string) int {
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return len(m)
		}
	}
	return 0
}

// maxQuoted is how far the end of a quotation is looked for.
const maxQuoted = 1024

// quoted is a text in quotation marks within one line; a backslash escapes.
func quoted(s string, mark byte) int {
	for i := 1; i < min(len(s), maxQuoted); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case mark:
			if mark == '\'' && i+1 < len(s) && isWordByte(s[i+1]) {
				continue // an apostrophe within a word
			}
			return i + 1
		}
	}
	return 0
}

func pathLen(s string) int {
	n := 0
	for n < len(s) && (isWordByte(s[n]) || strings.IndexByte("/.-~@+%=,*", s[n]) >= 0) {
		n++
	}
	return len(strings.TrimRight(s[:n], ".,"))
}

func windowsPathLen(s string) int {
	if len(s) < 4 || !chars.IsLetter(s[0]) || s[1] != ':' || s[2] != '\\' {
		return 0
	}
	n := 3
	for n < len(s) && (isWordByte(s[n]) || strings.IndexByte("\\.-~", s[n]) >= 0) {
		n++
	}
	return n
}

func uuidLen(s string) int {
	if len(s) < 36 || len(s) > 36 && isWordByte(s[36]) || !recognise.UUID(s[:36]) {
		return 0
	}
	return 36
}

// numberLen is an integer or decimal number, with separators and exponent.
func numberLen(s string) int {
	n := digits(s)
	for n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ',' || s[n] == '_') && chars.IsDigit(s[n+1]) {
		n += 1 + digits(s[n+1:])
	}
	if n > 0 && n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		sign := n + 1
		if sign < len(s) && (s[sign] == '+' || s[sign] == '-') {
			sign++
		}
		if d := digits(s[min(sign, len(s)):]); d > 0 && (sign+d == len(s) || !isWordByte(s[sign+d])) {
			return sign + d
		}
	}
	return n
}

func digits(s string) int {
	n := 0
	for n < len(s) && chars.IsDigit(s[n]) {
		n++
	}
	return n
}
