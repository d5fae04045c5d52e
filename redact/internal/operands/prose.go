// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/values"
)

const (
	// maxProse is how far behind a name in running text its value is looked for, in bytes.
	maxProse = 100
	// maxLink is the longest of linkWords and fillers, in bytes.
	maxLink = 11
	// maxProseWords is how many words may stand between.
	maxProseWords = 6
)

// The words of running text between a name and its value: linkWords say that the value follows, fillers
// stand between; withWords stand before a name whose value follows directly: with password x.
var (
	linkWords = names.Set("is was are ist lautet war est es era jest är er on é è je este sind = -> → — – => " +
		"это equals become becomes now: is: it's")
	fillers = names.Set("now still currently again set changed temporarily jetzt noch aktuell maintenant ahora ora " +
		"agora the a nun nu teraz")
	withWords = names.Set("use the your my new this with and using mit con avec com med met z und et y e og " +
		"och uses pass: password wifi " +
		"connect")
)

// ProseValue is the value of the name [start,stop) in running text: the password for ann is x, with
// password x, password → x. It looks like a password, or is quoted behind a word that links. scripts tells
// that the name is a word of a language, and no name in source code.
func ProseValue(s string, start, stop int, scripts bool) (from, to int) {
	limit := min(len(s), stop+maxProse)
	before := wordBefore(s, start)
	linked := withWords[strings.ToLower(before)]
	p := stop
	for _, particle := range [...]string{"は", "是", "为", "為", "는", "은", "이", "："} {
		if scripts && strings.HasPrefix(s[p:], particle) {
			linked, p = true, p+len(particle)
			break
		}
	}
	if p == stop && p+1 < limit && s[p] == ',' && s[p+1] == ' ' {
		p++
	}
	if p == stop && (p >= limit || s[p] != ' ') {
		return 0, 0
	}
	// whether a "to" is a link
	set := scripts || chars.OneOf("set change changed reset update updated", before)
	colon := false // a word before ended with one: the token you asked for: x
	for range maxProseWords {
		p = chars.Skip(s[:limit], p, chars.Blank)
		if linked && p+1 < limit && s[p] == '<' && chars.IsLetter(s[p+1]) { // is <b>x</b>
			if open := strings.IndexByte(s[p:limit], '>'); open > 0 {
				from = p + open + 1
				to = elementEnd(s, from)
				if values.LooksLikePassword(s[from:to]) {
					return from, to
				}
			}
		}
		if linked {
			if from, to = quotedWord(s, p, limit); to > from {
				return from, to
			}
		}
		end := p
		for end < limit && !chars.IsSpace(s[end]) {
			end++
		}
		if end == p || end == limit && limit < len(s) {
			return 0, 0
		}
		from, to = p, chars.SkipBackAny(s, p, end, ".,;:!?)\"'`*")
		if to < end && s[to] == '!' && chars.HasDigit(s[from:to]) { // of Summer20! the mark belongs to it
			to++
		}
		if (colon || linked) && to-from >= longWord && chars.HasDigit(s[from:to]) && chance.Random(s[from:to]) {
			return from, to
		}
		if linked && values.LooksLikePassword(s[from:to]) {
			return from, to
		}
		if end < len(s) && s[end] == '\n' || strings.IndexByte(".;?!(", s[end-1]) >= 0 {
			return 0, 0
		}
		word := s[p:end]
		colon = word[len(word)-1] == ':'
		if chars.IsUpper(word[0]) {
			word = strings.ToLower(word)
		}
		switch long := len(word) > maxLink; {
		case !long && linkWords[word], scripts && s[end-1] == ':', set && word == "to":
			linked = true
		case long || linked && !fillers[word]:
			linked = false
		}
		set, p = set || word == "set" || word == "changed" || word == "reset" || word == "updated", end
	}
	return 0, 0
}

// quotedWord is the inside of the quotes at p, of any script.
func quotedWord(s string, p, limit int) (from, to int) {
	for _, quotes := range [...][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"「", "」"}, {"『", "』"}, {"“",
		"”"},
		{"„", "“"}, {"«", "»"}} {
		if strings.HasPrefix(s[p:], quotes[0]) {
			from = p + len(quotes[0])
			if n := strings.Index(s[from:limit], quotes[1]); n > 0 && strings.IndexByte(s[from:from+n], ' ') < 0 {
				return from, from + n
			}
		}
	}
	return 0, 0
}

// wordBefore is the word before start, in running text.
func wordBefore(s string, start int) string {
	if start == 0 || s[start-1] != ' ' {
		return ""
	}
	end := start - 1
	return s[chars.SkipBack(s, max(0, end-16), end, chars.Lower|chars.Upper):end]
}

// enterVerbs say that what stands between them and a field is typed into it.
var enterVerbs = names.Set("typed type types typing entered enter enters entering filled fill fills filling " +
	"input inputs put wrote write pasted paste set setting send sent encrypt_string")

// EnteredValue is what is typed into the field whose name begins at start: type 'x' into #password,
// entered x in the password field.
func EnteredValue(s string, start int) (from, to int) {
	low := max(0, start-maxProse)
	p := chars.SkipBackAny(s, low, start, "#\"'`[(:. ")
	for range 4 {
		q := chars.SkipBack(s, low, p, chars.Lower|chars.Upper)
		word := strings.ToLower(s[q:p])
		p = chars.SkipBackAny(s, low, q, " -")
		switch word {
		case "into", "in", "to", "for", "as", "name":
			return enteredBefore(s, low, p)
		case "":
			return 0, 0
		}
	}
	return 0, 0
}

// enteredBefore is the word or literal that ends at p, if a verb stands before it.
func enteredBefore(s string, low, p int) (from, to int) {
	if p <= low {
		return 0, 0
	}
	from, to = p, p
	if quote := s[p-1]; quote == '"' || quote == '\'' || quote == '`' {
		to = p - 1
		from = low + strings.LastIndexByte(s[low:to], quote) + 1
		p = from - 1
		if from == low {
			return 0, 0
		}
	} else {
		for from > low && !chars.IsSpace(s[from-1]) {
			from--
		}
		if p = from; !values.LooksLikePassword(s[from:to]) {
			return 0, 0
		}
	}
	verb := chars.SkipBack(s, low, p, chars.Blank)
	if !enterVerbs[strings.ToLower(s[chars.SkipBack(s, low, verb, chars.Name):verb])] {
		return 0, 0
	}
	return from, to
}

// SlashPair is the second of two words with a slash or colon between them, of which [start,end) is the
// first: credentials: ann / x.
func SlashPair(s string, start, end int) (from, to int) {
	p := chars.Skip(s, end, chars.Blank)
	if p+1 >= len(s) || p == end || s[p] != '/' || s[p+1] != ' ' || !chars.IsFieldLike(s[start:end]) {
		return 0, 0
	}
	from = p + 2
	to = bareEnd(s, from)
	if !values.LooksLikePassword(s[from:to]) {
		return 0, 0
	}
	return from, to
}

// longWord is the shortest word that may be drawn by chance, in bytes.
const longWord = 16
