// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/tables"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// nameHit looks at the name around a telling word and at the value beside it.
func (sc *Scanner) nameHit(s string, i, end int) int {
	if i < sc.named || operands.NotName(s, i, end) {
		return 0
	}
	low := max(sc.settled, i-names.MaxName)
	start, stop := i, end
	start = chars.SkipBack(s, low, start, chars.Name)
	high := min(len(s), end+names.MaxName)
	for stop = chars.Skip(s[:high], stop, chars.Name); stop+1 < high && s[stop] >= 0xc3 &&
		s[stop] <= 0xc5; { // an accent
		stop = chars.Skip(s[:high], stop+2, chars.Name)
	}
	for stop > end && (s[stop-1] == '.' || s[stop-1] == '-') {
		stop--
	}
	sc.named = stop
	v := sc.classify(s[start:stop])
	if v.Level == names.Harmless || strings.HasSuffix(s[:start], marks.Head) {
		return 0
	}
	p := chars.SkipAny(s[:min(len(s), stop+5)], stop, "=: \"'")
	if marks.Leads(s[p:], p > 0 && chars.IsSpace(s[p-1]) || p > 0 && s[p-1] == '=') {
		sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
		return 0 // done in an earlier pass
	}
	sc.pay(costOfName)
	if sc.e.Explain {
		sc.because("name "+s[start:stop], values.Enough)
	}
	if isPersonal(v) {
		sc.named = 0
		return sc.labelHit(s, i, end)
	}
	if sc.quick {
		sc.suspect = operands.BesideValue(s, start, stop)
		return 0
	}
	if v.Level < names.Secret && (v.Kind == kinds.Session || v.Kind == kinds.Token || v.Kind == kinds.Secret) &&
		chars.ContainsFold(s[max(0, start-nearCookie):start], "cookie") {
		v = names.Verdict{Level: names.Secret, Kind: kinds.Cookie}
	}
	if before := wordBefore(s, start); before != "" && v.Level < names.Secret {
		switch {
		case sc.makesSecret(before):
			v.Level = names.Secret
		case names.Weakens(before):
			return 0
		}
	}
	if sc.tableHit(s, start, stop) {
		sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
		return stop
	}
	sc.spend(stop - start)
	sc.key = names.Verdict{Level: max(sc.key.Level, v.Level), Kind: v.Kind}
	return sc.nameAt(s, start, stop, v)
}

// nearCookie is how far before a name the word cookie may stand, in bytes.
const nearCookie = 32

// foreignHit looks at the value beside a word for a password in another language.
func (sc *Scanner) foreignHit(s string, i, end, n int) int {
	if i < sc.named || i > 0 && s[i] < 0x80 && isWordByte(s[i-1]) {
		return 0
	}
	if s[end-1] < 0x80 { // with an article at the end: lösenordet, adgangskoden
		if end = chars.Skip(s[:min(len(s), end+3)], end, chars.Lower); end < len(s) && isWordByte(s[end]) {
			return 0
		}
	}
	v := names.OfForeign(names.ForeignNames[n])
	if sc.quick {
		sc.suspect = true
		return 0
	}
	sc.named, sc.key = end, v
	if isPersonal(v) {
		const number = "番号"
		if strings.HasPrefix(s[end:], number) {
			end += len(number)
		}
		return sc.personalHit(s, i, end, v)
	}
	if sc.tableHit(s, i, end) {
		return end
	}
	return sc.nameAt(s, i, end, v)
}

// nameAt looks for the value of the name [start,stop).
func (sc *Scanner) nameAt(s string, start, stop int, v names.Verdict) int {
	if from, to := operands.FilledValue(s, start, stop); to > from {
		if sc.judge(s[from:to], "", v, values.Operand{Op: '=', Quoted: true}, false) {
			return sc.takeNamed(s, from, to, v.Kind)
		}
		return 0
	}
	if c := tables.Attribute(s, start, stop); c.End > c.Start {
		sc.cell(s, c, v, true)
		return 0
	}
	if strings.HasPrefix(s[stop:], ":</") || strings.HasPrefix(s[stop:], ": <") && s[stop+2:] != "<" &&
		stop+3 < len(s) &&
		chars.IsLetter(s[stop+3]) && strings.Contains(s[stop:min(len(s), stop+200)], "</") {
		sc.elementHit(s, stop, v)
		return 0
	}
	o, ok := operands.FindOperand(s, start, stop)
	if !ok {
		if next := sc.comparedBefore(s, start, v); next > 0 {
			return next
		}
		return sc.afar(s, start, stop, v)
	}
	sc.spend(o.End - stop)
	sc.pay(costOfValue + 2*costOfByte*(o.End-stop))
	if sc.values.tooMany(o.Start, o.End) {
		return sc.takeSpan(s, o.Start, o.End, kinds.Unscanned)
	}
	if from, to := operands.PairLiteral(s, start, stop, o); to > from {
		return sc.pairHit(s, from, to)
	}
	if start > 0 && s[start-1] == ':' && o.Op == ':' && inARN(s, start) {
		return 0
	}
	if v.Kind == kinds.Credential {
		if from, to := operands.SlashPair(s, o.Start, o.End); to > from {
			return sc.takeNamed(s, from, to, kinds.Password)
		}
	}
	value := s[o.Start:o.End]
	if o.Op == '=' && isParameter(value) {
		sc.statementHit(s, start)
		return 0
	}
	if n := len(value); n > 2 && value[0] == '{' && value[n-1] == '}' && start > 0 && s[start-1] == ';' { // ODBC
		o.Start, o.End, value, o.Quoted = o.Start+1, o.End-1, value[1:n-1], true
	}
	if chars.IsDigits(value) && o.End < len(s) && s[o.End] == ' ' && chars.HasFold(s, o.End, " bytes") {
		return 0 // as kubectl describes a Secret
	}
	if o.Op == '(' && o.End < len(s) && !o.Quoted || value == "" {
		return 0
	}
	if q := chars.Skip(s, o.End+1, chars.Blank); o.Op == ',' && o.Quoted && q < len(s) && s[q] == ':' {
		return 0 // the name of the next member
	}
	if o.Op == ',' && !o.Flag && s[o.Start-1] == '`' && !chance.Plausible(value) {
		return 0 // words of code in running text
	}
	if chars.EqualFold(s[start:stop], "pass") && o.Op == ',' {
		return 0 // 'pass', 'fail'
	}
	if chars.EqualFold(s[start:stop], "pass") && o.Op == ':' && !o.Quoted && !isPassword(s, start, value) {
		return 0 // a verb, as test programs have it
	}
	if o.Op == ',' && !o.Flag && chars.IsIdentifier(value) && !chars.HasDigit(value) &&
		operands.ItemBefore(s, start) && !chance.Random(value) {
		return 0 // names in a list
	}
	if o.Op == ',' && !o.Flag && start >= 2 && s[start-2] == '[' && !chance.Plausible(value) {
		return 0 // the first of a list of names
	}
	if v.Kind == kinds.Signature && (o.Op != '=' || start == 0 || strings.IndexByte("?&;#", s[start-1]) < 0) {
		return 0 // a signature is a secret where it opens something: in a URL
	}
	if n, done := sc.headerValue(s, o, v); done {
		return n
	}
	if v.Kind == kinds.Secret && !o.Quoted && chars.EndsFold(s[start:stop], "secrets") && chars.IsFieldLike(value) &&
		!chars.HasDigit(value) {
		return 0 // names of values that are given elsewhere
	}
	if list := sc.flowList(s, o, v); list > 0 {
		return list
	}
	if chars.EqualFold(s[start:stop], "pass") && o.Op == '=' && chars.IsDigits(value) &&
		chars.ContainsFold(s[o.End:min(len(s), o.End+24)], "fail") {
		return 0 // counts of tests
	}
	if o.Op == ':' && !o.Quoted && isSaid(s, start, o) {
		return 0
	}
	if !sc.judge(value, s[start:stop], v, o, o.End < len(s) && s[o.End] == '(') {
		if o.Op == ' ' && v.Level == names.Secret {
			return sc.afar(s, start, stop, v) // password is still x
		}
		return 0
	}
	if !o.Quoted && o.Op == ':' && v.Level == names.Secret && strings.IndexByte(s[start:stop], '_') > 0 &&
		operands.LineStart(s, start) {
		o.End = operands.WordsEnd(s, o.End)
	}
	return sc.takeNamed(s, o.Start, o.End, v.Kind)
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
	open := strings.LastIndexByte(s[max(sc.settled, p-512):p-1], s[p-1])
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
