// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/chance"
)

// A tokenRule knows an issuer's tokens by their prefix and by what follows it.
type tokenRule struct {
	prefixes string // one or more, with '|' between them
	Kind     string
	Body     Alphabet // what follows the prefix, and how it has to look
	Min, Max int16    // bytes of the body; a max of 0 is no limit
	Source   Source
}

// First is the first prefix of a rule.
func (r *tokenRule) First() string {
	prefix, _, _ := strings.Cut(r.prefixes, "|")
	return prefix
}

// A Token is one prefix of a rule.
type Token struct {
	*tokenRule
	Prefix string
}

// Tokens lists the prefixes of all rules, in the order of the table.
var Tokens = func() (list []Token) {
	for i := range TokenRules {
		for _, prefix := range strings.Split(TokenRules[i].prefixes, "|") {
			list = append(list, Token{&TokenRules[i], prefix})
		}
	}
	return list
}()

// An Alphabet is a set of bytes. A rule's body combines alphabets with how it has to look.
type Alphabet uint32

const (
	alnum    Alphabet = chars.Alnum
	hexDigit Alphabet = chars.Hex
	upper    Alphabet = chars.Upper | chars.Digit
	lowAlnum Alphabet = chars.Lower | chars.Digit
	url      Alphabet = chars.URL
	dots     Alphabet = chars.Dotted
	base64   Alphabet = chars.Base64
	percent  Alphabet = chars.Percent
	comma    Alphabet = chars.Comma
	dollar   Alphabet = chars.Dollar
)

// How a body has to look.
const (
	looksRandom    Alphabet = 1 << (16 + iota) // drawn by chance: the prefix begins names, too
	looksMixed                                 // looksRandom with less doubt, for what has words in it by chance
	hasFigure                                  // with a digit
	figureOrRandom                             // with a digit, or else drawn by chance
	hexCapital                                 // the first byte is a digit or one of A to F
	IsUUID                                     // a UUID
	sure                                       // in any way
	crc62                                      // the last six bytes are a checksum of the rest: see checks
)

// Floored reports whether a body has to look drawn by chance, since the prefix is short or begins
// ordinary names.
func (r *Token) Floored() bool { return r.Body&(looksRandom|looksMixed) != 0 }

// fits reports whether what follows the prefix can be a token: with a short prefix
// it has to look drawn by chance, a long one or a fixed length says enough.
func (r *Token) fits(v string) bool {
	has := func(look Alphabet) bool { return r.Body&look != 0 }
	switch {
	case strings.HasSuffix(v, "EXAMPLE") || strings.Contains(v, "EXAMPLEEXAMPLE"):
		return false
	case len(r.Prefix) > 3 && (strings.HasPrefix(v, "xxxxxxxx")):
		return false
	case has(hasFigure) && !chars.HasDigit(v):
		return false
	case has(IsUUID):
		return recognise.UUID(v)
	case has(hexCapital) && !chars.IsDigit(v[0]) && (v[0] < 'A' || v[0] > 'F'):
		return false
	case has(hexCapital) && chance.IsRepeated(v[1:]):
		return true // an example in documents
	case has(looksRandom):
		return (chance.Random(v) || chance.RandomPart(r.Prefix+v)) && !hasZeros(v)
	case has(looksMixed):
		return chance.Plausible(v) || chance.RandomPart(r.Prefix+v)
	case len(r.Prefix) > 3 && (strings.Trim(v, "xX") == "" || chance.IsRepeatedBody(r.Prefix+v)):
		return false
	case has(figureOrRandom) && !chars.HasDigit(v):
		return chance.Random(v)
	case has(sure), int(r.Min) == int(r.Max), len(r.Prefix) >= 7:
		return true
	}
	return drawn(v)
}

// zeros are zero bytes in base64, as binary data has them. Tokens with a head of them have fewer behind it.
const zeros = "AAAAAAAAAAAA"

// hasZeros reports whether binary data is written in v.
func hasZeros(v string) bool { return strings.Contains(v, zeros) }

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
	return chars.HasDigit(v) || chance.Random(v) || len(v) >= 20 && strings.IndexByte(v, '-') < 0 &&
		strings.IndexByte(v, '_') < 0
}

// isWord reports whether the prefix may be part of a file's name or of a hyphenated word.
func (r *Token) isWord() bool {
	return len(r.Prefix) <= 5 && chars.Class[r.Prefix[0]]&chars.Lower != 0
}

// Glues reports whether a token is recognised even if a letter or digit stands directly before: its
// prefix has a separator, and occurs in no word.
func (r *Token) Glues() bool {
	return len(r.Prefix) >= 4 && int(r.Min) >= 16 && strings.IndexByte("_-", r.Prefix[len(r.Prefix)-1]) >= 0 &&
		(strings.IndexByte(r.Prefix, '_') >= 0 || len(r.Prefix) >= 6) && r.Kind != "lob-key" && r.Kind != "close-key"
}

// longestWord is the longest word that a token is glued to, in bytes.
const longestWord = 16

// wrapped finds the rest of a token on the next line, where [p,end) is the part of its body that ends
// a line.
func (r *Token) wrapped(s string, at, p, end int) (int, int, bool) {
	q := chars.SkipAny(s[:min(len(s), end+3)], end, "=\\\r")
	if q >= len(s) || s[q] != '\n' {
		return at, end, false
	}
	q = chars.Skip(s[:min(len(s), q+16)], q+1, chars.Blank|chars.Tab)
	stop := q
	for stop < len(s) && Alphabet(chars.Class[s[stop]])&r.Body != 0 && (int(r.Max) == 0 || end-p+stop-q <= int(r.Max)) {
		stop++
	}
	body := s[p:end] + s[q:stop]
	if stop == q || len(body) < int(r.Min) || int(r.Max) > 0 && len(body) > int(r.Max) || stop < len(s) && chars.IsAlnum(s[stop]) ||
		!chance.Random(body) || !r.fits(body) {
		return at, end, false
	}
	return at, stop, true
}

// match is the rule as a detector's match.
func (r *Token) match(s string, at, p int) (int, int, bool) {
	if !strings.HasPrefix(s[at:], r.Prefix) || at > 2 && s[at-3:at] == "pk_" {
		return 0, 0, false
	}
	if r.Body&crc62 != 0 && len(s)-p >= int(r.Max) && checks(s[p:p+int(r.Max)]) {
		return at, p + int(r.Max), true // whatever stands around it
	}
	glued := at > 0 && chars.IsAlnum(s[at-1])
	if glued && !r.Glues() || at > 1 && r.isWord() && strings.IndexByte("-.", s[at-1]) >= 0 && chars.IsAlnum(s[at-2]) {
		return 0, 0, false
	}
	end := r.bodyEnd(s, p)
	n := end - p
	if n < int(r.Min) && n >= 8 {
		return r.wrapped(s, at, p, end)
	}
	if glued && !apart(s, at, p, end) {
		return at, end, false
	}
	if n < int(r.Min) || int(r.Max) > 0 && n > int(r.Max) || end < len(s) && chars.Class[s[end]]&chars.Alnum != 0 ||
		chance.Patterned(s[p:end]) || !r.fits(s[p:end]) {
		return at, end, false
	}
	return at, end, true
}

// bodyEnd is the end of the body that begins at p, without the punctuation of a sentence.
func (r *Token) bodyEnd(s string, p int) int {
	end := p
	for end < len(s) && Alphabet(chars.Class[s[end]])&r.Body != 0 && (int(r.Max) == 0 || end-p <= int(r.Max)) {
		end++
	}
	for end-p > int(r.Min) && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	return end
}

// apart reports whether the word that the token at is glued to is not a part of something drawn by chance.
func apart(s string, at, p, end int) bool {
	word := s[chars.SkipBack(s, max(0, at-longestWord-1), at, chars.B64):at]
	return len(word) <= longestWord && !chars.HasDigit(word) && chance.Random(s[p:end])
}

// Named makes a match of a function that looks at a place and names the kind.
//
//go:noinline
func Named(f func(s string, at int) (int, int, string)) func(s string, at, end int) (int, int, bool) {
	return func(s string, at, _ int) (int, int, bool) {
		a, b, kind := f(s, at)
		return a, b, kind != ""
	}
}
