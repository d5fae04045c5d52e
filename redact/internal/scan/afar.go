// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// isForeign reports whether a name is a word for a password in another language than English.
func isForeign(name string) bool {
	var b [len("adgangskoden")]byte
	for i := range len(name) {
		if name[i] >= 0x80 || name[i] == ' ' {
			return true
		}
		b[min(i, len(b)-1)] = chars.Fold[name[i]]
	}
	return len(name) <= len(b) && foreignWords[string(b[:len(name)])]
}

var foreignWords = names.Set("senha wachtwoord kennwort passwort contrasena salasana heslo parola lozinka " +
	"adgangskode adgangskoden passordet passord")

// besideWords is the value of the name [start,stop) in a sentence, in a field, on the next line, or before a remark.
func besideWords(s string, start, stop int) (from, to int) {
	if from, to = operands.ProseValue(s, start, stop, isForeign(s[start:stop])); to <= from {
		from, to = operands.EnteredValue(s, start)
	}
	if to <= from {
		from, to = operands.ValueBelow(s, start, stop)
	}
	return from, to
}

// modals make a verb of the word behind them.
const modals = "should to must will may can would could not"

// afar looks for the value of the name [start,stop) where nothing is directly beside it:
// in a column of a table, behind a number, behind words, or in a block.
func (sc *Scanner) afar(s string, start, stop int, v names.Verdict) int {
	if strings.HasPrefix(s[stop:], " |") { // cells to read
		sc.pay(costOfAfar)
	} else if stop < len(s) && s[stop] == ' ' { // words to read
		sc.payDense(costOfAfar)
		if start > 0 && s[start-1] == '/' || chars.EqualFold(s[start:stop], "pass") && chars.OneOf(modals, wordBefore(s, start)) {
			return 0 // a path, a verb
		}
	}
	sc.elementHit(s, stop, v)
	if v.Level == names.Secret || v.Kind == kinds.Token {
		if next, done := sc.proseHit(s, start, stop, v); done {
			return next
		}
	}
	return sc.nearHit(s, start, stop, v)
}

// nearHit removes what is the value of the name [start,stop) only because it stands near.
func (sc *Scanner) nearHit(s string, start, stop int, v names.Verdict) int {
	near := operands.Near{Password: v.Kind == kinds.Password, Weak: v.Level < names.Secret,
		Key: v.Kind == kinds.Token || v.Kind == kinds.APIKey || v.Kind == kinds.Secret}
	if near.Weak && v.Kind != kinds.Token || isPersonal(v) ||
		chars.EqualFold(s[start:stop], "pass") && !ofUser(s, start) {
		return 0
	}
	from, to, read := near.Value(s, start, stop)
	sc.pay(costOfNear * read)
	if to <= from || !sc.judge(s[from:to], s[start:stop], v, values.Operand{Op: '=', Quoted: true}, false) {
		return 0
	}
	return sc.takeNamed(s, from, to, v.Kind)
}

// proseHit removes the first secret that belongs to the name [start,stop) beside words, in a sentence, or
// in a block; done tells that there is one.
func (sc *Scanner) proseHit(s string, start, stop int, v names.Verdict) (next int, done bool) {
	sc.spend(stop - start)
	pass := chars.EqualFold(s[start:stop], "pass") // in running text a verb, or a turn
	for n := range 2 {
		from, to := 0, 0
		switch n {
		case 0:
			if from, to = besideWords(s, start, stop); v.Kind != kinds.Password && values.MayBeSimple(s[from:to]) {
				continue
			}
		default:
			from, to = operands.BlockDefault(s, stop)
		}
		if to <= from || pass && !values.LooksLikePassword(s[from:to]) || !sc.judge(s[from:to], s[start:stop], v,
			values.Operand{Op: '=', Quoted: true}, false) {
			continue
		}
		sc.spend(max(0, to-stop))
		next = sc.takeNamed(s, from, to, v.Kind)
		if from, to = operands.ChangedTo(s, to); n == 0 && to > from {
			next = sc.takeNamed(s, from, to, v.Kind)
		}
		return next, true
	}
	return 0, false
}
