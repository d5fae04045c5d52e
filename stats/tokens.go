// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The functions below tell how long a thing of some kind is at the beginning of s;
// 0 if there is none.

// marks are the kinds that normalise writes.
var marks = []string{"<num>", "<duration>", "<time>", "<uuid>", "<hex>", "<id>", "<path>", "<url>", "<addr>", "<email>", "<str>"}

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
	if len(s) < 4 || !isLetter(s[0]) || s[1] != ':' || s[2] != '\\' {
		return 0
	}
	n := 3
	for n < len(s) && (isWordByte(s[n]) || strings.IndexByte("\\.-~", s[n]) >= 0) {
		n++
	}
	return n
}

func urlLen(s string) int {
	i := strings.Index(s[:min(len(s), 24)], "://")
	if i < 2 {
		return 0
	}
	for j := range i {
		if !isWordByte(s[j]) && s[j] != '+' {
			return 0
		}
	}
	n := i + 3
	for n < len(s) && s[n] > ' ' && strings.IndexByte("\"'`<>(){},;", s[n]) < 0 {
		n++
	}
	return len(strings.TrimRight(s[:n], ".:"))
}

func emailLen(s string) int {
	n := 0
	for n < min(len(s), 64) && (isWordByte(s[n]) || strings.IndexByte(".+-", s[n]) >= 0) {
		n++
	}
	if n == 0 || n >= len(s) || s[n] != '@' {
		return 0
	}
	at := n
	for n++; n < len(s) && (isWordByte(s[n]) || s[n] == '.' || s[n] == '-'); n++ {
	}
	host := strings.TrimRight(s[at+1:n], ".-")
	if !strings.Contains(host, ".") {
		return 0
	}
	return at + 1 + len(host)
}

func uuidLen(s string) int {
	if len(s) < 36 || len(s) > 36 && isWordByte(s[36]) {
		return 0
	}
	for i := range 36 {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return 0
			}
		} else if !isHex(s[i]) {
			return 0
		}
	}
	return 36
}

// timeLen is a date, a time of day, or both, as RFC 3339 and Go's log print them.
func timeLen(s string) int {
	n := 0
	if d := pattern(s, "dddd-dd-dd"); d > 0 {
		n = d
	} else if d := pattern(s, "dddd/dd/dd"); d > 0 {
		n = d
	}
	if n > 0 && n < len(s) && (s[n] == 'T' || s[n] == ' ') {
		if c := clockLen(s[n+1:]); c > 0 {
			return n + 1 + c
		}
	}
	if n == 0 {
		return clockLen(s)
	}
	if n < len(s) && isWordByte(s[n]) {
		return 0
	}
	return n
}

func clockLen(s string) int {
	n := pattern(s, "dd:dd:dd")
	if n == 0 {
		return 0
	}
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		d := digits(s[n+1:])
		if d > 0 {
			n += 1 + d
		}
	}
	if n < len(s) && s[n] == 'Z' {
		return n + 1
	}
	if z := max(pattern(s[n:], "+dd:dd"), pattern(s[n:], "-dd:dd")); z > 0 {
		return n + z
	}
	return n
}

// pattern compares s with p, where d stands for a digit.
func pattern(s, p string) int {
	if len(s) < len(p) {
		return 0
	}
	for i := range len(p) {
		if p[i] == 'd' && !isDigit(s[i]) || p[i] != 'd' && s[i] != p[i] {
			return 0
		}
	}
	return len(p)
}

// ip4Len is an IPv4 address with its port or prefix, if it has one.
func ip4Len(s string) int {
	n := 0
	for part := range 4 {
		d := digits(s[n:])
		if d == 0 || d > 3 {
			return 0
		}
		n += d
		if part < 3 {
			if n >= len(s) || s[n] != '.' {
				return 0
			}
			n++
		}
	}
	if n < len(s) && (isWordByte(s[n]) || s[n] == '.' && n+1 < len(s) && isDigit(s[n+1])) {
		return 0
	}
	return n + portLen(s[n:])
}

// ip6Len is an IPv6 address, in brackets with its port, or bare.
func ip6Len(s string) int {
	if strings.HasPrefix(s, "[") {
		if n := ip6Len(s[1:]); n > 0 && n+1 < len(s) && s[n+1] == ']' {
			return n + 2 + portLen(s[n+2:])
		}
		return 0
	}
	n, colons, double := 0, 0, false
	for n < min(len(s), 40) && (isHex(s[n]) || s[n] == ':') {
		if s[n] == ':' {
			colons++
			double = double || n > 0 && s[n-1] == ':'
		}
		n++
	}
	if n < len(s) && isWordByte(s[n]) || colons < 2 || colons > 7 || !double && colons < 7 || n < 3 {
		return 0
	}
	return n
}

func portLen(s string) int {
	if len(s) > 1 && (s[0] == ':' || s[0] == '/') {
		if d := digits(s[1:]); d > 0 {
			return 1 + d
		}
	}
	return 0
}

// numberLen is an integer or decimal number, with separators and exponent.
func numberLen(s string) int {
	n := digits(s)
	for n > 0 && n+1 < len(s) && (s[n] == '.' || s[n] == ',' || s[n] == '_') && isDigit(s[n+1]) {
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

// durationLen is a duration as Go prints it.
func durationLen(s string) int {
	n := 0
	for {
		d := numberLen(s[n:])
		if d == 0 {
			break
		}
		u := unitLen(s[n+d:])
		if u == 0 {
			return 0
		}
		n += d + u
	}
	if n < len(s) && isWordByte(s[n]) {
		return 0
	}
	return n
}

func unitLen(s string) int {
	for _, u := range [...]string{"ms", "ns", "us", "µs", "μs", "h", "m", "s"} {
		if strings.HasPrefix(s, u) {
			return len(u)
		}
	}
	return 0
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

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
func isWordByte(c byte) bool { return c == '_' || isDigit(c) || isLetter(c) || c >= utf8.RuneSelf }
func isLetter(c byte) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isHex(c byte) bool      { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func hasDigit(s string) bool { return countDigits(s) > 0 }

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}
