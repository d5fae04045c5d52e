// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// BesideValue reports whether a name may have a value beside it: in running text it has
// none.
func BesideValue(s string, start, stop int) bool {
	if stop < len(s) && (s[stop] == '"' || s[stop] == '\'') {
		o, ok := FindOperand(s, start, stop)
		return !ok || !o.Quoted || !marks.IsMark(s[o.Start:o.End])
	}
	if line := s[stop:min(len(s), stop+len(" text box")+1)]; strings.IndexByte(line, '"') > 0 &&
		len(names.OfField(line[:strings.IndexByte(line, '"')])) == 0 {
		return true // "Password field"
	}
	before := start
	before = chars.SkipBack(s, 0, before, chars.Blank)
	if before > 0 && (s[before-1] == '=' || s[before-1] == '!' || s[before-1] == '"' &&
		strings.IndexByte(s[start:stop], '_') > 0) {
		return true
	}
	o, ok := FindOperand(s, start, stop)
	return ok && !marks.IsMark(s[o.Start:o.End]) || !ok && mayStandAfar(s, start, stop)
}

// NotName reports whether what follows an anchor makes a word of it that no name of a
// secret has, as cheaply as can be: pattern, author, keyboard, side.
func NotName(s string, i, end int) bool {
	if end >= len(s) || chars.Class[s[end]]&chars.Lower == 0 {
		return false
	}
	switch end - i {
	case 2: // pw
		return s[end] != 'd'
	case 3:
		switch chars.Fold[s[i]] {
		case 'k':
			return s[end] != 's' && s[end] != 'p' && s[end] != 'c'
		case 'p':
			return chars.Fold[s[i+1]] != 'w' && chars.Fold[s[i+1]] != 's'
		case 's':
			return chars.Fold[s[i+1]] != 'i' || s[end] != 'n'
		case 'o', 'c', 'm':
			return true
		}
	case 4: // auth
		return chars.Fold[s[i]] == 'a' && s[end] == 'o' && !chars.HasFold(s, end, "ori")
	}
	return false
}

// ItemBefore reports whether another literal of a list stands before the one whose inside
// begins at start.
func ItemBefore(s string, start int) bool {
	p := start - 1
	if p < 0 || s[p] != '"' && s[p] != '\'' {
		return false
	}
	quote := s[p]
	p = chars.SkipBack(s, 0, p, chars.Space)
	if p < 2 || s[p-1] != ',' {
		return false
	}
	return s[p-2] == quote
}

// WordsEnd is the end of a value of several words on one line of a file of settings.
func WordsEnd(s string, end int) int {
	for end+1 < len(s) && s[end] == ' ' && chars.IsAlnum(s[end+1]) {
		end = bareEnd(s, end+1)
	}
	return end
}

// bareKeyword reports whether "name value" on its own is a pair: .netrc, sshpass-like
// tools, "set-token …" and "password is …".
func bareKeyword(s string, start, stop, p int) bool {
	name := s[start:stop]
	if chars.EqualFold(name, "pass") { // a verb as well
		return (s[p] == '"' || s[p] == '\'') && chance.Plausible(s[p+1:QuoteEnd(s, p+1, s[p])]) ||
			restOfLine(s, p) && inNetrc(s, start)
	}
	if linkVerb(s, p) > 0 || s[p] == '"' || s[p] == '\'' ||
		s[p] == '`' && values.LooksLikePassword(s[p+1:QuoteEnd(s, p+1, '`')]) {
		return true
	}
	return chars.EqualFold(name, "password") && p == stop+1 && s[stop] == ' ' && inNetrc(s, start) &&
		(start == 0 || chars.IsSpace(s[start-1])) ||
		chars.HasFold(name, 0, "set-") ||
		strings.IndexByte(name, '_') > 0 && s[p] != '-' && (LineStart(s, start) || restOfLine(s, p)) ||
		restOfLine(s, p) && (LineStart(s, start) || isPasswordWord(name) || inNetrc(s, start)) ||
		isPasswordWord(name) && numberEndsLine(s, p)
}

// isPasswordWord reports whether a name ends with a word for a password, which is no word for what has one.
func isPasswordWord(name string) bool {
	return chars.EndsFold(name, "password") || chars.EndsFold(name, "passwd") || chars.EndsFold(name, "pw") ||
		chars.EndsFold(name, "pwd") || len(name) > 6 && chars.EndsFold(name, "pass") || chars.EndsFold(name, "masterauth") ||
		chars.EndsFold(name, "passphrase") || chars.EndsFold(name, "psk") ||
		chars.EndsFold(name, "password-value") || chars.EndsFold(name, "-key")
}

// restOfLine reports whether one word that looks like a password goes from p to the end of the line, as in files of
// settings: requirepass x.
func restOfLine(s string, p int) bool {
	if s[p] == '-' {
		return false
	}
	end := bareEnd(s, p)
	return (end == len(s) || strings.IndexByte("\n\r\"';", s[end]) >= 0) && values.LooksLikePassword(s[p:end])
}

// numberEndsLine reports whether a password of digits goes from p to the end of the line.
func numberEndsLine(s string, p int) bool {
	end := bareEnd(s, p)
	return (end == len(s) || s[end] == '\n' || s[end] == '\r') && values.MayBeSimple(s[p:end])
}

// environmentBefore reports whether the name that begins at start is that of a variable which is set
// without an operator, as Dockerfiles and csh do.
func environmentBefore(s string, start int) bool {
	line := s[max(0, start-8):start]
	return (strings.HasSuffix(line, "ENV ") || strings.HasSuffix(line, "setenv ")) && LineStart(s,
		start-len(line)+strings.LastIndexAny(line, "Es"))
}

// inNetrc reports whether a word for a user or a machine stands shortly before.
func inNetrc(s string, start int) bool {
	for low := max(0, start-120); start > low; start-- {
		start = chars.LastByte(s[low:start], ' ') + low
		if start <= low {
			break
		}
		if endsWithUser(s[low:start]) {
			return true
		}
	}
	return false
}

// endsWithUser reports whether the last word of v is one for a user or a machine.
func endsWithUser(v string) bool {
	v = strings.TrimRight(v, ":=,/ ")
	if v == "" || strings.IndexByte("nerNER", v[len(v)-1]) < 0 {
		return false
	}
	return chars.OneOf("login machine user username", chars.FoldString(v[chars.SkipBack(v, max(0, len(v)-10), len(v),
		chars.Lower|chars.Upper):]))
}

// LineStart reports whether nothing but blanks stands on the line before start.
func LineStart(s string, start int) bool {
	start = chars.SkipBack(s, 0, start, chars.Blank|chars.Tab)
	return start == 0 || s[start-1] == '\n'
}

// attributesBefore reports whether the name is an attribute of an element whose text
// follows the '>', as in <string name="api_key">.
func attributesBefore(s string, start int) bool {
	if start == 0 || s[start-1] != '"' && s[start-1] != '\'' {
		return false
	}
	before := s[max(0, start-80):start]
	return chars.LastByte(before, '<') > chars.LastByte(before, '>')
}
