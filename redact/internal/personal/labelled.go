// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// Fits reports whether v, the value of a name of personal data, has the form of its kind.
func Fits(kind kinds.ID, v string) bool {
	v = strings.TrimSpace(v)
	return v != "" && Labelled(kind, v, 0) == len(v)
}

// Labelled returns the end of the value of a kind of personal data that begins at i, behind its
// name; 0 if what stands there has another form.
func Labelled(kind kinds.ID, s string, i int) int {
	limit := min(len(s), i+maxAddress)
	switch kind {
	case names.Phone:
		return phoneForm(s[:limit], i)
	case names.Birth:
		return dateForm(s[:limit], i)
	case names.Address:
		return addressForm(s, i)
	case names.Bank:
		return numberForm(s[:limit], i, 6, 34)
	case names.Passport, names.Driving, names.Medical:
		return numberForm(s[:limit], i, 4, 20)
	}
	return numberForm(s[:limit], i, 5, 20)
}

// phoneForm is a phone number: 6 to 15 digits in groups, with an extension.
func phoneForm(s string, i int) int {
	p := i
	if strings.HasPrefix(s[p:], "(+") {
		p++
	}
	if p < len(s) && (s[p] == '+' || s[p] == '(') {
		p++
	}
	digits, end := 0, 0
	for p < len(s) {
		if c := s[p]; chars.IsDigit(c) {
			digits++
			p++
			end = p
			continue
		}
		q := p
		for q < len(s) && q-p < 3 && strings.IndexByte(" -./()", s[q]) >= 0 {
			q++
		}
		if q == p || q == len(s) || !chars.IsDigit(s[q]) {
			break
		}
		p = q
	}
	if digits < 6 || digits > 15 || isDate(s[i:end]) {
		return 0
	}
	for _, ext := range [...]string{" ext. ", " ext ", " x", "x", " ext.", ", ext. "} {
		if chars.HasFold(s, end, ext) {
			if q := chars.Skip(s, end+len(ext), chars.Digit); q > end+len(ext) {
				return q
			}
		}
	}
	if end < len(s) && (chars.IsAlnum(s[end]) || s[end] == ':' && end+1 < len(s) && chars.IsDigit(s[end+1])) {
		return 0
	}
	return end
}

// numberForm is a number of people's papers: groups of capitals and digits, least digits or more,
// and most characters at most.
func numberForm(s string, i, least, most int) int {
	digits, n, end := 0, 0, 0
	for p := i; p < len(s); {
		q := chars.Skip(s, p, chars.Alnum)
		group := s[p:q]
		if group == "" || !chars.HasDigit(group) && (len(group) > 3 || group != strings.ToUpper(group)) {
			break
		}
		for k := range len(group) {
			if chars.IsDigit(group[k]) {
				digits++
			}
		}
		if n += len(group); n > most {
			return 0
		}
		end = q
		if q+1 >= len(s) || strings.IndexByte(" -./_", s[q]) < 0 && !(s[q] == ',' && q-p == 4 && most > 20) ||
			!chars.IsAlnum(s[q+1]) {
			break
		}
		p = q + 1
	}
	if capitals := n >= 8 && strings.ToUpper(s[i:end]) == s[i:end]; capitals {
		least = min(least, 2)
	}
	if end == 0 || digits < least || n < 5 || end < len(s) && (s[end] == '_' || s[end] == '@') || isStamp(s[i:end]) {
		return 0
	}
	return end
}

// isStamp reports whether v is a date, a UUID's head, or too long a word in small letters.
func isStamp(v string) bool {
	return len(v) >= 10 && isDate(v) && strings.Count(v, "-") == 2 && v[4] == '-'
}

// months are the first three letters of names of months, in a few languages.
const months = "jan feb mar apr may jun jul aug sep oct nov dec ene abr ago dic mai okt dez fev avr jui aou gen " +
	"mag giu lug set ott mae mrt mei out maj sty lut kwi cze lip sie wrz paz lis gru des"

// accents are the letters with accents that names of months have among the first three, and what they are without.
var accents = strings.NewReplacer("ä", "a", "é", "e", "û", "u", "ź", "z")

// monthHead is the first three letters of a month, in small letters.
func monthHead(v string) string {
	v = accents.Replace(strings.ToLower(v))
	return v[:min(len(v), 3)]
}

// dateSuffixes may stand behind a number of a date.
var dateSuffixes = [...]string{"st", "nd", "rd", "th", "年", "月", "日", "년", "월", "일"}

// dateForm is a date: 1985-03-12, 12.3.1985, 12 March 1985, March 12, 1985, 19850312.
func dateForm(s string, i int) int {
	if q := chars.Skip(s, i, chars.Digit); q == i+8 {
		return dateEnd(s, q)
	}
	p, digits, words, end := i, 0, 0, 0
	for parts := 0; parts < 3 && p < len(s); parts++ {
		q, n := datePart(s, p)
		if q == 0 || n == 0 && words > 0 {
			return 0
		}
		digits += n
		if n == 0 {
			words++
		}
		if end, p = q, dateGap(s, q); parts < 2 && p == q && s[q-1] < 0x80 {
			return 0
		}
	}
	if digits < 4 || digits > 8 || digits < 6 && words == 0 {
		return 0
	}
	return dateEnd(s, end)
}

// datePart is the end of the number or month at p, and how many digits it has; the end is 0 if it is neither.
func datePart(s string, p int) (end, digits int) {
	end = chars.Skip(s, p, chars.Digit)
	switch digits = end - p; digits {
	case 1, 2, 4:
		for _, suffix := range dateSuffixes {
			if strings.HasPrefix(s[end:], suffix) {
				return end + len(suffix), digits
			}
		}
		return end, digits
	case 0:
		for end < len(s) && isWordByte(s[end]) {
			end++
		}
		if end-p >= 3 && chars.IsLetter(s[p]) && chars.OneOf(months, monthHead(s[p:end])) {
			return end, 0
		}
	}
	return 0, 0
}

func isWordByte(c byte) bool { return chars.IsLetter(c) || c >= 0x80 }

// dateGap passes over what stands between the parts of a date: 12. de March.
func dateGap(s string, p int) int {
	p = chars.SkipAny(s[:min(len(s), p+4)], p, " -./,")
	if chars.HasFold(s, p, "de ") || chars.HasFold(s, p, "of ") {
		p += 3
	}
	return p
}

// dateEnd is the end of a date that may go on with a time.
func dateEnd(s string, end int) int {
	if end < len(s) && s[end] == 'T' {
		for end < len(s) && (chars.IsAlnum(s[end]) || strings.IndexByte(":.+-", s[end]) >= 0) {
			end++
		}
	}
	if end < len(s) && chars.IsAlnum(s[end]) {
		return 0
	}
	return end
}

// maxAddress is the longest address, in bytes.
const maxAddress = 120

// addressForm is an address: a word and a number, two words or more, up to the end of the line.
func addressForm(s string, i int) int {
	end, digit, letters, words, longest := i, false, 0, 1, 0
	for ; end < len(s) && end-i < maxAddress; end++ {
		c := s[end]
		if strings.IndexByte("\n\r\t\"|;&<>{}=@[]\\*`", c) >= 0 || c == ' ' && end+1 < len(s) && s[end+1] == ' ' {
			break
		}
		if c == ':' && !chars.EndsFold(s[i:end], " no") || c == '/' && end+1 < len(s) && s[end+1] == '/' || c == '_' {
			return 0
		}
		switch {
		case chars.IsDigit(c):
			digit = true
		case chars.IsLetter(c) || c >= 0x80:
			letters++
			longest = max(longest, letters)
			continue
		case c == ' ' || c == '+':
			words++
		}
		letters = 0
	}
	if end-i >= maxAddress || !digit || words < 2 && !strings.ContainsFunc(s[i:end], eastAsian) || longest < 3 {
		return 0
	}
	end = chars.SkipBackAny(s, i, end, " .,")
	first := s[i:end]
	if strings.HasPrefix(first, "0x") || isQuantity(first) || chars.HasFold(first, 0, "the ") ||
		strings.Contains(first, " the ") {
		return 0
	}
	return end
}

// isQuantity reports whether v is a number and a unit: 12 bytes, 5 items.
func isQuantity(v string) bool {
	q := chars.Skip(v, 0, chars.Digit|chars.Dot)
	return q > 0 && q < len(v) && v[q] == ' ' && chars.IsFieldLike(v[q+1:]) && strings.IndexByte(v[q+1:], ' ') < 0 &&
		!chars.IsUpper(v[q+1])
}

// Gap passes over what may stand between a name and its value: quotes, an operator, "is", "number",
// a form in parentheses. bound tells that an operator, or one of these words, stands there.
func Gap(s string, stop int) (p int, bound bool) {
	p = stop
	if words := s[stop:min(len(s), stop+maxOnFile)]; strings.HasPrefix(words, " on ") ||
		strings.HasPrefix(words, " for ") {
		if i := strings.Index(words, " is "); i > 0 && i < maxOnFile-len(" is ") && isPlainWords(words[:i]) {
			return stop + i + len(" is "), true
		}
	}
	for range 4 {
		q, operator := gapOperator(s, chars.SkipAny(s[:min(len(s), p+12)], p, " \t\"'`*])\\"))
		q, word := gapWord(s, chars.SkipAny(s[:min(len(s), q+12)], q, " +\t\n\"'`*>\\#"))
		bound = bound || operator || word
		if q == p {
			break
		}
		p = q
	}
	return p, bound
}

// maxOnFile is how far behind a name its verb may stand, in bytes: the number on file is.
const maxOnFile = 24

func isPlainWords(v string) bool {
	for i := range len(v) {
		if chars.Class[v[i]]&(chars.Lower|chars.Blank) == 0 {
			return false
		}
	}
	return true
}

// gapMarks stand between a name in another script and its value. Those of three bytes bind.
var gapMarks = [...]string{"番号", "号码", "号", "번호", "：", "は", "是", "는", "—"}

// gapOperator passes over an operator, a dash, and gapMarks at q.
func gapOperator(s string, q int) (p int, bound bool) {
	if q < len(s) && strings.IndexByte(":=#.>", s[q]) >= 0 {
		bound = s[q] != '.'
		q++
	}
	if strings.HasPrefix(s[q:], "- ") || strings.HasPrefix(s[q:], "– ") {
		bound, q = true, strings.IndexByte(s[q:], ' ')+q
	}
	for _, mark := range gapMarks {
		if strings.HasPrefix(s[q:], mark) {
			bound, q = bound || len(mark) == len("は"), q+len(mark)
		}
	}
	return q, bound
}

// gapWords link a name and its value.
const gapWords = "is was on to ist lautet est es jest era"

// gapWord passes over a verb, a word for a number, or a form in parentheses at q.
func gapWord(s string, q int) (p int, bound bool) {
	end := chars.Skip(s[:min(len(s), q+12)], q, chars.Lower|chars.Upper)
	switch word := s[q:end]; {
	case word == "":
		if q < len(s) && s[q] == '(' {
			if i := strings.IndexByte(s[q:min(len(s), q+24)], ')'); i > 0 && !chars.HasDigit(s[q:q+i]) {
				q += i + 1
			}
		}
	case chars.OneOf(gapWords, strings.ToLower(word)):
		return end, true
	case end < len(s) && strings.IndexByte(" .:#=", s[end]) >= 0 && numberWord(word):
		return end, chars.EqualFold(word, "no") || chars.EqualFold(word, "number")
	}
	return q, bound
}

func numberWord(v string) bool {
	return chars.EqualFold(v, "number") || chars.EqualFold(v, "no") || chars.EqualFold(v, "nr") ||
		chars.EqualFold(v, "num") ||
		chars.EqualFold(v, "nummer") || chars.EqualFold(v, "numero") || chars.EqualFold(v, "id") ||
		chars.EqualFold(v, "n")
}

// eastAsian reports whether a letter is of scripts that put no spaces between words: kana, Chinese characters,
// Hangul.
func eastAsian(r rune) bool { return r >= 0x3040 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 }
