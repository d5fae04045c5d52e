// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// IsSyntax reports whether a bare value has the syntax of an expression in source code: an index, a call, a
// function, a negation, a comparison, or brackets that close what the name stands in. Its first name is none that may
// be drawn by chance.
func IsSyntax(v string) bool {
	if len(v) >= 2 && v[0] == '!' {
		return isNegation(v)
	}
	if strings.HasPrefix(v, "{@") || strings.HasPrefix(v, "['") || strings.HasPrefix(v, "{'") {
		return true // of a comment in Java, a list, a map
	}
	if strings.HasPrefix(v, "**") { // **options, **MUST**
		word := strings.TrimRight(v[2:], "*")
		return chars.IsDotted(word) && (len(word) == len(v)-2 || !chars.HasDigit(word))
	}
	if v[0] == '{' {
		return opensMap(v)
	}
	head := strings.TrimLeft(v, "*&")
	end := nameLen(head)
	rest := head[end:]
	if strings.HasPrefix(head, "(") { // (x, y) => …
		return strings.Contains(head, ")=>")
	}
	if end == 0 || rest == "" || chance.Random(head[:end]) {
		return false
	}
	switch rest[0] {
	case '[':
		return beginsIndex(rest)
	case '(':
		return len(head) < len(v) || strings.HasPrefix(rest, "()")
	case '{': // Type{Name:
		return rest == "{" || rest == "{}" || strings.IndexByte(head[:end], '.') > 0 && nameLen(rest[1:]) == len(rest)-1
	case '}', ')':
		return len(rest) > 1 && rest[1] != '!'
	case '=':
		return strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, "==")
	case '!':
		return strings.HasPrefix(rest, "!==")
	case '&', '|', '?':
		return len(rest) > 1 && (rest[1] == rest[0] || rest[1] == '`')
	case ',':
		return strings.HasPrefix(rest, ",...")
	case ':': // a:b}else
		return strings.IndexByte(rest, '}') > 0 && strings.IndexByte(rest, '{') < 0
	}
	return false
}

// isNegation is IsSyntax of what begins with a '!': !0, !!x, !s.Read(&x).
func isNegation(v string) bool {
	if v == "!0" || v == "!1" {
		return true
	}
	rest := strings.TrimLeft(v, "!")
	end := nameLen(rest)
	return end > 0 && (end < len(rest) && strings.IndexByte("(},", rest[end]) >= 0 || v[1] == '!')
}

// opensMap is IsSyntax of what begins with a '{', a map or a place to fill in: {name:x, {name!r}.
func opensMap(v string) bool {
	n := nameLen(v[1:])
	if n == 0 {
		return false
	}
	if n+1 == len(v) {
		return !chars.HasDigit(v)
	}
	return v[n+1] == ':' && !chance.Random(v[1:n+1]) ||
		v[len(v)-1] == '}' && strings.IndexByte("!:", v[n+1]) >= 0
}

// beginsIndex reports whether v, which begins with a '[', begins with an index, and an expression may go on
// behind it.
func beginsIndex(v string) bool {
	index, after, closed := strings.Cut(v[1:], "]")
	if !closed {
		return v == "[" || v[1] == '\''
	}
	return isIndex(index) && (after == "" || strings.IndexByte(".[(,;)?", after[0]) >= 0)
}

// isIndex reports whether v is what stands in the brackets of an index: a name, a number, a part, a literal.
func isIndex(v string) bool {
	v = strings.Trim(v, `'"`)
	return v == "" || chars.IsFieldLike(v) || strings.Trim(v, "0123456789:-+") == ""
}

// nameLen is the length of the dotted name that v begins with.
func nameLen(v string) int {
	if v == "" || chars.IsDigit(v[0]) || v[0] == '.' {
		return 0
	}
	n := chars.Skip(v, 0, chars.Alnum)
	for n < len(v) && (chars.IsAlnum(v[n]) || strings.IndexByte("_$.", v[n]) >= 0) {
		n++
	}
	return n
}

// IsProgramName reports whether v is a name in a program of two words or more, of which the last one says what kind of
// thing it is: OAuth2AuthorizationRequest, Pbkdf2PasswordEncoder. Digits at the end are at most one.
func IsProgramName(v string) bool {
	v, _, _ = strings.Cut(v, "#")
	v = strings.Trim(v, ".()[]{}<>")
	if n := len(v); n < 8 || n > 2*names.MaxName || chars.IsDigit(v[n-1]) && chars.IsDigit(v[n-2]) ||
		!chars.IsDotted(v) || chars.Skip(v, 1, chars.Lower|chars.Digit|chars.Join|chars.Dot|chars.Dollar) == len(v) ||
		chars.HasDigit(v) && chance.Random(v) {
		return false
	}
	return names.IsThing(v)
}

// isBetween reports whether a value in quotes is what stands between two literals in source code: the first quote ended
// one, as in "Password is " + x; or only places to fill in and what is between them.
func isBetween(v string) bool {
	if (v[0] == '{' || v[0] == '%') && isTemplate(v) {
		return true
	}
	rest := strings.TrimLeft(v, " ")
	if rest == "" {
		return false
	}
	gap := len(rest) < len(v)
	switch rest[0] {
	case ',', ')', ';', ']':
		return len(rest) == 1 || strings.IndexByte(" ,);", rest[1]) >= 0
	case '+', '.', '%', '&':
		return gap && len(rest) > 1 && rest[1] == ' '
	}
	return false
}

// isTemplate reports whether v is places to fill in, with no letters or digits between them: {0}:{1}, %s:%s; or one and
// a colon, as a prompt is.
func isTemplate(v string) bool {
	depth, places := 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case i > 0 && v[i-1] == '%' && strings.IndexByte("sdvq", c) >= 0:
			places++
		case c == '{':
			depth++
		case c == '}':
			depth, places = depth-1, places+1
		case depth == 0 && (chars.IsAlnum(c) || c >= 0x80):
			return false
		}
	}
	return depth == 0 && (places >= 2 || places == 1 && strings.HasSuffix(strings.TrimRight(v, " "), ":"))
}
