// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/personal"
)

// maxLabel is how far behind the name of personal data a digit has to stand, in bytes.
const maxLabel = 80

// labelHit looks at the name of personal data around the word [i,end) and at the value behind it. person tells that it
// may be a label of a person's name, whose value has no digits.
func (sc *Scanner) labelHit(s string, i, end int, person bool) int {
	if i < sc.named || end-i < 5 && inWord(s, end) {
		return 0
	}
	stop := wordEnd(s, end)
	if !person && !digitAhead(s, end) && !digitBehind(s, i) && !(stop < len(s) && (s[stop] == '"' || s[stop] == '\'')) {
		return 0
	}
	start := wordsBack(s, i)
	var stops [5]int // the ends of the name with none to four more words
	stops[0] = stop
	n := 1
	for ; n < len(stops); n++ {
		next, ok := nextWord(s, stops[n-1])
		if !ok {
			break
		}
		stops[n] = next
	}
	for n--; n >= 0; n-- {
		v := sc.classify(s[max(start, stops[n]-names.MaxName):stops[n]])
		if isPersonal(v) {
			return sc.personalHit(s, i, stops[n], v)
		}
	}
	return 0
}

// inWord reports whether a short word goes on with a letter at end, but for that of a word for a number: telnr.
func inWord(s string, end int) bool {
	if end >= len(s) || chars.Class[s[end]]&chars.Lower == 0 {
		return false
	}
	if s[end-1]|0x20 == 'n' && strings.IndexByte("uor", s[end]) >= 0 { // taxNumber
		return false
	}
	return s[end] != 'n' && s[end] != 'i'
}

// personalHit removes the value that belongs to the name [start,stop) of personal data: below it, in the
// next cell or element, or behind it.
func (sc *Scanner) personalHit(s string, start, stop int, v names.Verdict) int {
	if stop+1 < len(s) && s[stop] == '.' && strings.IndexByte(" :<\"'=)]", s[stop+1]) >= 0 {
		stop++ // of an abbreviation
	}
	sc.named = max(sc.named, stop)
	if !sc.quick && sc.tableHit(s, start, stop) {
		return 0
	}
	sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
	at, bound := personal.Gap(s, stop)
	if v.Kind == names.Phone && at > stop && at < len(s) && s[at-1] == '+' {
		at--
	}
	name := chars.SkipBack(s, max(0, start-names.MaxName), start, chars.Name)
	bound = bound || at > stop && name+1 < start && s[name] == '-' && s[name+1] == '-' // an option: --phone
	sc.Count(at - stop + 1)
	if !bound && !sc.quick {
		if to := personal.Unbound(v, s, stop); to > stop {
			return sc.takeSpan(s, chars.SkipAny(s, stop, personal.Blanks), to, v.Kind)
		}
	}
	if at >= len(s) || !bound {
		switch {
		case stop >= len(s):
		case sc.quick: // the name is a string, or the text of an element, and its value another one
			sc.suspect = sc.suspect || strings.IndexByte("\"'.<\n", s[stop]) >= 0
		default:
			return sc.personalAfar(s, start, stop, v)
		}
		return 0
	}
	to := personal.Labelled(v, s, at)
	if v.Kind == names.PersonName && isNoPerson(s, start, stop, at, to) {
		return 0
	}
	if to <= at {
		if sc.quick {
			sc.suspect = sc.suspect || strings.IndexByte("{[<", s[at]) >= 0
		} else if strings.IndexByte(s[stop:at+1], '<') >= 0 {
			return sc.personalAfar(s, start, stop, v)
		}
		return 0
	}
	return sc.takeRange(s, at, to, v)
}

// isNoPerson reports whether the value [at,to) behind the label [start,stop) of a name is none: behind the end of a
// sentence, the first word of the documentation of a function, or one word where two are the least.
func isNoPerson(s string, start, stop, at, to int) bool {
	return strings.HasPrefix(s[stop:], ".\n") || strings.HasSuffix(s[:at], `"""`) ||
		to > at && chars.EqualFold(s[start:stop], "fullname") && chars.Skip(s, at, chars.Lower|chars.Upper) == to
}

// takeRange removes the value [at,to) behind a label of personal data and, if a range begins with it, the
// value that ends the range: from x to y.
func (sc *Scanner) takeRange(s string, at, to int, v names.Verdict) int {
	next := sc.takeSpan(s, at, to, v.Kind)
	if next > 0 && strings.HasPrefix(s[to:], " to ") {
		at = to + len(" to ")
		if to = personal.Labelled(v, s, at); to > at {
			next = sc.takeSpan(s, at, to, v.Kind)
		}
	}
	return next
}

// personalAfar removes the value of the name [start,stop) of personal data that is typed into a field of the name, or
// stands in another attribute or element.
func (sc *Scanner) personalAfar(s string, start, stop int, v names.Verdict) int {
	name := start // with the words before the label: shipping_address
	for name > 0 && start-name < names.MaxName && (isWordByte(s[name-1]) || isJoint(s[name-1])) {
		name--
	}
	if next, done := sc.formValue(s, name, stop, v); done {
		return next
	}
	if from, to := operands.EnteredValue(s, start); to > from && personal.Fits(v, s[from:to]) {
		return sc.takeSpan(s, from, to, v.Kind)
	}
	sc.elementHit(s, stop, v)
	return 0
}

func digitAhead(s string, end int) bool {
	for p := end; p < len(s) && p-end < maxLabel; p++ {
		if chars.IsDigit(s[p]) {
			return true
		}
	}
	return false
}

// digitBehind reports whether a digit stands shortly before the label at i, behind which a word says that it is the
// value: x as phone number.
func digitBehind(s string, i int) bool {
	low := max(0, i-maxLabel/2)
	for _, word := range [...]string{" as ", " is "} {
		if n := strings.LastIndex(s[low:i], word); n > 0 {
			return chars.HasDigit(s[low : low+n])
		}
	}
	return false
}

func isWordByte(c byte) bool { return chars.IsLetter(c) || c >= 0x80 }

// wordsBack is where the name begins that goes on at i: up to four words with single separators
// between them.
func wordsBack(s string, i int) int {
	p := i
	for range 5 {
		for p > 0 && i-p < names.MaxName && isWordByte(s[p-1]) {
			p--
		}
		q := p
		for q > 0 && p-q < 2 && isJoint(s[q-1]) {
			q--
		}
		if q == p || q == 0 || i-p >= names.MaxName || !isWordByte(s[q-1]) {
			break
		}
		p = q
	}
	return max(p, i-names.MaxName)
}

// isJoint reports whether c may stand between the words of a name.
func isJoint(c byte) bool { return strings.IndexByte(" _-+'.", c) >= 0 }

//go:noinline
func wordEnd(s string, p int) int {
	for p < len(s) && isWordByte(s[p]) {
		p++
	}
	return p
}

// nextWord is the end of the word behind one or two separators at p.
func nextWord(s string, p int) (end int, ok bool) {
	q := p
	for q < len(s) && q-p < 2 && isJoint(s[q]) {
		q++
	}
	if q == p || q >= len(s) || !isWordByte(s[q]) || s[q] == 0xe2 { // a dash, an arrow or a bullet
		return p, false
	}
	return wordEnd(s, q), true
}
