// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// Fits reports whether text, the value of a name of personal data, has the form of its kind.
func Fits(v names.Verdict, text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	end := Labelled(v, text, 0)
	if end == len(text) {
		return true
	}
	if end == 0 || len(text) > 2*maxAddress {
		return false
	}
	switch rest := text[end:]; {
	case v.Kind == names.Address:
		return rest[0] == '\n' || rest[0] == ',' && v.Level == names.Secret
	default: // a second number, or a remark
		return len(rest) <= 32 && (strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, " /") ||
			strings.IndexByte(",;/", rest[0]) >= 0)
	}
}

// Labelled returns the end of the value of personal data that begins at i, behind a name that says v;
// 0 if what stands there has another form.
func Labelled(v names.Verdict, s string, i int) (end int) {
	weak := v.Level < names.Secret
	limit := min(len(s), i+maxAddress)
	switch v.Kind {
	case names.Phone:
		return phoneForm(s[:limit], i, weak)
	case names.Birth:
		return dateForm(s[:limit], i)
	case names.Address:
		return addressForm(s, i, weak)
	case names.PersonName:
		return nameForm(s[:limit], i)
	case names.Bank:
		end = numberForm(s[:limit], i, 6, 34)
	case names.Passport, names.Driving, names.Medical:
		end = numberForm(s[:limit], i, 4, 24)
	default:
		end = numberForm(s[:limit], i, 5, 20)
	}
	if end <= i || v.Kind != names.Bank && strings.Count(s[i:end], ".") > maxDots || isMasked(s[i:end]) {
		return 0
	}
	if weak && (!isLongNumber(s[i:end]) || v.Kind == names.NationalID &&
		(end-i > 18 && chars.IsDigits(s[i:end]) || end < len(s) && s[end] == '-' || isZeroPadded(s[i:end]) ||
			strings.IndexByte(s[i:end], '/') > 0)) { // uid, run: SHA-512/256
		return 0
	}
	return end
}

// maxDots is how many dots a number of people's papers has at most. The identifiers of standards have more: 1.2.840.10008.
const maxDots = 3

// isMasked reports whether what a number hides is gone already, or it shows a form: XXXXXX1111, 9999 9999.
func isMasked(v string) bool { return strings.Contains(v, "XXXX") || strings.Trim(v, v[:1]+" -") == "" }

// isZeroPadded reports whether v is one digit behind a zero and before itself or zeros, as source code writes octal
// numbers: 07777777.
func isZeroPadded(v string) bool { return v[0] == '0' && strings.Trim(v, "0"+v[1:2]) == "" }

// isLongNumber reports whether a number is one for itself, whatever its name says: of six digits or more, or of
// nine capitals and digits.
func isLongNumber(v string) bool {
	digits, n := 0, 0
	for i := range len(v) {
		if chars.IsDigit(v[i]) {
			digits++
		}
		if chars.IsAlnum(v[i]) {
			n++
		}
	}
	return n >= 8 && (digits >= 6 || n >= 9 && digits > 3 && strings.ToUpper(v) == v)
}

// Blanks may stand between a name and its value.
const Blanks = " \t"

// Unbound returns the end of the value that stands behind the name that ends at stop with nothing but blanks between
// them, or on the next line; 0 if none does. Without an operator the value has to be long: passport AB1234567.
func Unbound(v names.Verdict, s string, stop int) int {
	at := chars.SkipAny(s, stop, Blanks)
	line := at < len(s) && s[at] == '\n'
	if line {
		at = chars.SkipAny(s, at+1, Blanks)
		if ruler := chars.SkipAny(s, at, "-=~"); ruler > at+2 && ruler < len(s) && s[ruler] == '\n' {
			at = chars.SkipAny(s, ruler+1, Blanks)
		}
	}
	if v.Level < names.Secret || at == stop || at >= len(s) || v.Kind == names.Address && !line {
		return 0
	}
	end := Labelled(v, s, at)
	if end <= at || line && end < len(s) && s[end] != '\n' && s[end] != '\r' {
		return 0
	}
	digits, parts := 0, 0
	for p := at; p < end; p++ {
		if chars.IsDigit(s[p]) {
			digits++
		} else if p > at && chars.IsDigit(s[p-1]) {
			parts++
		}
	}
	switch {
	case line && (digits >= 6 || v.Kind == names.Address):
	case v.Kind == names.Birth && digits >= 5 && parts > 0:
	case v.Kind == names.Phone && (digits >= 9 || digits >= 7 && parts > 0):
	case v.Kind != names.Phone && v.Kind != names.Birth && digits >= 6 && isLongNumber(s[at:end]+"A"):
	default:
		return 0
	}
	return end
}

// digitLen is how many bytes the digit at p has, of any script; 0 if none stands there.
func digitLen(s string, p int) int {
	if p >= len(s) || s[p] < 0x80 {
		if p < len(s) && chars.IsDigit(s[p]) {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(s[p:]); unicode.IsDigit(r) {
		return n
	}
	return 0
}

// joints stand between the groups of a number, besides those of ASCII: blanks of other widths and dashes.
var joints = strings.Split("\u00a0|\u202f|\u2009|\u2010|\u2011|\u2012|\u2013|\u2212|\uff0d|\u30fc|\u2007", "|")

// jointLen is how many bytes the separator at p has: one of ascii, or of joints.
func jointLen(s string, p int, ascii string) int {
	if p >= len(s) {
		return 0
	}
	if s[p] < 0x80 {
		if strings.IndexByte(ascii, s[p]) >= 0 {
			return 1
		}
		return 0
	}
	for _, joint := range joints {
		if strings.HasPrefix(s[p:], joint) {
			return len(joint)
		}
	}
	return 0
}

// phoneForm is a phone number: 6 to 15 digits in groups, with an extension.
func phoneForm(s string, i int, weak bool) int {
	p := i
	for _, head := range [...]string{"(", "+", "\uff0b", "\uff08"} {
		if strings.HasPrefix(s[p:], head) {
			p += len(head)
		}
	}
	end, digits := phoneDigits(s, p)
	if digits < 6 || weak && digits < 7 || digits > 15 || isDate(s[i:end]) {
		return 0
	}
	for _, ext := range [...]string{" ext. ", " ext ", " x", "x", " ext.", ", ext. ", " poste ", " int. ", " -"} {
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

// phoneDigits is where the groups of digits at p end, with up to three signs between them, and how many digits they have.
func phoneDigits(s string, p int) (end, digits int) {
	for p < len(s) && digitLen(s, p) > 0 {
		for n := digitLen(s, p); n > 0; n = digitLen(s, p) {
			digits++
			p += n
		}
		end = p
		for range 3 {
			p += jointLen(s, p, " -./()")
		}
	}
	return end, digits
}

// numberForm is a number of people's papers: groups of capitals and digits, least digits or more,
// and most characters at most.
func numberForm(s string, i, least, most int) int {
	digits, n, end := 0, 0, 0
	if strings.HasPrefix(s[i:], "0x") { // a constant of source code
		return 0
	}
	bank := most > 24
	for p := i; p < len(s); {
		q, figures, length := numberGroup(s, p)
		if bank && chars.OneOf(bankWords, strings.ToLower(s[p:q])) { // of the parts of an account's number
			p = chars.SkipAny(s[:min(len(s), q+2)], q, " ./:")
			continue
		}
		if length == 0 || figures == 0 && (length > 3 || s[p:q] != strings.ToUpper(s[p:q])) {
			break
		}
		digits += figures
		if n += length; n > most {
			return 0
		}
		end = q
		joint := jointLen(s, q, " -./_")
		if bank {
			joint = bankJoint(s, q, q-i, joint)
		}
		if p = q + joint; joint == 0 {
			break
		}
	}
	if end == 0 || digits < leastDigits(s[i:end], n, least) || n < 5 || wordGoesOn(s, end) || isStamp(s[i:end]) {
		return 0
	}
	return end
}

// leastDigits is the number of digits that a number of people's papers has at least, if its groups v have n
// characters: fewer than least, if they are long and have no small letters.
func leastDigits(v string, n, least int) int {
	switch capitals := n >= 8 && strings.ToUpper(v) == v; {
	case !capitals:
		return least
	case n == len(v): // one group
		return 1
	}
	return min(least, 2)
}

// wordGoesOn reports whether the word that ends at end is the head of a longer one: of a name, an email
// address or an id.
func wordGoesOn(s string, end int) bool {
	return end < len(s) && (s[end] == '_' || s[end] == '@' ||
		s[end] == '-' && end+1 < len(s) && chars.IsLetter(s[end+1]))
}

// bankJoint is the length of what joins the groups of an account's number at q, behind so many characters; joint is that
// of any number.
func bankJoint(s string, q, length, joint int) int {
	switch {
	case joint == 1 && strings.HasPrefix(s[q:], " / "):
		return len(" / ")
	case joint == 0 && length >= 4 && length <= 6 && q < len(s) && s[q] == ',': // clearing number, account
		return chars.SkipAny(s[:min(len(s), q+2)], q+1, " ") - q
	}
	return joint
}

// bankWords stand before the parts of an account's number.
const bankWords = "ag cc c op kto blz"

// numberGroup is the group of letters and digits at p: its end, and how many digits and characters it has.
func numberGroup(s string, p int) (end, digits, length int) {
	for p < len(s) {
		step := digitLen(s, p)
		if step > 0 {
			digits++
		} else if step = 1; !chars.IsLetter(s[p]) {
			break
		}
		p += step
		length++
	}
	return p, digits, length
}

// isStamp reports whether v is a date, a UUID's head, or too long a word in small letters.
func isStamp(v string) bool {
	return len(v) >= 10 && isDate(v) && strings.Count(v, "-") == 2 && v[4] == '-'
}

// months are the first three letters of names of months, in a few languages.
const months = "jan feb mar apr may jun jul aug sep oct nov dec ene abr ago dic mai okt dez fev avr jui aou gen " +
	"mag giu lug set ott mae mrt mei out maj sty lut kwi cze lip sie wrz paz lis gru des " +
	"tam hel maa huh tou kes hei elo syy lok mar jou led uno bre dub kve cer srp zar rij pro aug szi jul okt " +
	"ian iun iul noi oca sub nis hac tem agu eyl eki kas ara ock avg peb pes ags thg thang"

// accents are the letters with accents that names of months have among the first three, and what they are without.
var accents = strings.NewReplacer("ä", "a", "é", "e", "û", "u", "ź", "z", "ú", "u", "ů", "u", "á", "a", "í", "i", "ö", "o",
	"ó", "o", "ő", "o", "ř", "r", "č", "c", "ş", "s", "ğ", "g", "ı", "i", "ž", "z")

// monthHead is the first three letters of a month, in small letters.
func monthHead(v string) string {
	v = accents.Replace(strings.ToLower(v))
	return v[:min(len(v), 3)]
}

// dateSuffixes may stand behind a number of a date.
var dateSuffixes = strings.Split("st|nd|rd|th|年|月|日|년|월|일", "|")

// eras stand before the year of a Japanese date.
var eras = [...]string{"昭和", "平成", "令和", "大正", "明治"}

// dateForm is a date: 1985-03-12, 12.3.1985, 12 March 1985, March 12, 1985, 19850312.
func dateForm(s string, i int) int {
	if q := chars.Skip(s, i, chars.Digit); q == i+8 {
		return dateEnd(s, q)
	}
	for _, era := range eras {
		if strings.HasPrefix(s[i:], era) {
			i += len(era)
		}
	}
	if strings.HasPrefix(s[i:], "ngày ") {
		i += len("ngày ")
	}
	p, digits, words, end, year := i, 0, 0, 0, false
	for parts := 0; parts < 3 && p < len(s); parts++ {
		q, n := datePart(s, p, parts)
		if q == 0 || n == 0 && words > 0 {
			return 0
		}
		digits += n
		year = year || n == 4
		if n == 0 {
			words++
		}
		if end, p = q, dateGap(s, q); parts < 2 && p == q && s[q-1] < 0x80 {
			return 0
		}
		if parts == 1 && words == 1 && n == 4 { // March 1985
			break
		}
	}
	if digits > 8 || digits < 4 || digits < 6 && words == 0 && !isShortDate(s[i:end]) || words > 0 && !year && digits > 4 {
		return 0
	}
	return dateEnd(s, end)
}

// isShortDate reports whether v has three numbers with one separator between them: 1/2/85.
func isShortDate(v string) bool {
	for _, sep := range [...]string{"/", ".", "-", "年"} {
		if strings.Count(v, sep) == 2 || sep == "年" && strings.Contains(v, sep) {
			return true
		}
	}
	return false
}

// datePart is the end of the number or month at p, and how many digits it has; the end is 0 if it is neither. A month
// is the first or the second part.
func datePart(s string, p, part int) (end, digits int) {
	end = p
	for {
		n := digitLen(s, end)
		if n == 0 {
			break
		}
		end += n
		digits++
	}
	switch digits {
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
		if end-p >= 3 && (part == 1 && end-p >= 4 && s[p] >= 0x80 || chars.OneOf(months, monthHead(s[p:end]))) {
			return end, 0
		}
	}
	return 0, 0
}

func isWordByte(c byte) bool { return chars.IsLetter(c) || c >= 0x80 }

// dateGap passes over what stands between the parts of a date: 12. de March.
func dateGap(s string, p int) int {
	p = chars.SkipAny(s[:min(len(s), p+4)], p, " -./,")
	for _, word := range [...]string{"de ", "of ", "d'", "del ", "tháng ", "năm "} {
		if chars.HasFold(s, p, word) {
			return p + len(word)
		}
	}
	return p
}

// dateEnd is the end of a date that may go on with a time.
func dateEnd(s string, end int) int {
	if end+3 < len(s) && s[end] == ' ' && chars.IsDigit(s[end+1]) && chars.IsDigit(s[end+2]) && s[end+3] == ':' {
		end = chars.SkipAny(s, end+1, "0123456789:.+-Z")
	}
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

// Gap passes over what may stand between a name and its value: quotes, an operator, "is", "number",
// a form in parentheses. bound tells that an operator, or one of these words, stands there.
func Gap(s string, stop int) (p int, bound bool) {
	word := s[chars.SkipBack(s, max(0, stop-12), stop, chars.Lower|chars.Upper):stop]
	bound = len(word) > 1 && numberWord(word) && !chars.EqualFold(word, "id") && stop < len(s) &&
		strings.IndexByte(" .:#=\t", s[stop]) >= 0
	if q := linkedAt(s, stop); q > 0 {
		return q, true
	}
	p = stop
	if strings.HasPrefix(s[p:], ", ") && chars.EqualFold(word, "address") { // her home address, 5 Elm St,
		return p + len(", "), p+2 < len(s) && chars.IsDigit(s[p+2])
	}
	if p+1 < len(s) && s[p] == '.' && (s[p+1] == ' ' || s[p+1] == ':') { // of an abbreviation
		p++
	}
	if p < len(s) && s[p] == '?' { // of a form: Phone? A: x
		if q := chars.SkipAny(s[:min(len(s), p+12)], p+1, " *>\r\n"); q > p+1 {
			p, bound = chars.SkipAnswer(s, q), true
		}
	}
	if dots := chars.SkipAny(s, p, "."); dots > p+2 { // a leader
		p = dots
	}
	if p+1 < len(s) && s[p] == '(' && (s[p+1] == '"' || s[p+1] == '\'') { // setPhone("x")
		p, bound = p+1, true
	}
	for range 4 {
		if verb := verbEnd(s, p); verb > 0 {
			p, bound = verb, true
		}
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

// linkedAt is where the value begins that a call, a database or an element links with the name that ends at stop:
// put("phone", "x"), Key (phone)=(x), <b>phone</b><br>x; 0 if none does.
func linkedAt(s string, stop int) int {
	rest := s[stop:min(len(s), stop+24)]
	switch {
	case len(rest) < 5:
	case strings.HasPrefix(rest, ")=("):
		return stop + len(")=(")
	case (rest[0] == '"' || rest[0] == '\'') && rest[1] == ',':
		if q := chars.SkipAny(rest, 2, " "); q+1 < len(rest) && rest[q] == rest[0] {
			p := stop + q + 1
			n := strings.IndexByte(s[p:min(len(s), p+maxAddress)], rest[0])
			if n > 0 && strings.HasPrefix(s[p+n+1:], ")") { // no item of a list, no cell, no other member
				return p
			}
		}
	case rest[0] == '<' && rest[1] == '/':
		if _, after, ok := strings.Cut(rest, "><br"); ok {
			if n := strings.IndexByte(after, '>'); n >= 0 {
				return stop + len(rest) - len(after) + n + 1
			}
		}
	}
	return 0
}

// maxVerb is how far behind a name its verb may stand, in bytes: the number on file is.
const maxVerb = 40

// verbEnd is the end of up to five words in small letters at p the last of which is one of gapVerbs; 0 if there
// are none.
func verbEnd(s string, p int) int {
	line := s[:min(len(s), p+maxVerb)]
	last := 0
	for range 5 {
		if p >= len(line) || line[p] != ' ' {
			break
		}
		end := chars.Skip(line, p+1, chars.Lower|chars.Upper)
		if end == p+1 {
			break
		}
		if chars.OneOf(gapVerbs, line[p+1:end]) {
			last = end
		}
		p = end
	}
	return last
}

// gapVerbs link a name and its value behind other words: has been changed to.
const gapVerbs = "is was are to ist war lautet est era es jest are now from"

// gapMarks stand between a name and its value. The first ones do not bind.
var gapMarks = strings.Split("番号|号码|號碼|号|번호|º|°|（自宅）|：|は|是|는|은|—|–|→|là |é |è |är |это |है|คือ|هو |הוא |के|รหัส|「|le ", "|")

// looseMarks is how many of gapMarks do not bind.
const looseMarks = 8

// gapOperator passes over an operator, a dash, and gapMarks at q.
func gapOperator(s string, q int) (p int, bound bool) {
	if q < len(s) && strings.IndexByte(":=#.>", s[q]) >= 0 {
		bound = s[q] != '.'
		q++
	}
	if strings.HasPrefix(s[q:], "- ") {
		bound, q = true, q+2
	}
	for i, mark := range gapMarks {
		if strings.HasPrefix(s[q:], mark) {
			bound, q = bound || i >= looseMarks, q+len(mark)
		}
	}
	return q, bound
}

// gapWords link a name and its value.
const gapWords = "is was are to ist war lautet est es era jest on at unter er var e este van je adalah sono now"

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
	case chars.OneOf(gapWords, strings.ToLower(word)) && end < len(s) && strings.IndexByte(" :", s[end]) >= 0:
		return end, true
	case end < len(s) && strings.IndexByte(" .:#=", s[end]) >= 0 && numberWord(word):
		return end, len(word) > 1 && !chars.EqualFold(word, "id")
	}
	return q, bound
}

func numberWord(v string) bool {
	return chars.OneOf("number no nr num nummer numero numer id n nummeret numara no szam cislo nomor", strings.ToLower(v))
}

// eastAsian reports whether a letter is of scripts that put no spaces between words: kana, Chinese characters,
// Hangul.
func eastAsian(r rune) bool { return r >= 0x3040 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 }
