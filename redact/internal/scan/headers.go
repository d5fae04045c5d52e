// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// schemeHit looks at the credentials after a scheme.
func (sc *Scanner) schemeHit(s string, i, end int) int {
	if i > 0 && chars.IsAlnum(s[i-1]) {
		return 0
	}
	end = chars.Skip(s, end, chars.Blank)
	stop := operands.CredentialsEnd(s, end)
	v := s[end:stop]
	sc.spend(stop - end)
	if len(v) < 12 || values.IsDigest(v) || values.IsReference(v) || values.IsPlaceholder(v) ||
		!chance.Plausible(strings.Trim(v, "=")) {
		return 0
	}
	return sc.takeNamed(s, end, stop, kinds.Authorization)
}

// maxHeader is how much of a header's value is examined, in bytes.
const maxHeader = 4 << 10

// headerValue removes the credentials of an Authorization header, leaving the scheme,
// and all of a Cookie header. done is false if the value is like any other.
func (sc *Scanner) headerValue(s string, o values.Operand, d names.Verdict) (next int, done bool) {
	if o.Op == '~' || o.Op == '(' {
		return 0, false
	}
	if d.Kind != kinds.Authorization && d.Kind != kinds.Cookie {
		word := s[o.Start:o.End]
		if i := strings.IndexByte(word, ' '); i > 0 {
			word = word[:i]
		}
		if !operands.IsKnownScheme(word) {
			return 0, false
		}
	}
	if !o.Quoted && o.Start < o.End && s[o.Start] == '[' { // as Go prints headers
		o.Start++
	}
	line := o.End
	if !o.Quoted {
		line = min(o.Start+maxHeader, len(s))
		line = min(line, sc.line.find(s, "\n\r\"'\\", o.Start))
	}
	sc.spend(line - o.Start)
	v := s[o.Start:line]
	if d.Kind == kinds.Cookie {
		return sc.cookies(s, o.Start, line)
	}
	if operands.IsKnownScheme(v) {
		return 0, true
	}
	space := strings.IndexByte(v, ' ')
	if space < 0 {
		return 0, false
	}
	known := operands.IsKnownScheme(v[:space])
	if !known && (d.Kind != kinds.Authorization || space > 24 || !chars.IsIdentifier(strings.ReplaceAll(v[:space],
		"-", ""))) {
		return 0, false
	}
	if chars.EqualFold(v[:space], "digest") {
		return sc.digestResponse(s, o.Start), true
	}
	start := chars.Skip(s[:line], o.Start+space+1, chars.Blank)
	stop := line
	for stop = start; stop < line && !chars.IsSpace(s[stop]) && s[stop] != ',' && s[stop] != ';' && s[stop] != ']'; {
		stop++
	}
	cred := s[start:stop]
	if strings.HasPrefix(cred, marks.Head) || cred != "" && cred[0] == '<' && strings.IndexByte(s[start:line], '>') > 0 {
		return 0, true
	}
	if !areCredentials(cred, known, d.Kind) {
		return 0, known
	}
	return sc.takeNamed(s, start, stop, kinds.Authorization), true
}

// digestResponse removes the response of a Digest header (RFC 7616) that begins at i: what else it
// has is no secret.
func (sc *Scanner) digestResponse(s string, i int) int {
	line := s[i:min(len(s), i+maxHeader)]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	const name = "response="
	at := strings.Index(line, name)
	if at < 0 {
		return 0
	}
	start := chars.SkipAny(s, i+at+len(name), "\\\"")
	return sc.takeNamed(s, start, chars.Skip(s, start, chars.Hex), kinds.Authorization)
}

// areCredentials reports whether what stands behind a scheme, which is a known one or not, is secret.
func areCredentials(v string, known bool, kind kinds.ID) bool {
	if n := len(v) - 1; n > 0 && v[n] == '=' && chars.Skip(v, 0, chars.Lower) == n { // realm="x"
		return false
	}
	if !chars.HasAlnum(v) || values.IsReference(v) || values.IsPlaceholder(v) || values.IsFieldName(v) ||
		!known && !chance.Plausible(strings.Trim(v, "=")) {
		return false
	}
	return kind == kinds.Authorization || len(v) >= 20 || len(v) >= 8 && chars.HasDigit(v)
}

// cookies removes the values of "a=b; c=d" as one, from the first value on.
func (sc *Scanner) cookies(s string, start, stop int) (next int, done bool) {
	v := s[start:stop]
	eq := strings.IndexByte(v, '=')
	if eq <= 0 || eq > 64 || strings.IndexByte(v[:eq], ' ') >= 0 {
		return 0, false
	}
	first := start + eq + 1
	if end := strings.Index(s[first:stop], "; "); end >= 0 && operands.CookieAttribute(s[first+end+2:stop]) {
		stop = first + end // Set-Cookie: the attributes stay
	}
	v = s[first:stop]
	if len(v) < 6 || values.IsReference(v) || values.IsLiteral(v) {
		return 0, true
	}
	return sc.takeSpan(s, first, stop, kinds.Cookie), true
}
