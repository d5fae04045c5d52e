// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// tokenRule knows an issuer's tokens by their prefix and by what follows it.
type tokenRule struct {
	prefix   string
	kind     string
	alphabet alphabet
	min, max int // bytes after the prefix
}

type alphabet uint16

const (
	alnum    alphabet = 1 << iota // A-Z a-z 0-9
	lowHex                        // 0-9 a-f
	upper                         // A-Z 0-9
	url                           // alnum _ -
	dots                          // url and .
	base64                        // alnum + / =
	lowAlnum                      // a-z 0-9
	percent                       // % and \
	comma                         // ,
	dollar                        // $
)

var alphabets = func() (t [256]alphabet) {
	for c := range 256 {
		b := byte(c)
		digit, low, up := b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z'
		if digit || low || up {
			t[c] |= alnum | url | dots | base64
		}
		if digit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			t[c] |= lowHex
		}
		if digit || up {
			t[c] |= upper
		}
		if digit || low {
			t[c] |= lowAlnum
		}
		if b == ',' {
			t[c] |= comma
		}
		if b == '$' {
			t[c] |= dollar
		}
		if b == '%' || b == '\\' {
			t[c] |= percent
		}
		if b == '_' || b == '-' {
			t[c] |= url | dots
		}
		if b == '.' {
			t[c] |= dots
		}
		if b == '+' || b == '/' || b == '=' {
			t[c] |= base64
		}
	}
	return t
}()

// fits reports whether what follows the prefix can be a token: with a short prefix
// it has to look drawn by chance, a long one or a fixed length says enough.
func (r *tokenRule) fits(v string) bool {
	switch {
	case strings.HasSuffix(v, "EXAMPLE") || strings.Contains(v, "EXAMPLEEXAMPLE") || strings.HasPrefix(v, "xxxxxxxx") && len(r.prefix) > 3:
		return false
	case r.prefix == "sk_" || r.prefix == "PRD-" || r.prefix == "SBX-" || r.prefix == "pi_" || r.prefix == "cio": // also the beginning of names
		return random(v) || randomPart(r.prefix+v)
	case r.prefix == "s.": // also what comes after a variable of that name
		return hasDigit(v) && random(v) && !pronounceable(v)
	case len(r.prefix) > 3 && (strings.Trim(v, "xX") == "" || isRepeatedBody(r.prefix+v)):
		return false
	case r.kind == "huggingface-token" && !hasDigit(v):
		return random(v)
	case r.kind == "artifactory-token":
		return r.prefix != "AP" || alphabets[v[0]]&lowHex != 0 && !(v[0] >= 'a' && v[0] <= 'f')
	case r.min == r.max || len(r.prefix) >= 7:
		return true
	}
	return drawn(v)
}

// drawn reports whether what follows a prefix looks drawn by chance: words with
// separators do not.
func drawn(v string) bool {
	var seen [256]bool
	different := 0
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			different++
		}
	}
	if different < 5 {
		return false
	}
	return hasDigit(v) || !pronounceable(v) || len(v) >= 20 && strings.IndexByte(v, '-') < 0 && strings.IndexByte(v, '_') < 0
}

// isWord reports whether the prefix may be part of a file's name or of a hyphenated word.
func (r *tokenRule) isWord() bool {
	return len(r.prefix) <= 5 && chars[r.prefix[0]]&chLower != 0
}

// match is the rule as a detector's match.
func (r *tokenRule) match(s string, at, p int) (int, int, bool) {
	if !strings.HasPrefix(s[at:], r.prefix) || at > 0 && (isAlnum(s[at-1]) || r.isWord() && at > 1 && strings.IndexByte("-.", s[at-1]) >= 0 && isAlnum(s[at-2])) {
		return 0, 0, false
	}
	end := p
	for end < len(s) && alphabets[s[end]]&r.alphabet != 0 && (r.max == 0 || end-p <= r.max) {
		end++
	}
	for end-p > r.min && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	n := end - p
	if n < r.min || r.max > 0 && n > r.max || end < len(s) && alphabets[s[end]]&alnum != 0 || patterned(s[p:end]) || !r.fits(s[p:end]) {
		return at, end, false
	}
	return at, end, true
}
