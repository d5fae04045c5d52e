// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// maxURL is how much of a URL is looked at, in bytes.
const maxURL = 2 << 10

// urlHit looks at the userinfo of the URL (RFC 3986, 3.2.1) whose "://" is at i. Secrets
// in its query and fragment have names, and are found by those.
func (sc *scanner) urlHit(s string, i int) int {
	if i == 0 || !isAlnum(s[i-1]) {
		return 0
	}
	p := i + 3
	limit := min(len(s), p+maxURL)
	if p == limit {
		return 0
	}
	end := p
	braces := 0
	for end < limit {
		c := s[end]
		if c == '{' {
			braces++
		} else if c == '}' {
			braces--
		}
		if c == '"' || c == '<' && braces == 0 && end > p && !angleIn(s, end) || c == '>' && braces == 0 && !angleOut(s, p, end) || c == '`' || isSpace(c) && braces <= 0 || c == '\\' && end+1 < limit && strings.IndexByte(`"nrt`, s[end+1]) >= 0 {
			break
		}
		end++
	}
	sc.spend(end - p)
	at, colon := userinfo(s, p, end)
	if at < 0 {
		return 0
	}
	if colon < 0 {
		if v := s[p:at]; len(v) >= 16 && random(v) && !isReference(v) {
			return sc.takeNamed(s, p, at, idURLPassword)
		}
		return 0
	}
	v := s[colon+1 : at]
	if v == "x-oauth-basic" { // the name is a token
		if u := s[p:colon]; len(u) >= 16 && !isReference(strings.TrimLeft(u, `\`)) && !isRepeated(u) {
			return sc.takeNamed(s, p, colon, idURLPassword)
		}
		return 0
	}
	if v == "" || isReference(v) || isRepeated(v) || strings.HasPrefix(v, "${") || strings.HasPrefix(v, "{") && strings.HasSuffix(v, "}") || strings.HasPrefix(v, "$") && isIdentifier(v[1:]) {
		return 0
	}
	if u := s[p:colon]; len(u) >= 8 && isHex(u) && hasDigit(u) {
		return sc.takeNamed(s, p, at, idURLPassword) // the name is drawn by chance as well
	}
	return sc.takeNamed(s, colon+1, at, idURLPassword)
}

// angleIn and angleOut keep <placeholders> within a URL.
func angleIn(s string, i int) bool {
	n := strings.IndexAny(s[i:min(len(s), i+40)], "> \n")
	return n > 1 && s[i+n] == '>' && isIdentifier(strings.ReplaceAll(s[i+1:i+n], "-", "_")) && i+n+1 < len(s) && strings.IndexByte(":@/", s[i+n+1]) >= 0
}

func angleOut(s string, p, i int) bool {
	n := strings.LastIndexByte(s[max(p, i-40):i], '<')
	return n >= 0 && angleIn(s, max(p, i-40)+n)
}

// userinfo finds the '@' that ends the userinfo of the authority at p, and the first
// colon before it; -1 if there is none. A password may hold what should have been
// escaped: '@', '/', '#', '?'.
func userinfo(s string, p, end int) (at, colon int) {
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
		port = port && isDigit(s[k])
	}
	if port {
		return false
	}
	rest := s[q+1 : end]
	at := strings.LastIndexByte(rest, '@')
	if at <= 0 || at+1 >= len(rest) || !isAlnum(rest[at+1]) {
		return false
	}
	slash := strings.IndexByte(rest, '/')
	return slash < 0 || at < slash
}
