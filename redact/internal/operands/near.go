// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/values"
)

const (
	// nearBehind and nearBefore are how far from a name a value is looked for that no form binds to it, in bytes.
	nearBehind = 120
	nearBefore = 160
	// minNear is the shortest value that was made up, minDrawn one that is drawn by chance, and minWeak one of a name
	// that may stand for something else, in bytes.
	minNear, minDrawn, minWeak = 8, 16, 20
	// maxNear is how many words before and behind a name are examined closely.
	maxNear = 4
)

// A Near says what may be the value of a name that no form binds to it.
type Near struct {
	Password bool // what people make up, in quotes, behind a slash or directly behind the name
	Key      bool // also what may be an id or a digest, in quotes, or a digest directly behind the name
	Weak     bool // the name may stand for something else: only what is long and drawn by chance
}

// Value is the word on the line of the name [start,stop) that cannot be anything else than a secret, and that no other
// name speaks for. Words behind the name come first, then the last one before it. read is how many bytes were read.
func (n Near) Value(s string, start, stop int) (from, to, read int) {
	low, high := lineAround(s, start, stop)
	p := stop
	if p < high && !wordBounds[s[p]] { // the rest of the name's word
		_, _, p = boundWord(s, p, high)
	}
	for tries := 0; p < high && tries < maxNear; {
		if from, to, p = boundWord(s, p, high); to-from < minNear {
			continue
		}
		if tries++; n.is(s, from, to, follows(s, stop, from)) {
			return from, to, p - stop
		}
	}
	if from, to = wordBelow(s, high); to-from >= minNear && n.is(s, from, to, n.Password) {
		return from, to, to - stop
	}
	var last [maxNear][2]int
	tries := 0
	for p = low; p < start; {
		if from, to, p = boundWord(s, p, start); to-from >= minNear {
			last[tries%maxNear] = [2]int{from, to}
			tries++
		}
	}
	for i := tries - 1; i >= max(0, tries-maxNear); i-- {
		if word := last[i%maxNear]; n.is(s, word[0], word[1], false) {
			return word[0], word[1], high - low
		}
	}
	return 0, 0, high - low
}

// lineAround is what is read of the line on which the name [start,stop) stands, in whole words. The line may be one in
// a literal, with escaped line breaks.
func lineAround(s string, start, stop int) (low, high int) {
	rest := s[stop:min(len(s), stop+nearBehind)]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	high = stop + indexOr(rest, `\n`)
	low = max(0, start-nearBefore)
	before := s[low:start]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		return low + i + 1, high
	}
	for end := len(before); end > 0; {
		if end = strings.LastIndexByte(before[:end], '\\'); end >= 0 && end+1 < len(before) && before[end+1] == 'n' {
			return low + end + len(`\n`), high
		}
	}
	if low > 0 {
		low += indexOr(before, " ")
	}
	return low, high
}

// wordBelow is the word that stands alone on the line below the one that ends at p with a colon:
//
//	Password for the user ann (reset with bin/reset):
//	  x
func wordBelow(s string, p int) (from, to int) {
	if p < 1 || p >= len(s) || s[p] != '\n' || s[p-1] != ':' {
		return 0, 0
	}
	from = chars.SkipAny(s[:min(len(s), p+nearBehind)], p, "\n\t ")
	to = from
	for to < len(s) && to-from < nearBehind && !chars.IsSpace(s[to]) {
		to++
	}
	if to < len(s) && s[to] != '\n' {
		return 0, 0
	}
	return from, to
}

// wordBounds end a word.
var wordBounds = func() (t [256]bool) {
	for _, c := range []byte(" \t\r\n\"'`<>(){}[],;|=\\") {
		t[c] = true
	}
	return t
}()

// boundWord is the next word in s[p:high], without the marks of a sentence at its end, and where to go on. The word is
// empty if it has no digit, or if high cuts it.
func boundWord(s string, p, high int) (from, to, next int) {
	for p < high && wordBounds[s[p]] {
		p++
	}
	from = p
	if from > 0 && isQuote(s[from-1]) { // up to the other quote
		if n := strings.IndexByte(s[from:high], s[from-1]); n > 0 && strings.IndexByte(s[from:from+n], ' ') < 0 {
			return from, from + n, from + n
		}
	}
	digit := false
	for p < high && !wordBounds[s[p]] {
		digit = digit || s[p] <= '9' && s[p] >= '0'
		p++
	}
	if !digit || p == high && p < len(s) && !wordBounds[s[p]] {
		return p, p, p
	}
	return from, chars.SkipBackAny(s, from, p, ".:!?*"), p
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func inQuotes(s string, from, to int) bool {
	return from > 0 && to < len(s) && s[from-1] == s[to] && isQuote(s[to])
}

// follows reports whether nothing but a blank and a bracket, or one word with a colon, stands between stop and from:
// password x, password (x), Password provvisoria: x.
func follows(s string, stop, from int) bool {
	if s[stop] != ' ' || from == stop+1 || from == stop+2 && strings.IndexByte("([{<", s[stop+1]) >= 0 {
		return s[stop] == ' '
	}
	word := chars.Skip(s[:from], stop+1, chars.Lower)
	return word+2 == from && s[word] == ':' && word > stop+3
}

// is reports whether the word [from,to) is a value; direct tells that it follows the name. What costs little is asked
// first: where the word stands, then its form, then what speaks against it.
func (n Near) is(s string, from, to int, direct bool) bool {
	v, quoted := s[from:to], inQuotes(s, from, to)
	if len(v) < minDrawn && !n.Password || n.Weak && len(v) < minWeak || !mayBeMade(v, quoted) {
		return false
	}
	given, other := givenTo(s, from)
	pair := from > 3 && s[from-3:from] == " / " && chars.HasDigit(v[1:])
	made := n.Password && (quoted || direct || given || pair)
	if other && !direct || !made && len(v) < minDrawn {
		return false
	}
	id := (chars.IsHex(v) && !(n.Key && direct) || recognise.UUID(v)) && !(n.Key && quoted) || isObject(v)
	drawn := len(v) >= minDrawn && (!id || quoted && given && !n.Weak) && chance.Random(v)
	if !drawn {
		made = made && !n.Weak && (!id || given || direct) && (values.MayBeSimple(v) || values.LooksLikePassword(v) &&
			(given || pair || chance.Plausible(v) || chars.HasSpecial(v) || chars.IsUpper(v[0])))
	}
	return (drawn || made) && !values.IsReference(v) && !values.IsPlaceholder(v) && !values.IsRelease(v) &&
		!chars.OneOf(ownerWords, strings.ToLower(wordBefore(s, chars.SkipBackAny(s, max(0, from-1), from, "\"'`"))))
}

// mayBeMade reports whether v has a digit and more than numbers have, and nothing that values in running text seldom
// have: no path, no pair and, without quotes, no sign of an address or a variable.
func mayBeMade(v string, quoted bool) bool {
	digit, number := false, true
	for i := range len(v) {
		switch c := v[i]; {
		case chars.IsDigit(c):
			digit = true
		case c == '/' || c == ':' || !quoted && (c == '@' || c == '$' || c == '%' || c == '&'):
			return false
		case c != '.' && c != '+' && c != '-' && c != '_':
			number = false
		}
	}
	return digit && (!number || !chars.IsDigits(v) && values.MayBeSimple(v))
}

// ownerWords stand before the name or the id of something. Behind them no secret is looked for.
const ownerWords = "id ids user account org team project tenant client customer version revision release commit branch tag " +
	"build digest hash checksum sha md fingerprint request trace span session order ticket job run task step node host server " +
	"container image pod deployment service cluster namespace bucket queue topic event message file path row record no number by " +
	"resource instance volume device model type class function method thread process worker batch"

// isObject reports whether v is a word with what makes it unique behind it, as services name what they make:
// web-7d9f8b6c5d-x2k4q, cus_9f3ka82.
func isObject(v string) bool {
	n := chars.Skip(v, 0, chars.Lower)
	return n > 0 && n < len(v) && (v[n] == '-' || v[n] == '_') && strings.ToLower(v) == v
}

// givers are names that say nothing of what they are given.
const givers = "value val text data content input default string body"

// givenTo reports whether the word at from is given to a name: to one of any value, or to another one.
func givenTo(s string, from int) (given, other bool) {
	p := chars.SkipBackAny(s, max(0, from-4), from, "\"'` \\")
	if p > 1 && p < from-1 && (s[p-2:p] == "or" || s[p-2:p] == "||" || s[p-2:p] == "??") { // instead of what is not there
		return true, false
	}
	if p == 0 || strings.IndexByte("=:#@", s[p-1]) < 0 {
		return false, false
	}
	end := chars.SkipBackAny(s, max(0, p-6), p, "\"'` \\=:")
	name := s[chars.SkipBack(s, max(0, end-16), end, chars.Name):end]
	if chars.OneOf(givers, chars.FoldString(name)) {
		return true, false
	}
	return false, true
}
