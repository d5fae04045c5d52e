// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// maxValue is how far a value without an end is followed, in bytes.
const maxValue = 8 << 10

// An operand is what stands beside a name.
type operand struct {
	start, end int
	op         byte // '=', ':', ',', '(', '>' (XML), ' ' (an option or a bare pair), '~' (a comparison)
	quoted     bool
	spaced     bool // blanks before the value
	flag       bool // the name was a command line's option
}

// nameHit looks at the name around a telling word and at the value beside it.
func (sc *scanner) nameHit(s string, i, end int) int {
	if i < sc.named || notName(s, i, end) {
		return 0
	}
	low := max(sc.settled, i-maxName)
	start, stop := i, end
	for start > low && chars[s[start-1]]&chName != 0 {
		start--
	}
	high := min(len(s), end+maxName)
	for stop < high && chars[s[stop]]&chName != 0 {
		stop++
	}
	for stop > end && (s[stop-1] == '.' || s[stop-1] == '-') {
		stop--
	}
	sc.named = stop
	v := sc.words.classify(s[start:stop])
	if v.level == harmless || strings.HasSuffix(s[:start], markHead) {
		return 0
	}
	if sc.quick {
		sc.suspect = besideValue(s, start, stop)
		return 0
	}
	if v.level < secret && sc.precededBySecret(s, start) {
		v.level = secret
	}
	sc.spend(stop - start)
	sc.key = verdict{max(sc.key.level, v.level), v.kind}
	return sc.nameAt(s, start, stop, v)
}

// besideValue reports whether a name may have a value beside it: in running text it has
// none.
func besideValue(s string, start, stop int) bool {
	if stop < len(s) && (s[stop] == '"' || s[stop] == '\'') {
		o, ok := findOperand(s, start, stop)
		return !ok || !o.quoted || !isMark(s[o.start:o.end])
	}
	before := start
	for before > 0 && s[before-1] == ' ' {
		before--
	}
	if before > 0 && (s[before-1] == '=' || s[before-1] == '!' || s[before-1] == '"' && strings.IndexByte(s[start:stop], '_') > 0) {
		return true
	}
	o, ok := findOperand(s, start, stop)
	return ok && !isMark(s[o.start:o.end]) || !ok && mayStandAfar(s, stop)
}

// notName reports whether what follows an anchor makes a word of it that no name of a
// secret has, as cheaply as can be: pattern, author, keyboard, side.
func notName(s string, i, end int) bool {
	if end >= len(s) || chars[s[end]]&chLower == 0 {
		return false
	}
	switch end - i {
	case 2: // pw
		return s[end] != 'd'
	case 3:
		switch lower[s[i]] {
		case 'k':
			return s[end] != 's' && s[end] != 'p' && s[end] != 'c'
		case 'p':
			return lower[s[i+1]] != 'w' && lower[s[i+1]] != 's'
		case 's':
			return lower[s[i+1]] != 'i' || s[end] != 'n'
		case 'o', 'c', 'm':
			return true
		}
	case 4: // auth
		return lower[s[i]] == 'a' && s[end] == 'o' && !hasFold(s, end, "ori")
	}
	return false
}

// nameAt looks for the value of the name [start,stop).
func (sc *scanner) nameAt(s string, start, stop int, v verdict) int {
	o, ok := findOperand(s, start, stop)
	if !ok {
		if next := sc.comparedBefore(s, start, v); next > 0 {
			return next
		}
		return sc.afar(s, start, stop, v)
	}
	sc.spend(o.end - stop)
	if from, to := pairLiteral(s, start, stop, o); to > from {
		if v := s[from:to]; isFieldName(v) || strings.Contains(v, "://") || !judge(v, "", verdict{secret, idPassword}, operand{op: '=', quoted: true}, false) {
			return 0
		}
		return sc.takeNamed(s, from, to, idPassword)
	}
	value := s[o.start:o.end]
	if o.op == '(' && o.end < len(s) && !o.quoted || value == "" {
		return 0
	}
	if o.op == ',' && !o.flag && s[o.start-1] == '`' && !plausible(value) {
		return 0 // words of code in running text
	}
	if equalFold(s[start:stop], "pass") && o.op == ':' && s[stop] == ' ' {
		return 0 // a verb
	}
	if o.op == ',' && !o.flag && isIdentifier(value) && !hasDigit(value) && itemBefore(s, start) && !random(value) {
		return 0 // names in a list
	}
	if v.kind == idSignature && (o.op != '=' || start == 0 || strings.IndexByte("?&;#", s[start-1]) < 0) {
		return 0 // a signature is a secret where it opens something: in a URL
	}
	if n, done := sc.headerValue(s, o, v); done {
		return n
	}
	if v.kind == idSecret && !o.quoted && endsFold(s[start:stop], "secrets") && isFieldLike(value) && !hasDigit(value) {
		return 0 // names of what is told elsewhere
	}
	if list := sc.flowList(s, o, v); list > 0 {
		return list
	}
	if !judge(value, s[start:stop], v, o, o.end < len(s) && s[o.end] == '(') {
		return 0
	}
	if !o.quoted && o.op == ':' && v.level == secret && strings.IndexByte(s[start:stop], '_') > 0 && lineStart(s, start) {
		o.end = wordsEnd(s, o.end)
	}
	return sc.takeNamed(s, o.start, o.end, v.kind)
}

// itemBefore reports whether another literal of a list stands before the one whose inside
// begins at start.
func itemBefore(s string, start int) bool {
	p := start - 1
	if p < 0 || s[p] != '"' && s[p] != '\'' {
		return false
	}
	quote := s[p]
	for p > 0 && isSpace(s[p-1]) {
		p--
	}
	if p < 2 || s[p-1] != ',' {
		return false
	}
	return s[p-2] == quote
}

// wordsEnd is the end of a value of several words on one line of a file of settings.
func wordsEnd(s string, end int) int {
	for end+1 < len(s) && s[end] == ' ' && isAlnum(s[end+1]) {
		end = bareEnd(s, end+1)
	}
	return end
}

// precededBySecret reports whether the word before, in running text, makes a key or a
// token one that opens something: "API key", "access token".
func (sc *scanner) precededBySecret(s string, start int) bool {
	if start == 0 || s[start-1] != ' ' {
		return false
	}
	end := start - 1
	begin := end
	for begin > 0 && end-begin < 16 && isLetter(s[begin-1]) {
		begin--
	}
	words := sc.words.wordsOf(s[begin:end])
	return len(words) == 1 && (beforeSecret[words[0]] || vendors[words[0]])
}

// bareKeyword reports whether "name value" on its own is a pair: .netrc, sshpass-like
// tools, "set-token …" and "password is …".
func bareKeyword(s string, start, stop, p int) bool {
	name := s[start:stop]
	if equalFold(name, "pass") { // a verb as well
		return (s[p] == '"' || s[p] == '\'') && plausible(s[p+1:quoteEnd(s, p+1, s[p])])
	}
	if hasFold(s, p, "is ") || hasFold(s, p, "to ") || s[p] == '"' || s[p] == '\'' {
		return true
	}
	return equalFold(name, "password") && inNetrc(s, start) || hasFold(name, 0, "set-") || strings.IndexByte(name, '_') > 0 && lineStart(s, start)
}

// inNetrc reports whether a "login" or "machine" stands shortly before.
func inNetrc(s string, start int) bool {
	before := s[max(0, start-120):start]
	return containsFold(before, "login ") || containsFold(before, "machine ") || containsFold(before, "user ")
}

func lineStart(s string, start int) bool {
	for start > 0 && (s[start-1] == ' ' || s[start-1] == '\t') {
		start--
	}
	return start == 0 || s[start-1] == '\n'
}

// attributesBefore reports whether the name is an attribute of an element whose text
// follows the '>', as in <string name="api_key">.
func attributesBefore(s string, start int) bool {
	if start == 0 || s[start-1] != '"' && s[start-1] != '\'' {
		return false
	}
	before := s[max(0, start-80):start]
	return strings.LastIndexByte(before, '<') > strings.LastIndexByte(before, '>')
}

// comparedBefore finds the literal that is compared with a name: "…" == name.
func (sc *scanner) comparedBefore(s string, start int, v verdict) int {
	p := start
	for p > sc.settled && s[p-1] == ' ' && start-p < 4 {
		p--
	}
	n := 0
	for p > sc.settled && (s[p-1] == '=' || s[p-1] == '!') && n < 3 {
		p, n = p-1, n+1
	}
	if n < 2 {
		return 0
	}
	for p > sc.settled && s[p-1] == ' ' {
		p--
	}
	if p <= sc.settled || s[p-1] != '"' && s[p-1] != '\'' && s[p-1] != '`' {
		return 0
	}
	open := strings.LastIndexByte(s[max(sc.settled, p-512):p-1], s[p-1])
	if open < 0 {
		return 0
	}
	open += max(sc.settled, p-512) + 1
	value := s[open : p-1]
	if !judge(value, "", v, operand{op: '~', quoted: true}, false) || sc.take(s, open, p-1, v.kind) == 0 {
		return 0
	}
	return start
}
