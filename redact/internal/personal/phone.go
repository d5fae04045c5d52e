// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// phoneNouns are what a phone number is called; phoneVerbs announce one if a person or a sign of an
// address stands between: call me at, reach us on.
var (
	phoneNouns = names.Set("phone telephone tel mobile cellphone fax whatsapp landline hotline telefon telefono " +
		"telefone telefax " +
		"handy celular mobil gsm ph mob")
	phoneVerbs = names.Set("call reach contact dial text ring answering sms cell")
	phoneLinks = names.Set("number no nr num is at on me us him her them my our his your the a an work home " +
		"office direct personal " +
		"day evening night main business or and was line to nummer numero phone call")
	phoneObjects = names.Set("me us him her them my our his your at on number no is")
)

// announced reports whether the words directly before the number at i say that it is a phone's.
func announced(s string, i int) bool {
	low := max(0, i-marks.NearBy)
	bound, number, is := false, false, false // to a person, or by a colon; "number is"
	for p, n := i, 0; n < 6; n++ {
		q := chars.SkipBackAny(s, low, p, " :.(#=+-\"'\\\t\n\r*")
		colon := strings.IndexByte(s[q:p], ':') >= 0
		end := q
		for q > low && isLetter(s[q-1]) {
			q--
		}
		word := strings.ToLower(s[q:end])
		if word == "" || len(word) > 20 {
			return false
		}
		switch {
		case phoneNouns[word], strings.HasSuffix(word, "phone") && !strings.HasPrefix(word, "micro"),
			strings.Contains(word, "telefon"):
			return true
		case q > low && s[q-1] == '_': // of an identifier: END_OF_TEXT
			return false
		case phoneVerbs[word]:
			if bound || colon || word == "dial" {
				return true
			}
			return chars.IsUpper(s[q]) || lastWord(s[low:q], "please", "to", "or", "can", "and")
		case !phoneLinks[word]:
			return number && is && !thingWords[word] && !linkWords[word]
		}
		number, is = number || word == "number", is || word == "is"
		bound = bound || phoneObjects[word] && word != "at" && word != "on" || colon
		p = q
	}
	return false
}

func isLetter(c byte) bool { return chars.IsLetter(c) || c >= 0x80 }

// lastWord reports whether s ends with one of the words and a blank.
func lastWord(s string, words ...string) bool {
	s = strings.TrimRight(s, " ")
	for _, w := range words {
		if chars.EndsFold(s, w) {
			return true
		}
	}
	return false
}

// phoneAt finds an international number (ITU-T E.164) after the + at i: of eleven digits with an area in North America,
// or with a code of a country that is assigned. The largest integers begin with 214 and 429.
func phoneAt(s string, i int) (start, end int, kind string) {
	end, digits, _ := digitRun(s, i+1)
	end = extension(s, end)
	none := digits < 8 || digits > 15 || i > 0 && s[i-1] == '\\' || end < len(s) && chars.IsAlnum(s[end]) ||
		datedRelease(s[i:end]) || isDecimal(s[i+1:end]) || strings.HasSuffix(s[i:end], "000000")
	if !none && s[i+1] == '1' {
		none = digits != 11 || strings.IndexByte("01", chars.TrimStart(s[i+2:], " -.(")[0]) >= 0
	}
	if none || chars.OneOf("214 215 217 219 424 425 426 427 428 429", s[i+1:i+4]) {
		return 0, max(end, i+1), ""
	}
	return i, end, "phone-number"
}

// phoneNumber finds a national number: the North American form, groups that begin
// with 0, or any groups of digits after a word that announces a phone number.
func phoneNumber(s string, i, end, digits, groups int) (start, stop int) {
	end, runEnd := extension(s, end), end
	if digits < 7 || digits > 15 || end < len(s) && (s[end] == ':' || s[end] == '/' || s[end] == '%' ||
		s[end] == '-' && end+1 < len(s) && chars.IsDigit(s[end+1])) {
		return 0, 0
	}
	v := s[i:runEnd]
	start = i
	if i > 0 && s[i-1] == '(' {
		start--
	}
	if i > 0 && (s[i-1] == '-' || s[i-1] == ':' || s[i-1] == '#') {
		return 0, 0
	}
	switch {
	case isDate(v), groups == 3 && len(v) == 14 && v[0] == '0' && v[5] == '0' && v[10] == '0',
		groups == 4 && isDottedQuad(s, i, runEnd), strings.Trim(v, "0 ") == "",
		runEnd < len(s) && s[runEnd] == ';' && i > 1 && s[i-2] == ';': // code points; zeros
		return 0, 0
	case northAmerican(v, start < i):
		return start, end
	case groups == 1 && digits == 11 && (v[:2] == "09" || v[:2] == "07" || v[:2] == "05"):
		return start, end
	case phoneKind(s[end:], groups), end > runEnd && groups >= 2:
		return start, end
	case groups >= 3 && v[0] == '0' && chars.IsDigit(v[1]) && v[:3] != "000" && digits >= 9 && digits <= 12 &&
		strings.IndexByte(v, '.') < 0 && !accountBefore(s, start):
		return start, end
	case !unitBehind(s, end) && announced(s, start):
		return start, end
	}
	return 0, 0
}

// unitBehind reports whether a unit stands behind the number that ends at end: 7890 us, 4096 bytes.
func unitBehind(s string, end int) bool {
	if end >= len(s) || s[end] != ' ' {
		return false
	}
	stop := chars.Skip(s, end+1, chars.Lower)
	return chars.OneOf("us ms ns s sec seconds bytes items rows times of kb mb gb calls requests tokens", s[end+1:stop])
}

// phoneKind reports whether a number of so many groups is followed by what kind of phone
// it is: 030-123456-Office, 030 123456 fax.
func phoneKind(after string, groups int) bool {
	if after == "" || after[0] != '-' && (after[0] != ' ' || groups < 2) {
		return false
	}
	for _, k := range [...]string{"office", "fax", "home", "mobile", "cell", "work", "desk"} {
		if end := 1 + len(k); chars.HasFold(after, 1, k) && (end == len(after) || !chars.IsAlnum(after[end])) {
			return true
		}
	}
	return false
}

// extension is the end of what follows a number that ends at end: x and one to six
// digits, or nothing.
func extension(s string, end int) int {
	if end >= len(s) || chars.Fold[s[end]] != 'x' {
		return end
	}
	p := end + 1
	p = chars.Skip(s, p, chars.Digit)
	if n := p - end - 1; n < 1 || n > 6 || p < len(s) && chars.IsAlnum(s[p]) {
		return end
	}
	return p
}

// isDecimal reports whether v has one dot, behind more digits than the code of a country has, and no other sign.
func isDecimal(v string) bool {
	head, tail, ok := strings.Cut(v, ".")
	return ok && len(head) > 3 && chars.IsDigits(head) && chars.IsDigits(tail)
}

// datedRelease reports whether v is an added line of a change log: +2.34.2 (2026-05-14.
func datedRelease(v string) bool {
	i := strings.IndexByte(v, '(')
	return i > 0 && isDate(v[i+1:])
}

// isDottedQuad reports whether the digits and dots [i,end) are an IPv4 address.
func isDottedQuad(s string, i, end int) bool {
	from, to, ok := IPv4At(s, i)
	return ok && from == i && to == end
}

func isDate(v string) bool {
	return len(v) >= 8 && (v[4] == '-' || v[4] == '.' || v[4] == '/') && (v[:2] == "19" || v[:2] == "20") ||
		len(v) >= 8 && len(v) <= 10 && (v[2] == '-' || v[2] == '.') && v[5] == v[2]
}

// northAmerican reports whether v is 555-123-4567, (555) 123-4567 or 555.123.4567,
// with an optional 1 before, as the numbering plan allows it.
func northAmerican(v string, opened bool) bool {
	if strings.HasPrefix(v, "1-") || strings.HasPrefix(v, "1 ") || strings.HasPrefix(v, "1.") {
		v = v[2:]
	}
	if len(v) < 12 || len(v) > 14 {
		return false
	}
	if opened {
		return v[3] == ')' && len(v) >= 12
	}
	return len(v) == 12 && v[3] == v[7] && (v[3] == '-' || v[3] == '.') && v[0] >= '2' && v[4] >= '2'
}

// accountBefore reports whether a group of four letters and digits stands before i, as in
// account numbers.
func accountBefore(s string, i int) bool {
	if i < 5 || s[i-1] != ' ' || i > 5 && chars.IsAlnum(s[i-6]) {
		return false
	}
	letter, digit := false, false
	for _, c := range []byte(s[i-5 : i-1]) {
		letter, digit = letter || chars.IsLetter(c), digit || chars.IsDigit(c)
	}
	return letter && digit
}
