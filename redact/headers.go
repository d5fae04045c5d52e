// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// schemes are HTTP authentication schemes that stand before credentials without a
// header's name.
var schemes = []string{"bearer ", "basic ", "digest ", "bearer:", "negotiate "}

// schemeHit looks at the credentials after a scheme.
func (sc *scanner) schemeHit(s string, i, end int) int {
	if i > 0 && isAlnum(s[i-1]) {
		return 0
	}
	for end < len(s) && s[end] == ' ' {
		end++
	}
	stop := credentialsEnd(s, end)
	v := s[end:stop]
	sc.spend(stop - end)
	if len(v) < 12 || isReference(v) || isPlaceholder(v) || !plausible(strings.Trim(v, "=")) {
		return 0
	}
	return sc.takeNamed(s, end, stop, idAuthorization)
}

// credentialsEnd is the end of the token68 (RFC 9110, 11.2) at p.
func credentialsEnd(s string, p int) int {
	q := p
	for q < len(s) && q-p < maxValue && (chars[s[q]]&chB64 != 0 || s[q] == '.' || s[q] == '=' || s[q] == '~' || s[q] == ':') {
		q++
	}
	for q > p && (s[q-1] == '.' || s[q-1] == ':') {
		q--
	}
	return q
}

// maxHeader is how much of a header's value is looked at, in bytes.
const maxHeader = 4 << 10

// headerValue removes the credentials of an Authorization header, leaving the scheme,
// and all of a Cookie header. done is false if the value is like any other.
func (sc *scanner) headerValue(s string, o operand, d verdict) (next int, done bool) {
	if o.op == '~' || o.op == '(' {
		return 0, false
	}
	if d.kind != idAuthorization && d.kind != idCookie {
		word := s[o.start:o.end]
		if i := strings.IndexByte(word, ' '); i > 0 {
			word = word[:i]
		}
		if !isKnownScheme(word) {
			return 0, false
		}
	}
	line := o.end
	if !o.quoted {
		line = o.start
		for line < len(s) && line-o.start < maxHeader && s[line] != '\n' && s[line] != '\r' && s[line] != '"' && s[line] != '\'' && s[line] != '\\' {
			line++
		}
	}
	sc.spend(line - o.start)
	v := s[o.start:line]
	if d.kind == idCookie {
		return sc.cookies(s, o.start, line)
	}
	if isKnownScheme(v) {
		return 0, true
	}
	space := strings.IndexByte(v, ' ')
	if space < 0 {
		return 0, false
	}
	known := isKnownScheme(v[:space])
	if !known && (d.kind != idAuthorization || space > 24 || !isIdentifier(strings.ReplaceAll(v[:space], "-", ""))) {
		return 0, false
	}
	start := o.start + space + 1
	for start < line && s[start] == ' ' {
		start++
	}
	stop := line
	if !equalFold(v[:space], "digest") {
		stop = start
		for stop < line && !isSpace(s[stop]) && s[stop] != ',' && s[stop] != ';' {
			stop++
		}
	}
	cred := s[start:stop]
	if isMark(cred) || cred != "" && cred[0] == '<' && strings.IndexByte(s[start:line], '>') > 0 {
		return 0, true
	}
	if !hasAlnum(cred) || isReference(cred) || isPlaceholder(cred) || isFieldName(cred) || !known && !plausible(strings.Trim(cred, "=")) ||
		d.kind != idAuthorization && (len(cred) < 8 || len(cred) < 20 && !hasDigit(cred)) {
		return 0, known
	}
	return sc.takeNamed(s, start, stop, idAuthorization), true
}

func isKnownScheme(v string) bool {
	if len(v) > len("aws4-hmac-sha256") {
		return false
	}
	for _, k := range [...]string{"bearer", "basic", "token", "apikey", "digest", "negotiate", "bot", "key", "hmac", "splunk", "genie-key", "aws4-hmac-sha256", "ntlm", "oauth", "api-key", "jwt"} {
		if equalFold(v, k) {
			return true
		}
	}
	return false
}

// cookies removes the values of "a=b; c=d" as one, from the first value on.
func (sc *scanner) cookies(s string, start, stop int) (next int, done bool) {
	v := s[start:stop]
	eq := strings.IndexByte(v, '=')
	if eq <= 0 || eq > 64 || strings.IndexByte(v[:eq], ' ') >= 0 {
		return 0, false
	}
	first := start + eq + 1
	if end := strings.Index(s[first:stop], "; "); end >= 0 && cookieAttribute(s[first+end+2:stop]) {
		stop = first + end // Set-Cookie: the attributes stay
	}
	v = s[first:stop]
	if len(v) < 6 || isReference(v) || isLiteral(v) {
		return 0, true
	}
	return sc.take(s, first, stop, idCookie), true
}

func cookieAttribute(s string) bool {
	for _, a := range [...]string{"path", "expires", "max-age", "domain", "httponly", "secure", "samesite"} {
		if hasFold(s, 0, a) {
			return true
		}
	}
	return false
}
