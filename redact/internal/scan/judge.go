// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/personal"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// judge decides on the value beside a name.
func (sc *Scanner) judge(v, name string, d names.Verdict, o values.Operand, called bool) bool {
	if isPersonal(d) && d.Kind != kinds.SSN {
		return personal.Fits(d, v)
	}
	if sc.e.Explain {
		sc.reason.Score = values.Score(v, name, d, o, called)
	}
	return values.Judge(v, name, d, o, called)
}

// inARN reports whether what begins at start stands in the name of a resource of AWS.
func inARN(s string, start int) bool {
	low := max(0, start-names.MaxName)
	i := strings.LastIndex(s[low:start], "arn:")
	return i >= 0 && !strings.ContainsAny(s[low+i:start], " \n\"',")
}

// isSaid reports whether a word behind "name:" is a part of a message rather than a value: the name stands
// behind words of a line or begins a literal, and the value is a word.
func isSaid(s string, start int, o values.Operand) bool {
	v := s[o.Start:o.End]
	if strings.HasSuffix(s[:start], ":param ") {
		return true
	}
	if o.End+1 < len(s) && s[o.End] == ' ' && chars.IsLetter(s[o.End+1]) && strings.ToLower(v) == v &&
		names.Classify(v).Level == names.Secret {
		return true // passwd: password updated
	}
	if line := s[o.End:min(len(s), o.End+80)]; strings.HasPrefix(line, " ") && !values.LooksLikePassword(v) {
		line, _, _ = strings.Cut(line, "\n")
		if _, number, ok := strings.Cut(line, "(#"); ok && chars.IsDigits(strings.TrimSuffix(number, ")")) {
			return true // the title of a commit
		}
	}
	if word := strings.TrimRight(v, "."); word != "" && chars.Skip(word, 0, chars.Lower|chars.Upper) == len(word) &&
		!values.LooksLikePassword(word) && values.IsSentence(v, s[o.End:min(len(s), o.End+80)]) {
		return true
	}
	if verb := s[o.End:min(len(s), o.End+3)]; len(verb) == 3 && verb[:2] == " %" && chars.IsLetter(verb[2]) {
		return true // unexpected secret: got %x
	}
	if strings.HasSuffix(v, "ing") && chars.Skip(v, 0, chars.Lower) == len(v) && o.End+1 < len(s) && s[o.End] == ' ' &&
		chars.IsLetter(s[o.End+1]) {
		return true // token: creating a file
	}
	if chars.HasDigit(v) || !chars.IsFieldLike(v) || strings.ToLower(v) != v || values.LooksLikePassword(v) {
		return false
	}
	p := chars.SkipBack(s, 0, start, chars.Blank)
	if p == start {
		return start > 0 && strings.IndexByte("\"'`", s[start-1]) >= 0 && o.End < len(s) && s[o.End] == s[start-1]
	}
	return p > 0 && (s[p-1] == ':' || s[p-1] >= 0x80 || s[p-1] == '-' && p > 1 && s[p-2] == ' ' &&
		!operands.LineStart(s, p-1))
}

// isPassword reports whether the value of "pass:" is one: the name is in lower case and begins a line
// of a file of settings, and the value is no word, number or name in source code.
func isPassword(s string, start int, value string) bool {
	if s[start] == 'P' && s[start+1] == 'a' && operands.LineStart(s, start) { // no result of a test
		return values.LooksLikePassword(value) && (chance.Plausible(value) || chars.HasSpecial(value))
	}
	return s[start] == 'p' && operands.LineStart(s, start) && (chance.Plausible(value) || chars.HasSpecial(value) ||
		chars.HasDigit(value) && !chars.IsDigits(value) && chars.IsIdentifier(value))
}

// wordBefore is the word before start, in running text.
func wordBefore(s string, start int) string {
	if start == 0 || s[start-1] != ' ' {
		return ""
	}
	end := start - 1
	begin := end
	for begin > 0 && end-begin < 16 && chars.IsLetter(s[begin-1]) {
		begin--
	}
	return s[begin:end]
}

// makesSecret reports whether a word makes the key or token behind it one that opens something:
// "API key", "access token".
func (sc *Scanner) makesSecret(word string) bool {
	words := sc.words.WordsOf(word)
	return len(words) == 1 && (names.BeforeSecret[words[0]] || names.Vendors[words[0]])
}
