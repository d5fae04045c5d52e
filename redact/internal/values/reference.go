// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
)

// IsReference reports whether v says where a value is, and is none: ${VAR}, $(cmd),
// {{ .Values.x }}, <your token>, %s, process.env.X.
func IsReference(v string) bool {
	v = strings.TrimSpace(chars.TrimEnd(v, ",;"))
	if v == "" {
		return true
	}
	n := len(v)
	if n > 4 && strings.IndexByte("`'\"", v[0]) >= 0 && (strings.HasPrefix(v[1:], " + ") || strings.HasPrefix(v[1:], ".$")) {
		return true // of source code that puts a value there: "token":"` + token + `"
	}
	switch v[0] {
	case '$':
		if isVariable(v) {
			return true
		}
	case '{':
		return isPlaceholder(v) || hasPlaces(v)
	case '<':
		return v[n-1] == '>' && (n < 80 || strings.IndexByte(v, ' ') > 0) || strings.HasPrefix(v, "<%=") ||
			strings.HasPrefix(v, "<http") ||
			n > 2 && v[chars.Skip(v[:n-1], 1, chars.Lower)] == '>' // <p>This
	case '-': // an option
		return n <= 2 || v[1] == '-' && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz-=") == ""
	case '}', '&': // behind an expression, an entity of HTML
		return strings.HasPrefix(v, "}}") || strings.HasPrefix(v, "&lt")
	case '%':
		return n <= 3 || v[n-1] == '%' && chars.IsIdentifier(v[1:n-1]) || strings.HasPrefix(v, "%(")
	case '0': // 0x%x
		if strings.HasPrefix(v, "0x%") {
			return true
		}
	case ':': // a parameter of SQL
		return n > 1 && chars.IsIdentifier(v[1:]) && !chance.Random(v[1:])
	case '!': // a tag of YAML: !vault |
		return n > 1 && !chars.HasDigit(v) && chars.Skip(v, 1, chars.Lower) == n
	case '#':
		return strings.HasPrefix(v, "#{") && v[n-1] == '}'
	case '@': // a parameter of SQL
		if chars.IsIdentifier(v[1:]) && !chars.HasDigit(v) {
			return true
		}
		return strings.HasPrefix(v, "@Microsoft.KeyVault(")
	}
	return beginsReference(v) || v[n-1] == '=' && n < 24 && chars.Skip(v, 0, chars.Lower) == n-1 || hasPlaces(v)
}

// hasPlaces reports whether v has places to fill in, {{name}}, and beside them nothing that may be a secret.
func hasPlaces(v string) bool {
	open := strings.Index(v, "{{")
	if open < 0 || len(v) > chance.MaxValue {
		return false
	}
	rest := ""
	for ; open >= 0; open = strings.Index(v, "{{") {
		end := strings.Index(v[open:], "}}")
		if end < 0 || !isExpression(v[open+2:open+end]) {
			return false
		}
		rest, v = rest+v[:open]+" ", v[open+end+2:]
	}
	for word := range strings.FieldsFuncSeq(rest+v, func(r rune) bool { return r < 0x80 && !chars.IsAlnum(byte(r)) }) {
		if len(word) >= 8 && (chars.HasDigit(word) || chance.Random(word)) {
			return false
		}
	}
	return true
}

// isPlaceholder is IsReference of what begins with a '{': {{ .Values.x }}, {name}.
func isPlaceholder(v string) bool {
	if strings.HasPrefix(v, "{{") && (strings.HasSuffix(v, "}}") || !strings.Contains(v, "}}")) && isExpression(v[2:]) {
		return true
	}
	name, _, index := strings.Cut(strings.TrimPrefix(v[1:], "env:"), "[")
	if !index {
		name = strings.TrimSuffix(name, "}")
		index = v[len(v)-1] == '}'
	}
	return index && name != "" && chars.IsDotted(name) && !chance.Random(name)
}

// beginsReference reports whether v begins with one of the references, and is a dotted name where it has to
// be.
func beginsReference(v string) bool {
	for _, p := range referencesBy[chars.Fold[v[0]]&127] {
		if chars.HasFold(v, 0, p) {
			return strings.IndexByte(p, '.') < len(p)-1 || chars.IsDotted(strings.TrimRight(v, ")(][;"))
		}
	}
	return false
}

// isVariable is IsReference of what begins with a '$': $VAR, ${VAR}, $(cmd), ${{ expression }}.
func isVariable(v string) bool {
	n := len(v)
	switch {
	case n > 2 && v[1] == '{' && (strings.IndexByte(v, '}') >= n-2 || strings.IndexByte(v, '}') < 0 ||
		strings.Contains(v, "}@")) && isExpression(v[2:]), v == "${{":
		return true
	case n > 2 && (v[1] == '(' && v[n-1] == ')' || v[1] == '(' && strings.IndexByte(v, ')') < 0),
		n > 4 && strings.HasPrefix(v, "${{") && (v[n-1] == '}' || strings.IndexByte(v, '}') < 0):
		return true
	case n > 1 && (chars.IsIdentifier(v[1:]) && !chance.Random(v[1:]) || chars.IsDotted(v[1:]) && !chars.HasDigit(v) ||
		n <= 3 && chars.IsDigits(strings.TrimRight(v[1:], "}"))):
		return true
	case n > 4 && chars.IsIdentifier(v[1:max(1, strings.IndexAny(v, "[-"))]) && strings.ContainsAny(v, "['>"):
		return true // $_POST['x'], $this->x
	case strings.HasPrefix(v, "$env:") || strings.HasPrefix(v, "$$(") || strings.HasPrefix(v, "$${") ||
		strings.HasPrefix(v, "$secrets."):
		return true
	}
	return false
}

// references begin what says where a value is. What begins with one that ends with its only dot has to be a dotted
// name as a whole.
var references = [...]string{
	"process.env", "os.environ", "os.getenv", "system.getenv", "getenv(", "env(", "secretkeyref", "arn:aws:", "!ref ",
	"!sub ", "!getatt", "ref+", "vault:", "ssm:", "op://", "secret://", "env:", "file:",
	"fileb://", "http/1", "http/2",
	"secrets.", "var.", "local.", "data.", "module.", "input(", "config.", "settings.", "self.", "this.", "args.",
	"opts.", "env.", "ctx.", "req.", "convertto-securestring", "read-host", "get-credential", "get-secret", "get-content",
	"new-object",
}

// referencesBy are the references that begin with a byte of ASCII.
var referencesBy = func() *[128][]string {
	t := new([128][]string)
	for _, p := range references {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()

// isExpression reports whether the inside of a bracketed reference is a name, with
// defaults and filters, rather than part of a password.
func isExpression(v string) bool {
	for i := range len(v) {
		if c := v[i]; chars.Class[c]&(chars.Name|chars.Space) == 0 && strings.IndexByte("}|:\"'/()[],=?+*@", c) < 0 {
			return false
		}
	}
	return true
}
