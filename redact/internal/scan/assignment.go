// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// An assignment is a name in a text and the operand beside it.
type assignment struct {
	s           string
	start, stop int // of the name
	operand     values.Operand
	verdict     names.Verdict
}

//go:noinline
func (b *assignment) name() string { return b.s[b.start:b.stop] }

//go:noinline
func (b *assignment) value() string { return b.s[b.operand.Start:b.operand.End] }

// isNoValue reports whether the operand is something else than the value of the name.
func (b *assignment) isNoValue() bool {
	s, o, value := b.s, b.operand, b.value()
	switch {
	case value == "", o.Op == '>' && values.IsRemark(value), o.Op == '(' && o.End < len(s) && !o.Quoted:
		return true
	case b.verdict.Kind == kinds.Signature && (o.Op != '=' || b.start == 0 ||
		strings.IndexByte("?&;#", s[b.start-1]) < 0):
		return true // a signature is a secret where it opens something: in a URL
	}
	// as kubectl describes a Secret
	return o.End < len(s) && s[o.End] == ' ' && chars.HasFold(s, o.End, " bytes") && chars.IsDigits(value)
}

// isText reports whether the operand is text about the value rather than the value: a path or help, a
// request, a count of tests, a result, a constant, or words of a message.
func (b *assignment) isText() bool {
	o := b.operand
	return b.isPathOrHelp() || values.IsRequest(b.value(), b.name()) || b.isTestCount() || b.isResult() ||
		b.isConstant() || (o.Op == ':' || o.Op == '=' && o.Spaced) && !o.Quoted && isSaid(b.s, b.start, o) ||
		strings.Contains(b.s[o.End:min(len(b.s), o.End+nearRef)], "remoteRef:")
}

// nearRef is how far behind a name in a store of secrets what says so may stand, in bytes.
const nearRef = 32

// isListItem reports whether the operand behind a comma is the next name of a list rather than a value.
func (b *assignment) isListItem() bool {
	s, o, value := b.s, b.operand, b.value()
	if q := chars.SkipAny(s, o.End, "\\\"' "); o.Quoted && q < len(s) && (s[q] == ':' || strings.HasPrefix(s[q:], "=>")) {
		return true // the name of the next member
	}
	if chars.EqualFold(b.name(), "pass") {
		return true // 'pass', 'fail'
	}
	if dot := chars.LastByte(b.name(), '.'); dot > 0 && s[b.stop] == ',' &&
		names.Classify(b.name()[dot+1:]).Level == names.Harmless {
		return true // {token.FLOAT, "0x1p2"}
	}
	if b.start > 1 && strings.IndexByte("/:", s[b.start-1]) >= 0 && strings.IndexByte(value, s[b.start-1]) >= 0 {
		return true // another path: kadmin/server, iam:ListUsers
	}
	if strings.ContainsAny(value, ".[*") && !chance.Random(value) && names.Classify(value).Level == names.Secret {
		return true // another path: users[1].password
	}
	if o.Flag {
		return false
	}
	// words of code in running text, and the first of a list of names
	if (s[o.Start-1] == '`' || b.start >= 2 && s[b.start-2] == '[') && !chance.Plausible(value) {
		return true
	}
	name := value
	if end := len(value) - 1; end > 0 && names.Classify(value).Level == names.Secret { // password2
		name = value[:end]
	}
	head := chars.LastByte(value, '-') + 1 // two-factor-secret, two-factor-codes
	return chars.IsIdentifier(value[head:]) && strings.HasPrefix(b.name(), value[:head]) &&
		!chars.HasDigit(name) && operands.ItemBefore(s, b.start) &&
		!chance.Random(value)
}

// isVerb reports whether the name is a verb, as programs that test have it: pass: unit tests.
func (b *assignment) isVerb() bool {
	if o := b.operand; o.Op == '=' && o.Spaced && !o.Quoted && chars.EqualFold(b.name(), "pass") &&
		!operands.LineStart(b.s, b.start) { // a line of a test: log 1 pass = a line of it
		line, _, _ := strings.Cut(b.s[o.End:min(len(b.s), o.End+nearUser)], "\n")
		line, _, _ = strings.Cut(line, "#")
		return strings.Count(line, " ") > 2 || strings.IndexByte(line, ' ') >= 0 && !values.LooksLikePassword(b.value())
	}
	if v := b.value(); b.operand.Op == ':' && !b.operand.Spaced && b.start > 0 && !chars.HasDigit(v) &&
		strings.IndexByte("'\"=", b.s[b.start-1]) >= 0 && strings.ContainsAny(v, ":*") && chars.EqualFold(b.name(), "pw") {
		return true // a channel of messages: DEBUG=pw:mcp*
	}
	return b.operand.Op == ':' && !b.operand.Quoted && chars.EqualFold(b.name(), "pass") &&
		!isPassword(b.s, b.start, b.value()) && !(values.LooksLikePassword(b.value()) && b.isOfUser())
}

// isOfUser reports whether a word for a user stands shortly before the name.
func (b *assignment) isOfUser() bool { return ofUser(b.s, b.start) }

func ofUser(s string, start int) bool {
	before := s[max(0, start-nearUser):start]
	return chars.ContainsFold(before, "user") || chars.ContainsFold(before, "login")
}

// isResult reports whether the value of "pass" says how a test ended rather than opens something: what a method of
// that name is called with, a short number, or a sentence.
func (b *assignment) isResult() bool {
	o, v := b.operand, b.value()
	if !chars.EndsFold(b.name(), "pass") || b.stop-b.start > 4 && b.s[b.stop-5] != '.' || b.isOfUser() {
		return false
	}
	switch {
	case o.Op == '(':
		return strings.IndexByte(v, ' ') >= 0 || !chars.HasDigit(v)
	case !o.Quoted:
		return len(v) < 4 && chars.IsDigits(strings.TrimRight(v, "."))
	}
	return values.IsResult(v)
}

// nearUser is how far before a name the word user may stand, in bytes.
const nearUser = 48

// listsNames reports whether the value of "secrets" is the name of one that is given elsewhere.
func (b *assignment) listsNames() bool {
	value := b.value()
	return b.verdict.Kind == kinds.Secret && !b.operand.Quoted && chars.EndsFold(b.name(), "secrets") &&
		chars.IsFieldLike(value) && !chars.HasDigit(value)
}

// nearConstant is how far from a constant the next one of a list may stand, in bytes.
const nearConstant = 96

// isConstant reports whether the value is a short integer that is no password, as in JSON, or one of source code: behind
// #define, or with the number after it on a line nearby.
func (b *assignment) isConstant() bool {
	v := chars.TrimEnd(b.value(), ",;")
	if b.operand.Quoted || len(v) > 5 || !chars.IsDigits(v) {
		return false
	}
	switch b.verdict.Kind {
	case kinds.Password:
		n, _ := strconv.Atoi(v)
		s, end := b.s, b.operand.End
		return strings.HasSuffix(s[:b.start], "#define ") ||
			strings.Contains(s[end:min(len(s), end+nearConstant)], "= "+strconv.Itoa(n+1))
	case kinds.PIN, kinds.SSN:
		return false
	}
	return !b.operand.Flag
}

// isPathOrHelp reports whether the name ends a path (GET /secret HTTP/1.1), closes an index (m[x.Key)] = y), or is an
// option with a sentence behind it, or with two blanks and the words of its description.
func (b *assignment) isPathOrHelp() bool {
	s, o, v := b.s, b.operand, b.value()
	switch {
	case o.Quoted:
		return false
	case o.Op == '=':
		return o.Spaced && strings.HasPrefix(s[b.stop:], ")]")
	case o.Op == ' ' && !o.Flag:
		return b.start > 0 && s[b.start-1] == '/'
	}
	if o.Op != ' ' || chars.Skip(v, 0, chars.Lower) != len(v) || o.End+1 >= len(s) || s[o.End] != ' ' {
		return false
	}
	return o.Start-b.stop > 1 && chars.IsLetter(s[o.End+1]) || values.IsFunctionWord(v)
}

// isTestCount reports whether the value is how many tests pass: pass=12 fail=0.
func (b *assignment) isTestCount() bool {
	s, end := b.s, b.operand.End
	return b.operand.Op == '=' && chars.EqualFold(b.name(), "pass") && chars.IsDigits(b.value()) &&
		chars.ContainsFold(s[end:min(len(s), end+24)], "fail")
}
