// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// closeName skips the quotes, brackets and asterisks that close a name which stops there, and the brackets of an array.
func closeName(s string, stop int) (closed int, wasQuoted bool) {
	closed = stop
	if strings.HasPrefix(s[stop:], "[]") {
		closed++
	}
	for closed < len(s) && closed-stop < 8 && strings.IndexByte("\"'`\\])*", s[closed]) >= 0 {
		wasQuoted = wasQuoted || s[closed] == '"' || s[closed] == '\'' || s[closed] == '`'
		closed++
	}
	return closed, wasQuoted
}

// operatorAt reads the operator at p; op is 0 if there is none.
func operatorAt(s string, p, closed int, wasQuoted bool) (q int, op byte) {
	switch s[p] {
	case 0xef: // full-width
		switch {
		case strings.HasPrefix(s[p:], "："):
			return p + len("："), ':'
		case strings.HasPrefix(s[p:], "＝"):
			return p + len("＝"), '='
		}
	case '=', ':', '?', '|', '.', '+', '!':
		return symbolAt(s, p)
	case '-', '<':
		return arrowAt(s, p, closed)
	case ',':
		if wasQuoted {
			return p + 1, ','
		}
	case '{':
		if p == closed && !wasQuoted && p+1 < len(s) && (s[p+1] == '"' || s[p+1] == '\'') {
			return p + 1, '('
		}
	case '(':
		if p == closed && !wasQuoted {
			return p + 1, '('
		}
	case '>':
		return p + 1, '>'
	case '%':
		switch {
		case chars.HasFold(s, p, "%3d"):
			return p + 3, '='
		case chars.HasFold(s, p, "%3a"):
			return p + 3, ':'
		}
	}
	return 0, 0
}

// arrowAt reads an arrow or a dash at p, as operatorAt does.
func arrowAt(s string, p, closed int) (q int, op byte) {
	switch rest := s[p:]; {
	case p > closed && (strings.HasPrefix(rest, "- '") || strings.HasPrefix(rest, `- "`)):
		return p + 1, ','
	case strings.HasPrefix(rest, "<<<"):
		return p + 3, '='
	case strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, "<-"):
		return p + 2, '='
	}
	return 0, 0
}

// symbolAt reads the operator of one or more symbols at p, as operatorAt does.
func symbolAt(s string, p int) (q int, op byte) {
	c, equal := s[p], 0
	for q = p; q < len(s) && q-p < 4 && strings.IndexByte("=:?|.+!>", s[q]) >= 0; q++ {
		if s[q] == '=' || s[q] == ':' {
			equal++
		}
	}
	token := s[p:q]
	if i := strings.IndexAny(token, ".!"); i > 0 && token[i-1] == '=' { // a tag of YAML, a value, an omission
		q, token = p+i, token[:i]
	}
	switch {
	case (token == "||" || token == "??") && q+1 < len(s) && s[q] == ' ' && (s[q+1] == '"' || s[q+1] == '\''):
		return q, '='
	case equal == 0, c == ':' && len(token) == 2 && token[1] == ':', strings.IndexByte(".+|", c) >= 0 &&
		token[len(token)-1] != '=':
		return 0, 0
	case token == ":?": // ${NAME:?message}
		return 0, 0
	case token == "==", token == "===", token == "!=", token == "!==":
		return q, '~'
	case token == ":" && strings.HasPrefix(s[p:], "://"):
		return 0, 0
	case token == ":":
		return q, ':'
	}
	return q, '='
}

// literalEnds reports whether the quote at q, behind the operator of a name that begins at
// start, ends a literal that the name stands in: "…&password=" + value.
func literalEnds(s string, start, q int, wasQuoted bool) bool {
	if wasQuoted || q >= len(s) || s[q] != '"' &&
		s[q] != '\'' || q+1 < len(s) && strings.IndexByte(" ,);+.$\"'\n", s[q+1]) < 0 {
		return false
	}
	open := false
	for p := start - 1; p >= 0 && start-p < 256 && s[p] != '\n'; p-- {
		if s[p] == s[q] && (p == 0 || s[p-1] != '\\' && !(chars.IsLetter(s[p-1]) && chars.IsLetter(s[p+1]))) {
			open = !open
		}
	}
	return open
}

// isConstant reports whether a name is written as constants are, with or without what
// they belong to: CURLOPT_PASSWORD, HttpHeaders.AUTHORIZATION.
func isConstant(name string) bool {
	name = name[chars.LastByte(name, '.')+1:]
	for i := range len(name) {
		if !chars.IsUpper(name[i]) && name[i] != '_' {
			return false
		}
	}
	return len(name) >= 4
}

// typedOperator passes over a type between a name and its operator: "name string =",
// "name: str =", "name *string =".
func typedOperator(s string, p, start, stop int) (q int, op byte) {
	// type=password name=…
	if p == stop || start > 0 && s[start-1] == '=' || start > 1 && s[start-2] == '=' && (s[start-1] == '"' ||
		s[start-1] == '\'') {
		return 0, 0
	}
	e := p
	for e < len(s) && e-p < 24 && (chars.IsAlnum(s[e]) || strings.IndexByte("*&<>[]()._", s[e]) >= 0) {
		e++
	}
	if e == p || e-p >= 24 {
		return 0, 0
	}
	word := e
	if e = chars.Skip(s, e, chars.Blank); e == word && s[p-1] == ' ' {
		return 0, 0 // secret name=x: another name
	}
	if e+1 < len(s) && s[e] == '=' && s[e+1] != '=' && s[e+1] != '>' || strings.HasPrefix(s[e:], ":=") {
		q = e
		q = chars.SkipAny(s, q, "=:")
		return q, '='
	}
	return 0, 0
}

// valueAttribute finds the value of the pair key="name" value="…", and of the YAML
// pair "name: NAME" with "value: …" on the next line.
func valueAttribute(s string, p int, wasQuoted bool) int {
	q := p
	for q < len(s) && q-p < 40 && (chars.IsSpace(s[q]) || strings.IndexByte(",\"'\\", s[q]) >= 0) {
		q++
		if s[q-1] == '\n' { // of a diff
			q = chars.SkipAny(s[:min(len(s), q+1)], q, "+-")
		}
	}
	if q == p && !wasQuoted {
		return 0
	}
	if q >= len(s) || strings.IndexByte("vcd", chars.Fold[s[q]]) < 0 {
		return 0
	}
	for _, w := range [...]string{"value", "content", "defaultvalue", "default", "val"} {
		if chars.HasFold(s, q, w) {
			q += len(w)
			q = chars.SkipAny(s, q, "\"'\\")
			q = chars.Skip(s, q, chars.Blank)
			if q < len(s) && (s[q] == '=' || s[q] == ':') {
				return q + 1
			}
			return 0
		}
	}
	return 0
}

// isFlag reports whether the name that begins at start is a command line's option.
func isFlag(s string, start int) bool {
	if start >= len(s) || s[start] != '-' {
		return start > 1 && s[start-1] == '/' && s[start-2] == ' ' // of Windows
	}
	return start == 0 || chars.IsSpace(s[start-1]) || strings.IndexByte("\"'`([,", s[start-1]) >= 0
}
