// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import "strings"

// AwkPlain reports whether a program neither runs a command nor writes or names a file. What
// stands in strings and regular expressions does not count; where awks may differ in what is
// one, the program is not plain.
func AwkPlain(t string) bool {
	s := awkScanner{text: t}
	for s.at < len(t) {
		if !s.step() {
			return false
		}
	}
	return true
}

// awkScanner reads the tokens of a program.
type awkScanner struct {
	text    string
	at      int
	prints  bool   // since a print, no end of its statement
	operand bool   // the last token is a value, so that a slash divides
	control bool   // the last token is if, while or for
	parens  []bool // the open ones; true are those of control
}

// step reads a token; false if the program is not plain.
func (s *awkScanner) step() bool {
	switch c := s.text[s.at]; {
	case c == ' ' || c == '\t':
		s.at++
	case c == '#':
		s.skipUntil(func(c byte) bool { return c == '\n' })
	case c == '"' || c == '/' && !s.operand:
		s.at = awkPart(s.text, s.at+1, c)
		s.operand = true
		return s.at >= 0
	case shell.IsLetter(c):
		from := s.at
		s.skipUntil(func(c byte) bool { return !shell.IsLetter(c) && !shell.IsDigit(c) })
		return s.word(s.text[from:s.at])
	case strings.HasPrefix(s.text[s.at:], "||"):
		s.operand = false
		s.at += 2
	case strings.HasPrefix(s.text[s.at:], "++") || strings.HasPrefix(s.text[s.at:], "--"):
		s.at += 2
		s.skipUntil(func(c byte) bool { return c != ' ' && c != '\t' })
		return s.at == len(s.text) || s.text[s.at] != '/' // x++ / y, or ++ of nothing
	default:
		s.at++
		return s.sign(c)
	}
	return true
}

func (s *awkScanner) skipUntil(end func(c byte) bool) {
	for s.at < len(s.text) && !end(s.text[s.at]) {
		s.at++
	}
}

// word reads a name or keyword.
func (s *awkScanner) word(word string) bool {
	s.control, s.operand = false, true
	switch word {
	case "system", "getline", "ARGV", "ARGC", "extension", "SYMTAB":
		return false
	case "ENVIRON":
		return !awkSets(s.text[s.at:])
	case "print", "printf":
		s.prints, s.operand = true, false
	case "if", "while", "for":
		s.control, s.operand = true, false
	case "in", "return", "else", "do", "exit", "case", "delete":
		s.operand = false
	}
	return true
}

// sign reads one character that is none of a word.
func (s *awkScanner) sign(c byte) bool {
	control := s.control
	s.control = false
	switch {
	case c == '(':
		s.parens = append(s.parens, control)
		s.operand = false
	case c == ')':
		if len(s.parens) == 0 {
			return false
		}
		s.operand = !s.parens[len(s.parens)-1] // if (x) /y/
		s.parens = s.parens[:len(s.parens)-1]
	case shell.IsDigit(c) || c == '.' || c == ']':
		s.operand = true
	case strings.IndexByte("|@`\\'", c) >= 0 || c >= 0x80 || c == '>' && s.prints:
		return false
	case c == '\n' && !s.operand: // goes on behind a comma or an operator
	case c == ';' || c == '\n' || c == '{' || c == '}':
		s.prints, s.operand = false, false
	default:
		s.operand = false
	}
	return true
}

// awkSets reports whether what follows a name gives an element of it a value.
func awkSets(t string) bool {
	end := strings.IndexByte(t, ']')
	if end < 0 {
		return true
	}
	t = strings.TrimLeft(t[end+1:], " \t")
	return strings.HasPrefix(t, "=") && !strings.HasPrefix(t, "==") || len(t) > 1 &&
		strings.IndexByte("+-*/%^", t[0]) >= 0 && (t[1] == '=' || t[1] == t[0])
}

// awkPart is the place behind the end of a string or an expression; -1 if it does not end in its
// line, or if brackets in it are read in different ways by different programs.
func awkPart(t string, i int, end byte) int {
	for ; i < len(t) && t[i] != '\n'; i++ {
		switch c := t[i]; {
		case c == '\\':
			i++
		case c == end:
			return i + 1
		case c == '[' && end == '/':
			if i = awkBracket(t, i+1); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// awkBracket is the place of the end of a bracket expression; -1 if not all see it there.
func awkBracket(t string, i int) int {
	if i < len(t) && t[i] == '^' {
		i++
	}
	for from := i; i < len(t); i++ {
		switch c := t[i]; {
		case c == ']' && i > from:
			return i
		case c == ']' || c == '/' || c == '\n' || c == '\\' && (i+1 == len(t) || t[i+1] == ']' || t[i+1] == '/'):
			return -1
		case c == '\\':
			i++
		case c == '[' && i+1 < len(t) && strings.IndexByte(":.=", t[i+1]) >= 0:
			n := strings.Index(t[i+2:], t[i+1:i+2]+"]")
			if n < 0 || strings.ContainsAny(t[i+2:i+2+n], "/\n\\]") {
				return -1
			}
			i += n + 3
		}
	}
	return -1
}
