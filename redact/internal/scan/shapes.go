// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/personal"
)

// maxDigitRun is how long a run of digits and separators is examined in one piece, in
// bytes.
const maxDigitRun = 96

// timeEnd is the end of the time (RFC 3339) that begins at i, with its seconds; 0 if none does. Rows and
// logs are full of them, and their parts are no numbers.
func timeEnd(s string, i int) int {
	const form = "0000-00-00T00:00:00"
	if i+len(form) > len(s) || s[i+10] != 'T' || i > 0 && (chars.IsAlnum(s[i-1]) || isSeparator(s[i-1])) {
		return 0
	}
	for k := range len(form) {
		if c := s[i+k]; c != form[k] && (form[k] != '0' || !chars.IsDigit(c)) {
			return 0
		}
	}
	return i + len(form)
}

// memberName is the name of the innermost member, "" if there is none.
func (sc *Scanner) memberName() string {
	if len(sc.frames) == 0 {
		return ""
	}
	if f := &sc.frames[len(sc.frames)-1]; f.object {
		return f.src[f.keyStart:f.keyEnd]
	}
	return ""
}

// runStart is where the run of digits around i begins that is not decided yet.
func (sc *Scanner) runStart(s string, i int) int {
	low := max(sc.settled, sc.counted, i-maxDigitRun)
	start := i
	for start > low { // groups before the first one of three digits
		p := start - 1
		for p >= low && start-p <= 2 && isSeparator(s[p]) {
			p--
		}
		if p < low || !chars.IsDigit(s[p]) {
			break
		}
		start = p
	}
	if start > 0 && (s[start-1] == '+' || s[start-1] == '(') && start > low {
		start--
		if s[start] == '(' && start > low && s[start-1] == '+' {
			start--
		}
	}
	return start
}

// optionalNumber looks at the run [start,end) of digits around i for the kinds of numbers
// that are off by default.
func (sc *Scanner) optionalNumber(s string, i, start, end int) int {
	on := &sc.e.On
	if on.Has(personal.KindIPv4) {
		if a, b, ok := personal.IPv4At(s, i); ok {
			sc.counted = max(sc.counted, b)
			return sc.takeSpan(s, a, b, personal.KindIPv4)
		}
	}
	if on.Has(personal.KindCodiceFiscale) {
		if a, b, ok := personal.LetteredIDAt(s, i); ok && b-a == 16 {
			return sc.takeSpan(s, a, b, personal.KindCodiceFiscale)
		}
	}
	if a, b, kind, ok := personal.NationalAt(s, start, end, on); ok {
		return sc.takeSpan(s, a, b, kind)
	}
	return 0
}

func isSeparator(c byte) bool { return chars.Class[c]&chars.Separator != 0 }

// separatedRun is the end of the run that begins at start (see [detector]) and how many
// digits it has.
func separatedRun(s string, start int) (end, n int) {
	p := start
	for p < len(s) && (s[p] == '+' || s[p] == '(') && p-start < 2 {
		p++
	}
	end = p
	for p < len(s) && p-start < maxDigitRun {
		if chars.IsDigit(s[p]) {
			p++
			n++
			end = p
			continue
		}
		if !isSeparator(s[p]) {
			break
		}
		q := p + 1
		if q < len(s) && isSeparator(s[q]) && (s[p] == ')' || s[q] == '(' || s[p] == ' ' || s[q] == ' ') {
			q++
		}
		if q >= len(s) || !chars.IsDigit(s[q]) {
			break
		}
		p = q
	}
	return end, n
}

// mayBeWord rules out, by a byte or two, most of what begins like a word worth a look
// and is none.
func mayBeWord(s string, i int) bool {
	switch c := s[i+2]; {
	case !chars.IsAlnum(c): // MAC: the separators are the same
		return i+5 < len(s) && s[i+5] == c
	case chars.IsDigit(s[i]): // base58
		return i+24 < len(s) && chars.IsAlnum(s[i+24])
	}
	return i+3 < len(s) && chars.IsDigit(s[i+3]) // IBAN
}

// wordShape reports whether the word [i,end) has one of the shapes that [detector]
// names.
func wordShape(s string, i, end int) bool {
	n := end - i
	switch {
	case n >= 3 && n <= 128 && chars.IsLetter(s[i]) && chars.IsLetter(s[i+1]) && chars.IsDigit(s[i+2]):
		return true
	case n == 2 && end+1 < len(s) && (s[end] == ':' || s[end] == '-') && chars.Class[s[end+1]]&chars.Hex != 0:
		return i == 0 || s[i-1] != ':' && s[i-1] != '-'
	case n >= 25 && n <= 128 && chars.IsDigit(s[i]):
		return true
	}
	return false
}

// isPersonal reports whether a name is one of personal data, whose value has a form.
//
//go:noinline
func isPersonal(v names.Verdict) bool {
	return v.Level >= names.Telling && v.Kind.Group() == kinds.GroupPersonal
}
