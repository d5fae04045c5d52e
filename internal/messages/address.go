// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import "strings"

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
