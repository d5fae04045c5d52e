// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// URLEnd is where the URL ends whose authority begins at p, limit at most. Placeholders of templates
// belong to it.
func URLEnd(s string, p, limit int) int {
	end := p
	braces := 0
	for end < limit {
		c := s[end]
		if c == '{' {
			braces++
		} else if c == '}' {
			braces--
		}
		if c == '"' || c == '<' && braces == 0 && end > p && !angleIn(s, end) || c == '>' && braces == 0 &&
			!angleOut(s, p, end) || c == '`' || chars.IsSpace(c) && braces <= 0 || c == '\\' && end+1 < limit &&
			strings.IndexByte(`"nrt`, s[end+1]) >= 0 {
			break
		}
		end++
	}
	return end
}

// angleIn reports whether the '<' at i begins a <placeholder> within a URL.
func angleIn(s string, i int) bool {
	n := strings.IndexAny(s[i:min(len(s), i+40)], "> \n")
	return n > 1 && s[i+n] == '>' && chars.IsIdentifier(strings.ReplaceAll(s[i+1:i+n], "-", "_")) && i+n+1 < len(s) &&
		strings.IndexByte(":@/", s[i+n+1]) >= 0
}

// angleOut reports whether the '>' at i ends such a placeholder of the URL that begins at p.
func angleOut(s string, p, i int) bool {
	n := chars.LastByte(s[max(p, i-40):i], '<')
	return n >= 0 && angleIn(s, max(p, i-40)+n)
}

// Userinfo finds the '@' that ends the userinfo of the authority at p, and the first
// colon before it; -1 if there is none. A password may hold what should have been
// escaped: '@', '/', '#', '?'.
func Userinfo(s string, p, end int) (at, colon int) {
	at, colon = -1, -1
	for q := p; q < end; q++ {
		switch s[q] {
		case '@':
			at = q
		case ':':
			if colon < 0 {
				colon = q
			}
		case '/', '?', '#':
			if at >= 0 || colon < 0 || !passwordGoesOn(s, colon, q, end) {
				return check(p, at, colon)
			}
		}
	}
	return check(p, at, colon)
}

func check(p, at, colon int) (int, int) {
	if at <= p {
		return -1, -1
	}
	if colon > at {
		colon = -1
	}
	return at, colon
}

// passwordGoesOn reports whether the '/', '?' or '#' at q belongs to a password: an '@'
// and a host follow, and what stands between colon and q is no port.
func passwordGoesOn(s string, colon, q, end int) bool {
	port := q > colon+1
	for k := colon + 1; k < q; k++ {
		port = port && chars.IsDigit(s[k])
	}
	if port {
		return false
	}
	rest := s[q+1 : end]
	at := chars.LastByte(rest, '@')
	if at <= 0 || at+1 >= len(rest) || !chars.IsAlnum(rest[at+1]) {
		return false
	}
	slash := strings.IndexByte(rest, '/')
	return slash < 0 || at < slash
}
