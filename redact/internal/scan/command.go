// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// commandHit reads the command line of a program whose name is at i.
func (sc *Scanner) commandHit(s string, i, end, n int) int {
	p := operands.Programs[n]
	open := p.Name[len(p.Name)-1] != ' ' // the name may go on: mysqldump, mysql.exe, mysql-client
	if !standsAlone(s, i, end, open) || isVariable(s, i, end) {
		return 0
	}
	switch {
	case sc.quick:
		sc.suspect = true
		return len(s)
	case n == sc.program && i < sc.read:
		return 0 // an argument of its own: read already
	}
	limit := min(len(s), end+operands.MaxLine)
	q := end
	for q < limit && open && (chars.IsAlnum(s[q]) || strings.IndexByte("-._", s[q]) >= 0) {
		q++
	}
	defer func() { sc.program, sc.read = n, q }()
	for q < limit {
		var start, stop int
		start, stop, q = operands.Argument(s, q, limit)
		if start == stop && q >= limit || start < len(s) && strings.IndexByte("|;&\n", s[start]) >= 0 {
			break
		}
		sc.spend(q - start + 1)
		sc.pay(4 * costOfByte * (q - start + 1))
		q = sc.commandWord(&p, s, start, stop, q, limit)
	}
	return 0
}

// isVariable reports whether the name of a program at [i,end) is that of a variable: it has capitals behind a small
// letter, or an equals sign behind it.
func isVariable(s string, i, end int) bool {
	q := chars.Skip(s, end, chars.Blank)
	return q < len(s) && s[q] == '=' || chars.Skip(s, i, chars.Lower) > i && chars.Skip(s[:end], i, chars.Lower) < end &&
		chars.IsUpper(s[chars.Skip(s[:end], i, chars.Lower)])
}

// commandWord reads the word [start,stop) of a command line, behind which it goes on at next. It returns where to go on.
func (sc *Scanner) commandWord(p *operands.Program, s string, start, stop, next, limit int) int {
	word := s[start:stop]
	switch {
	case len(word) < 2:
	case word[0] == '/' && p.Nth > 0 && strings.IndexByte(word, ':') > 0: // an option of Windows: /user:ann
	case word[0] != '-' && p.Nth > 0:
		if p.Nth--; p.Nth == 0 && (!strings.Contains(word, "=") || len(word) > 20) && word[0] != '/' {
			sc.argumentSecret(s, start, stop)
		}
	case word[0] == '-' || word[0] == '/' && p.Glued != "" || chars.OneOf(p.Value, word):
		return sc.commandOption(p, s, start, stop, next, limit)
	}
	return next
}

// standsAlone reports whether the name of a program, [start,stop), is no part of another word.
func standsAlone(s string, start, stop int, open bool) bool {
	if start > 0 && (chars.IsAlnum(s[start-1]) || s[start-1] == '_') {
		return false
	}
	return stop >= len(s) || !open || chars.IsSpace(s[stop]) || strings.IndexByte("dump\"',.-", s[stop]) >= 0
}

// commandOption removes the secret of the option [start,stop), behind which it goes on at next. It
// returns where to go on.
func (sc *Scanner) commandOption(p *operands.Program, s string, start, stop, next, limit int) int {
	word := s[start:stop]
	glued := len(word) > 2 && word[1] != '-'
	q := next
	name, _, given := strings.Cut(word, "=")
	switch {
	case given && chars.OneOf(p.User, name) && len(name) > 2:
		sc.userPassword(s, start+len(name)+1, stop)
	case chars.OneOf(p.User, word) && p.Sep != "":
		start, stop, q = operands.Argument(s, q, limit)
		if i := strings.Index(s[start:stop], p.Sep); i > 0 {
			sc.argumentSecret(s, start+i+1, stop)
		}
	case chars.OneOf(p.User, word):
		start, stop, q = operands.Argument(s, q, limit)
		q = sc.userArgument(s, start, stop, q, limit)
	case glued && len(word) < 6 && chars.OneOf(p.User, "-"+word[len(word)-1:]) && // -su
		chars.Skip(word, 1, chars.Lower|chars.Upper) == len(word):
		start, stop, q = operands.Argument(s, q, limit)
		q = sc.userArgument(s, start, stop, q, limit)
	case chars.OneOf(p.User, word[:2]) && glued:
		sc.userPassword(s, start+2, stop)
	case chars.OneOf(p.Value, word):
		start, stop, q = operands.Argument(s, q, limit)
		if stop == start+1 && chars.IsDigit(s[start]) { // how it is encrypted: key 7 x
			start, stop, q = operands.Argument(s, q, limit)
		}
		sc.argumentSecret(s, start, stop)
	case word[0] == '/':
		if strings.HasPrefix(word, p.Glued) {
			sc.argumentSecret(s, start+len(p.Glued), stop)
		}
	case len(word) == 2 && chars.OneOf(p.Glued, word) && q < limit && (s[q] == '"' || s[q] == '\''): // -p'x'
		start, stop, q = operands.Argument(s, q, limit)
		sc.argumentSecret(s, start, stop)
	case chars.OneOf(p.Glued, word[:2]) && glued && !strings.HasPrefix(word, "-pass") && word != "-pwd":
		sc.argumentSecret(s, start+2, stop)
	}
	return q
}

// argumentSecret removes an argument unless it is a reference or an option.
func (sc *Scanner) argumentSecret(s string, start, stop int) {
	if start >= stop {
		return
	}
	if v := s[start:stop]; v[0] != '-' && !values.IsReference(v) && !values.IsPath(v) && !chance.IsRepeated(v) &&
		!values.IsPublicWord(v) {
		sc.insert(s, start, stop, kinds.Password)
	}
}

// userArgument removes the password of the argument [start,stop), which may be quoted in
// parts: kevin:'…', "kevin":"…". It returns where to go on, which was next.
func (sc *Scanner) userArgument(s string, start, stop, next, limit int) int {
	switch {
	case next < limit && s[next] == ':':
		next++
	case next < limit && stop > start && s[stop-1] == ':' && (s[next] == '"' || s[next] == '\''):
	default:
		sc.userPassword(s, start, stop)
		return next
	}
	start, stop, next = operands.Argument(s, next, limit)
	sc.argumentSecret(s, start, stop)
	return next
}

// userPassword removes the password, or a lone user name that is a token, of
// "user:password".
func (sc *Scanner) userPassword(s string, start, stop int) {
	if start >= stop {
		return
	}
	v := s[start:stop]
	colon := strings.IndexByte(v, ':')
	if colon < 0 || v[0] == '<' && v[len(v)-1] == '>' {
		return
	}
	user, password := v[:colon], v[colon+1:]
	switch {
	case password == "" || values.IsReference(password):
		if user != "" && !values.IsReference(user) && (password == "" && (chance.Random(user) || len(user) >= 8 &&
			chars.HasSpecial(user))) {
			sc.insert(s, start, start+colon, kinds.Password)
		}
	case values.IsPlaceholder(password) || values.IsFieldName(password):
	default:
		sc.insert(s, start+colon+1, stop, kinds.Password)
	}
}

// insert takes a span ahead of where the scan stands; the scan goes on before it.
func (sc *Scanner) insert(s string, start, stop int, kind kinds.ID) {
	if start < sc.settled {
		return
	}
	settled := sc.settled
	sc.takeNamed(s, start, stop, kind)
	sc.settled = settled
}
