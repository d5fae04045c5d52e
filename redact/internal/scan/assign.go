// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/personal"
	"github.com/toolscope/toolscope/redact/internal/tables"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// nameHit looks at the name around a telling word and at the value beside it.
func (sc *Scanner) nameHit(s string, i, end int) int {
	if i < sc.named || operands.NotName(s, i, end) {
		return 0
	}
	start := chars.SkipBack(s, max(sc.settled, i-names.MaxName), i, chars.Name)
	stop := nameEnd(s, start, end)
	sc.named = stop
	v := sc.classify(s[start:stop])
	if label, next := sc.passNumber(s, start, stop, v); next > 0 {
		return sc.personalHit(s, i, next, label)
	}
	if v.Level == names.Harmless {
		v = sc.checked(s, start, stop)
	}
	if v.Level == names.Harmless && !sc.quick {
		return sc.fieldHit(s, start, stop)
	}
	if v.Level == names.Harmless || strings.HasSuffix(s[:start], marks.Head) {
		return 0
	}
	p := chars.SkipAny(s[:min(len(s), stop+5)], stop, "=: \"'")
	if marks.Leads(s[p:], p > 0 && chars.IsSpace(s[p-1]) || p > 0 && s[p-1] == '=') {
		sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
		return 0 // done in an earlier pass
	}
	sc.budget.nameAt(start)
	sc.payDense(costOfName)
	if codec.InBlock(s, start, stop) {
		return 0
	}
	if sc.e.Explain {
		sc.because("name "+s[start:stop], values.Enough)
	}
	if isPersonal(v) {
		sc.named = 0
		return sc.labelHit(s, i, end, v.Kind == names.PersonName)
	}
	if sc.quick {
		sc.pay(2 * costOfName)
		if stop < len(s) && s[stop] == ' ' {
			sc.payDense(costOfAfar)
		}
		sc.suspect = sc.suspect || operands.BesideValue(s, start, stop)
		return 0
	}
	if v = sc.besideOthers(s, start, stop, v); v.Level == names.Harmless {
		return 0
	}
	isTitle := sc.tableHit(s, start, stop)
	sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
	if isTitle {
		return stop
	}
	sc.spend(stop - start)
	return sc.nameAt(s, start, stop, v)
}

// passNumber says what the label is that begins with the name [start,stop), which means v, if that is the
// number of a passport: Pass Nr. 0 as its end means that it is none.
func (sc *Scanner) passNumber(s string, start, stop int, v names.Verdict) (label names.Verdict, end int) {
	if stop-start != len("pass") || v.Kind != kinds.Password {
		return label, 0
	}
	next, ok := nextWord(s, stop)
	if !ok || chars.Fold[s[next-1]] != 'r' {
		return label, 0
	}
	if label = sc.classify(s[start:next]); !isPersonal(label) {
		return label, 0
	}
	return label, next
}

// besideOthers says what the name [start,stop), which by itself means v, means behind the words before it:
// they may make a secret of its value, or say that it has none.
func (sc *Scanner) besideOthers(s string, start, stop int, v names.Verdict) names.Verdict {
	if v.Level < names.Secret && (v.Kind == kinds.Session || v.Kind == kinds.Token || v.Kind == kinds.Secret) &&
		chars.ContainsFold(s[max(0, start-nearCookie):start], "cookie") {
		v = names.Verdict{Level: names.Secret, Kind: kinds.Cookie}
	}
	if before := wordBefore(s, start); before != "" && v.Level < names.Secret && !chars.EqualFold(s[start:stop], "login") {
		switch {
		case sc.makesSecret(before):
			v.Level = names.Secret
		case names.Weakens(before) && v.Kind != kinds.Credential, strings.HasSuffix(s[:start], "ublic key "):
			return names.Verdict{}
		}
	}
	return v
}

// fieldHit removes what is typed into a field whose name, [start,stop), says that it is one: #password-input.
func (sc *Scanner) fieldHit(s string, start, stop int) int {
	name := names.OfInput(s[start:stop])
	if len(name) == stop-start {
		return 0
	}
	v := sc.classify(name)
	if v.Level < names.Secret {
		return 0
	}
	from, to := operands.FilledValue(s, start, stop)
	if to <= from || !sc.judge(s[from:to], "", v, values.Operand{Op: '=', Quoted: true}, false) {
		return 0
	}
	return sc.takeNamed(s, from, to, v.Kind)
}

// nameEnd is the end of the name that begins at start and of which a telling word ends at end.
func nameEnd(s string, start, end int) int {
	high := min(len(s), end+names.MaxName)
	stop := chars.Skip(s[:high], end, chars.Name)
	for stop+1 < high && s[stop] >= 0xc3 && s[stop] <= 0xc5 { // an accent
		stop = chars.Skip(s[:high], stop+2, chars.Name)
	}
	for stop > end && (s[stop-1] == '.' || s[stop-1] == '-') {
		stop--
	}
	if stop-start == len("pass") && chars.HasFold(s, stop, " phrase") {
		stop += len(" phrase")
	}
	return stop
}

// checked says what the name [start,stop) of a function means that checks the literal it is called with:
// check_password("x").
func (sc *Scanner) checked(s string, start, stop int) (v names.Verdict) {
	if stop+1 >= len(s) || s[stop] != '(' || s[stop+1] != '"' && s[stop+1] != '\'' {
		return names.Verdict{}
	}
	name := s[start:stop]
	name = name[chars.LastByte(name, '.')+1:]
	for _, verb := range [...]string{"check", "verify"} {
		if rest := strings.TrimPrefix(name, verb); len(rest) < len(name) {
			v = sc.classify(strings.TrimLeft(rest, "_"))
		}
	}
	if v.Kind != kinds.Password || !values.LooksLikePassword(s[stop+2:operands.QuoteEnd(s, stop+2, s[stop+1])]) {
		return names.Verdict{}
	}
	return v
}

// nearCookie is how far before a name the word cookie may stand, in bytes.
const nearCookie = 32

// foreignHit looks at the value beside a word for a password in another language.
func (sc *Scanner) foreignHit(s string, i, end, n int) int {
	v := names.OfForeign(names.ForeignNames[n])
	if i < sc.named && v.Kind != kinds.Credential || i > 0 && s[i] < 0x80 && isWordByte(s[i-1]) {
		return 0
	}
	if s[end-1] < 0x80 { // with an article at the end: lösenordet, adgangskoden
		if end = chars.Skip(s[:min(len(s), end+3)], end, chars.Lower); end < len(s) && isWordByte(s[end]) {
			return 0
		}
	}
	if sc.quick {
		sc.suspect = true
		return 0
	}
	sc.named, sc.key = end, v
	if isPersonal(v) {
		return sc.foreignLabel(s, i, end, v)
	}
	if v.Kind == kinds.Credential {
		p := chars.SkipAny(s[:min(len(s), end+4)], end, ": ")
		if from, to := operands.LoginPair(s, p, chars.Skip(s, p, chars.URL)); to > from {
			return sc.takeNamed(s, from, to, kinds.Password)
		}
	}
	if sc.tableHit(s, i, end) {
		return end
	}
	return sc.nameAt(s, i, end, v)
}

// foreignLabel looks for the value of a label of personal data in another script, [i,end), which may go on: with an
// ending, with words, and, in scripts without blanks, with letters up to an operator or the value.
func (sc *Scanner) foreignLabel(s string, i, end int, v names.Verdict) int {
	stop := end
	for range 4 {
		if _, bound := personal.Gap(s, stop); bound {
			break
		}
		next := wordEnd(s, min(stop+1, len(s)))
		if stop >= len(s) || next-end > names.MaxName || s[stop] < 0x80 && !isJoint(s[stop]) || s[stop] < 0x80 &&
			next == stop+1 {
			break
		}
		stop = next
	}
	if _, bound := personal.Gap(s, stop); bound {
		end = stop
	} else {
		end = foreignEnd(s, end)
	}
	return sc.personalHit(s, i, end, v)
}

// foreignEnd is the end of the letters at end that go on with a label, if a digit or a capital follows them.
func foreignEnd(s string, end int) int {
	if stop := wordEnd(s, end); stop < len(s) && stop-end <= 18 {
		return stop
	}
	return end
}

// nameAt looks for the value of the name [start,stop).
func (sc *Scanner) nameAt(s string, start, stop int, v names.Verdict) int {
	sc.payBehind(s, stop)
	if n, done := sc.formValue(s, start, stop, v); done {
		return n
	}
	if chars.OneOf("class struct interface function procedure property", wordBefore(s, start)) {
		return 0 // a definition
	}
	if v.Kind == kinds.Token && (chars.EqualFold(s[start:stop], "jwt.sign") || chars.EqualFold(s[start:stop], "jwt.verify")) {
		return sc.signHit(s, stop)
	}
	if v.Kind == kinds.Credential || chars.EqualFold(s[start:stop], "login") {
		if from, to := loginBehind(s, stop); to > from {
			return sc.takeNamed(s, from, to, kinds.Password)
		}
	}
	o, ok := operands.FindOperand(s, start, stop)
	if !ok {
		if next := sc.comparedBefore(s, start, v); next > 0 {
			return next
		}
		if v.Kind == kinds.Authorization { // also a permission
			return 0
		}
		return sc.afar(s, start, stop, v)
	}
	sc.spend(o.End - stop)
	sc.pay(costOfValue + 2*costOfByte*(o.End-stop))
	if o.Start < sc.values.end {
		sc.pay(costOfAgain)
	}
	if n := len(sc.Spans); n > 0 && o.Start >= sc.Spans[n-1].end && o.Start-sc.Spans[n-1].end <= crowded {
		sc.payMany(costOfCrowd)
	}
	if sc.values.tooMany(o.Start, o.End) {
		return sc.takeSpan(s, o.Start, o.End, kinds.Unscanned)
	}
	if n, done := sc.pairValue(s, start, stop, o, v); done {
		return n
	}
	return sc.operandHit(s, start, stop, o, v)
}

// signHit removes the key that the function whose name stops at stop signs a token with, or verifies it.
func (sc *Scanner) signHit(s string, stop int) int {
	from, to := operands.SignKey(s, stop)
	if to <= from || !sc.judge(s[from:to], "", names.Verdict{Level: names.Secret, Kind: kinds.Secret},
		values.Operand{Op: '=', Quoted: true}, false) {
		return 0
	}
	return sc.takeNamed(s, from, to, kinds.Secret)
}

// loginBehind is the password of the pair behind the name of a login that stops at stop: login is ann / x.
func loginBehind(s string, stop int) (from, to int) {
	for _, verb := range [...]string{" is ", " are "} {
		if p := stop + len(verb); strings.HasPrefix(s[stop:], verb) {
			return operands.LoginPair(s, p, chars.Skip(s, p, chars.URL))
		}
	}
	return 0, 0
}

// operandHit removes the operand o of the name [start,stop), or what belongs to it, if it is a secret.
func (sc *Scanner) operandHit(s string, start, stop int, o values.Operand, v names.Verdict) int {
	if isBraced(s, start, o) {
		o.Start, o.End, o.Quoted = o.Start+1, o.End-1, true
	}
	b := assignment{s: s, start: start, stop: stop, operand: o, verdict: v}
	if b.isNoValue() || o.Op == ',' && b.isListItem() || b.isVerb() || b.isName() {
		return 0
	}
	if n, done := sc.headerValue(s, o, v); done {
		return n
	}
	if b.listsNames() {
		return 0
	}
	if list := sc.flowList(s, o, v); list > 0 {
		return list
	}
	said := b.isText()
	if said || !sc.judge(b.value(), b.name(), v, o, o.End < len(s) && s[o.End] == '(') {
		if !said && o.Op == ' ' && (v.Level == names.Secret || v.Kind == kinds.Token) {
			return sc.afar(s, start, stop, v) // password is still x
		}
		return 0
	}
	if !o.Quoted && o.Op == ':' && v.Level == names.Secret && strings.IndexByte(b.name(), '_') > 0 &&
		operands.LineStart(s, start) {
		if end := operands.WordsEnd(s, o.End); end > o.End {
			if o.End = end; !sc.judge(s[o.Start:end], b.name(), v, values.Operand{Op: ':', Quoted: true}, false) {
				return 0 // a text of several words
			}
		}
	}
	return sc.takeChanged(s, o, v)
}

// takeChanged removes the value o, and the one that it is changed to: "x" -> "y".
func (sc *Scanner) takeChanged(s string, o values.Operand, v names.Verdict) int {
	next := sc.takeNamed(s, o.Start, o.End, v.Kind)
	if o.Quoted {
		if from, to := operands.ChangedTo(s, o.End); to > from {
			next = sc.takeNamed(s, from, to, v.Kind)
		}
	}
	return next
}

// payBehind pays for what stands behind the name that stops at stop and is seldom there.
func (sc *Scanner) payBehind(s string, stop int) {
	if stop+2 >= len(s) {
		return
	}
	switch c, next := s[stop], s[stop+1]; {
	case c == ',', next == ',' && (c == '"' || c == '\''), c == ' ' && (next == '(' || next == '['):
		sc.payDense(costOfItem)
	case next == ')' && (s[stop+2] == '.' || s[stop+2] == ','):
		sc.pay(costOfChain)
	}
}

// formValue removes the value of a name that is that of a field which is filled in, of an attribute, or of an
// element; done tells that there is such a field, attribute or element.
func (sc *Scanner) formValue(s string, start, stop int, v names.Verdict) (next int, done bool) {
	if from, to := operands.FilledValue(s, start, stop); to > from {
		if sc.judge(s[from:to], "", v, values.Operand{Op: '=', Quoted: true}, false) {
			next = sc.takeNamed(s, from, to, v.Kind)
		}
		return next, true
	}
	if c := tables.Attribute(s, start, stop); c.End > c.Start {
		sc.cell(s, c, v, true)
		return 0, true
	}
	if c := tables.Nested(s, start, stop); c.End > c.Start && (isPersonal(v) ||
		values.LooksLikePassword(s[c.Start:c.End])) {
		sc.cell(s, c, v, true)
		return 0, true
	}
	rest := s[stop:]
	if strings.HasPrefix(rest, "><") && start > 0 && s[start-1] == '<' && v.Level == names.Secret {
		if c := tables.Inner(s, stop+1); c.End > c.Start && values.LooksLikePassword(s[c.Start:c.End]) {
			sc.cell(s, c, v, true)
			return 0, true
		}
	}
	if strings.HasPrefix(rest, ":</") || strings.HasPrefix(rest, ": <") && len(rest) > 3 && chars.IsLetter(rest[3]) &&
		strings.Contains(rest[:min(len(rest), 200)], "</") {
		sc.elementHit(s, stop, v)
		return 0, true
	}
	return 0, false
}

// pairValue looks at values that are not the operand itself: the second of a pair, and the parameters of a
// statement. done tells that there is nothing else to look at.
func (sc *Scanner) pairValue(s string, start, stop int, o values.Operand, v names.Verdict) (next int, done bool) {
	if from, to := operands.PairLiteral(s, start, stop, o); to > from {
		return sc.pairHit(s, from, to), true
	}
	if start > 0 && s[start-1] == ':' && o.Op == ':' && inARN(s, start) {
		return 0, true
	}
	if v.Kind == kinds.Credential {
		if from, to := operands.LoginPair(s, o.Start, o.End); to > from {
			return sc.takeNamed(s, from, to, kinds.Password), true
		}
	}
	if o.Op == '=' && isParameter(s[o.Start:o.End]) {
		sc.pay(costOfParam)
		sc.statementHit(s, start)
		return 0, true
	}
	return 0, false
}

// isBraced reports whether the operand is a value in braces, as ODBC has them.
func isBraced(s string, start int, o values.Operand) bool {
	return o.End-o.Start > 2 && s[o.Start] == '{' && s[o.End-1] == '}' && start > 0 && s[start-1] == ';'
}

// pairHit removes the second literal of a pair of credentials.
func (sc *Scanner) pairHit(s string, from, to int) int {
	if v := s[from:to]; values.IsFieldName(v) || strings.Contains(v, "://") ||
		!sc.judge(v, "", names.Verdict{Level: names.Secret, Kind: kinds.Password},
			values.Operand{Op: '=', Quoted: true}, false) {
		return 0
	}
	return sc.takeNamed(s, from, to, kinds.Password)
}

// comparedBefore finds the literal that is compared with a name: "…" == name.
func (sc *Scanner) comparedBefore(s string, start int, v names.Verdict) int {
	p := start
	p = chars.SkipBack(s, max(sc.settled, start-4), p, chars.Blank)
	n := 0
	for p > sc.settled && (s[p-1] == '=' || s[p-1] == '!') && n < 3 {
		p, n = p-1, n+1
	}
	if n < 2 {
		return 0
	}
	p = chars.SkipBack(s, sc.settled, p, chars.Blank)
	if p <= sc.settled || s[p-1] != '"' && s[p-1] != '\'' && s[p-1] != '`' {
		return 0
	}
	open := chars.LastByte(s[max(sc.settled, p-512):p-1], s[p-1])
	if open < 0 {
		return 0
	}
	open += max(sc.settled, p-512) + 1
	value := s[open : p-1]
	if !sc.judge(value, "", v, values.Operand{Op: '~', Quoted: true}, false) || sc.takeSpan(s, open, p-1, v.Kind) == 0 {
		return 0
	}
	return start
}
