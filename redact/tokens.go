// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// A tokenRule knows an issuer's tokens by their prefix and by what follows it.
type tokenRule struct {
	prefixes string // one or more, with '|' between them
	kind     string
	body     alphabet // what follows the prefix, and how it has to look
	min, max int      // bytes of the body; a max of 0 is no limit
}

// A token is one prefix of a rule.
type token struct {
	*tokenRule
	prefix string
}

// tokens lists the prefixes of all rules, in the order of the table.
var tokens = func() (list []token) {
	for i := range tokenRules {
		for prefix := range strings.SplitSeq(tokenRules[i].prefixes, "|") {
			list = append(list, token{&tokenRules[i], prefix})
		}
	}
	return list
}()

// An alphabet is a set of bytes. A rule's body combines alphabets with how it has to look.
type alphabet uint32

const (
	alnum    alphabet = chAlnum
	hexDigit alphabet = chHex
	upper    alphabet = chUpper | chDigit
	lowAlnum alphabet = chLower | chDigit
	url      alphabet = chURL
	dots     alphabet = chDotted
	base64   alphabet = chBase64
	percent  alphabet = chPercent
	comma    alphabet = chComma
	dollar   alphabet = chDollar
)

// How a body has to look.
const (
	looksRandom    alphabet = 1 << (16 + iota) // drawn by chance: the prefix begins names, too
	looksMixed                                 // looksRandom with less doubt, for what has words in it by chance
	hasFigure                                  // with a digit
	figureOrRandom                             // with a digit, or else drawn by chance
	hexCapital                                 // the first byte is a digit or one of A to F
	sure                                       // in any way
)

// fits reports whether what follows the prefix can be a token: with a short prefix
// it has to look drawn by chance, a long one or a fixed length says enough.
func (r *token) fits(v string) bool {
	has := func(look alphabet) bool { return r.body&look != 0 }
	switch {
	case strings.HasSuffix(v, "EXAMPLE") || strings.Contains(v, "EXAMPLEEXAMPLE"):
		return false
	case len(r.prefix) > 3 && (strings.HasPrefix(v, "xxxxxxxx")):
		return false
	case has(hasFigure) && !hasDigit(v):
		return false
	case has(looksRandom):
		return random(v) || randomPart(r.prefix+v)
	case has(looksMixed):
		return plausible(v) || randomPart(r.prefix+v)
	case len(r.prefix) > 3 && (strings.Trim(v, "xX") == "" || isRepeatedBody(r.prefix+v)):
		return false
	case has(figureOrRandom) && !hasDigit(v):
		return random(v)
	case has(hexCapital):
		return isDigit(v[0]) || v[0] >= 'A' && v[0] <= 'F'
	case has(sure), r.min == r.max, len(r.prefix) >= 7:
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
func (r *token) isWord() bool {
	return len(r.prefix) <= 5 && chars[r.prefix[0]]&chLower != 0
}

// match is the rule as a detector's match.
func (r *token) match(s string, at, p int) (int, int, bool) {
	if !strings.HasPrefix(s[at:], r.prefix) || at > 0 && (isAlnum(s[at-1]) || r.isWord() && at > 1 && strings.IndexByte("-.", s[at-1]) >= 0 && isAlnum(s[at-2])) {
		return 0, 0, false
	}
	end := p
	for end < len(s) && alphabet(chars[s[end]])&r.body != 0 && (r.max == 0 || end-p <= r.max) {
		end++
	}
	for end-p > r.min && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	n := end - p
	if n < r.min || r.max > 0 && n > r.max || end < len(s) && chars[s[end]]&chAlnum != 0 || patterned(s[p:end]) || !r.fits(s[p:end]) {
		return at, end, false
	}
	return at, end, true
}
