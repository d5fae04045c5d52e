// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"strings"

	"github.com/toolscope/toolscope/internal/recognise"
)

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
	if start, end := recognise.Email(s, n); start == 0 {
		return end
	}
	return 0
}

// ip4Len is an IPv4 address with its port or prefix, if it has one.
func ip4Len(s string) int {
	if _, _, n, ok := recognise.IPv4(s, 0); ok {
		return n + portLen(s[n:])
	}
	return 0
}

// ip6Len is an IPv6 address, in brackets with its port, or bare.
func ip6Len(s string) int {
	inside, bracketed := strings.CutPrefix(s, "[")
	_, _, n, ok := recognise.IPv6(inside, 0)
	switch {
	case !ok:
		return 0
	case !bracketed:
		return n
	case n < len(inside) && inside[n] == ']':
		return n + 2 + portLen(inside[n+1:])
	}
	return 0
}

func portLen(s string) int {
	if len(s) > 1 && (s[0] == ':' || s[0] == '/') {
		if d := digits(s[1:]); d > 0 {
			return 1 + d
		}
	}
	return 0
}
