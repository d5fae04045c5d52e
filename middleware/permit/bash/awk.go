// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// awk doubts a program that may run a command, or write a file.
func (r *reader) awk(c *Command, _ input) {
	s := syntaxOf{flags: "bcCghIMnNOPrsStV", values: "Fvf", glued: "dDLpo", long: []string{"field-separator=", "assign=", "file=", "posix", "traditional", "re-interval", "csv", "version", "help", "sandbox", "characters-as-bytes", "non-decimal-data", "use-lc-numeric", "bignum"}}
	options, rest, sure := s.scan(c.Words[1:])
	if !sure {
		r.line.doubt(DoubtOption, "an option of "+c.Name+" is not known")
	}
	if file, ok := find(options, "f", "file"); ok {
		if !file.Known || file.Text == "-" || strings.HasPrefix(file.Text, "/dev/") {
			r.line.doubt(DoubtForeign, "code for "+c.Name+" that is computed or read")
		}
		return
	}
	if len(rest) == 0 {
		return
	}
	if !rest[0].Known {
		r.line.doubt(DoubtForeign, "code for "+c.Name+" that is computed")
	} else if !awkPlain(rest[0].Text) {
		r.line.doubt(DoubtForeign, "code for "+c.Name+" that may run a command or write a file")
	}
}

// awkPlain reports whether a program neither runs a command nor writes or names a file. What
// stands in strings and regular expressions does not count; where awks may differ in what is
// one, the program is not plain.
func awkPlain(t string) bool {
	prints := false   // since a print, no end of its statement
	operand := false  // the last token is a value, so that a slash divides
	control := false  // the last token is if, while or for
	var parens []bool // the open ones; true are those of control
	for i := 0; i < len(t); {
		c := t[i]
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c == '#':
			for i < len(t) && t[i] != '\n' {
				i++
			}
			continue
		case c == '"':
			if i = awkPart(t, i+1, '"'); i < 0 {
				return false
			}
			operand = true
			continue
		case c == '/' && !operand:
			if i = awkPart(t, i+1, '/'); i < 0 {
				return false
			}
			operand = true
			continue
		case letter(c):
			from := i
			for i < len(t) && (letter(t[i]) || digit(t[i])) {
				i++
			}
			control = false
			switch word := t[from:i]; word {
			case "system", "getline", "ARGV", "ARGC", "extension", "SYMTAB":
				return false
			case "ENVIRON":
				if awkSets(t[i:]) {
					return false
				}
				operand = true
			case "print", "printf":
				prints, operand = true, false
			case "if", "while", "for":
				control, operand = true, false
			case "in", "return", "else", "do", "exit", "case", "delete":
				operand = false
			default:
				operand = true
			}
			continue
		case c == '(':
			parens = append(parens, control)
			operand = false
		case c == ')':
			if len(parens) == 0 {
				return false
			}
			operand = !parens[len(parens)-1] // if (x) /y/
			parens = parens[:len(parens)-1]
		case digit(c) || c == '.' || c == ']':
			operand = true
		case strings.HasPrefix(t[i:], "++") || strings.HasPrefix(t[i:], "--"):
			for i += 2; i < len(t) && (t[i] == ' ' || t[i] == '\t'); i++ {
			}
			if i < len(t) && t[i] == '/' { // x++ / y, or ++ of nothing
				return false
			}
			continue
		case strings.HasPrefix(t[i:], "||"):
			operand = false
			i += 2
			continue
		case c == '|' || c == '@' || c == '`' || c == '\\' || c == '\'' || c >= 0x80:
			return false
		case c == '>' && prints:
			return false
		case c == '\n' && !operand: // goes on behind a comma or an operator
		case c == ';' || c == '\n' || c == '{' || c == '}':
			prints, operand = false, false
		default:
			operand = false
		}
		control = false
		i++
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
	return strings.HasPrefix(t, "=") && !strings.HasPrefix(t, "==") || len(t) > 1 && strings.IndexByte("+-*/%^", t[0]) >= 0 && (t[1] == '=' || t[1] == t[0])
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

func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
