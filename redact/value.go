// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// judge decides by its shape whether a value that follows a telling name is a
// secret. quoted tells that it stood in quotes, op which operator came before it,
// spaced whether blanks did, called whether an opening parenthesis follows.
func judge(v, name string, level sensitivity, quoted bool, op byte, spaced, called bool) bool {
	if v == "" || isMark(v) || isReference(v) || isLiteral(v) {
		return false
	}
	if called && !quoted {
		return false
	}
	if level == vendor {
		return len(v) >= 16 && random(v) && !isPath(v) && strings.IndexByte(v, '/') < 0 && strings.IndexByte(v, '.') < 0
	}
	if level == telling {
		return random(v) && !isPath(v)
	}
	if isPlaceholder(v) {
		return false
	}
	if !quoted {
		if isCode(v) || v[0] == ',' {
			return false
		}
		// In source code a bare word is another name; in configuration it is the
		// value.
		if op == '=' && spaced && isIdentifier(v) && !hasDigit(v) {
			return false
		}
		if strings.EqualFold(v, name) || typeNames[v] || op == ':' && isIdentifier(v) && codeTypes[v] {
			return false
		}
	}
	return len(v) >= 2
}

var codeTypes = words("string String str int number boolean bool any object SecretStr unknown void None Optional")

// isReference reports whether v says where a value is, and is none: ${VAR}, $(cmd),
// {{ .Values.x }}, <your token>, %s, process.env.X.
func isReference(v string) bool {
	switch {
	case strings.HasPrefix(v, "${") && strings.IndexByte(v, '}') > 0 && v[len(v)-1] == '}',
		strings.HasPrefix(v, "$(") || strings.HasPrefix(v, "{{") && strings.Contains(v, "}}"),
		v[0] == '<' && v[len(v)-1] == '>' && len(v) < 64,
		v[0] == '%' && len(v) <= 3,
		strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.environ") || strings.HasPrefix(v, "os.getenv") || strings.HasPrefix(v, "secretKeyRef"),
		v[0] == '$' && len(v) > 1 && isIdentifier(v[1:]) && !hasDigit(v),
		v[0] == '%' && v[len(v)-1] == '%' && len(v) > 2 && isIdentifier(v[1:len(v)-1]):
		return true
	}
	return false
}

// isLiteral reports whether v is a value of another kind than text.
func isLiteral(v string) bool {
	switch len(v) {
	case 3:
		return strings.EqualFold(v, "nil")
	case 4:
		return strings.EqualFold(v, "true") || strings.EqualFold(v, "null") || strings.EqualFold(v, "none")
	case 5:
		return strings.EqualFold(v, "false")
	case 9:
		return v == "undefined"
	}
	return false
}

// isPlaceholder reports whether v stands for a value to be filled in.
func isPlaceholder(v string) bool {
	same := true
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			same = false
			break
		}
	}
	if same && (strings.IndexByte("xX*.-_#", v[0]) >= 0 || len(v) == 1) {
		return true
	}
	for _, p := range placeholders {
		if strings.EqualFold(v, p) {
			return true
		}
	}
	for _, p := range placeholderHeads {
		if len(v) <= len(p)+24 && len(v) >= len(p) && strings.EqualFold(v[:len(p)], p) {
			return true
		}
	}
	return false
}

var placeholders = []string{"changeme", "change_me", "change-me", "placeholder", "example", "redacted", "dummy", "fake", "todo", "tbd", "not-set", "notset", "unset", "empty", "required", "optional", "hidden", "masked"}

var placeholderHeads = []string{"your_", "your-", "your ", "yourpassword", "insert_", "insert-", "replace_", "replace-", "enter_", "enter-", "****", "xxxx", "...", "<"}

func containsFold(s, sub string) bool {
	for i := 0; i+len(sub) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return true
		}
	}
	return false
}

// isCode reports whether a bare value is an expression: a call, a member, an index.
func isCode(v string) bool {
	if i := strings.IndexByte(v, '('); i > 0 && isDotted(v[:i]) {
		return true
	}
	return strings.IndexByte(v, '.') > 0 && isDotted(v) && !hasDigit(v) || strings.HasPrefix(v, "&") || strings.HasPrefix(v, "[]")
}

func isDotted(v string) bool {
	for i := range len(v) {
		if c := v[i]; !nameByte(c) || c == '-' {
			return false
		}
	}
	return true
}

func isIdentifier(v string) bool {
	for i := range len(v) {
		c := v[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return v != ""
}

func hasDigit(v string) bool {
	for i := range len(v) {
		if v[i] >= '0' && v[i] <= '9' {
			return true
		}
	}
	return false
}

func isPath(v string) bool {
	return (v[0] == '/' || v[0] == '~' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || len(v) > 2 && v[1] == ':' && v[2] == '\\') &&
		strings.Count(v, "/")+strings.Count(v, "\\") >= 1 && !looksDense(v)
}

// looksDense reports whether a text with slashes is base64 rather than a path.
func looksDense(v string) bool {
	return len(v) >= 32 && strings.Count(v, "/")*12 < len(v) && hasDigit(v)
}

// random reports whether v looks drawn by chance: at least 8 bytes of a token's
// alphabet with digits and letters that change often, and not a version, a date, a
// number, or words.
func random(v string) bool {
	if len(v) < 8 {
		return false
	}
	var digits, lower, upper, other, changes int
	previous := byte(0)
	for i := range len(v) {
		var class byte
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits, class = digits+1, 'd'
		case c >= 'a' && c <= 'z':
			lower, class = lower+1, 'l'
		case c >= 'A' && c <= 'Z':
			upper, class = upper+1, 'u'
		case strings.IndexByte("_-+/=.~:!@#$%^&*?", c) >= 0:
			other, class = other+1, 'o'
		default:
			return false
		}
		if previous != 0 && class != previous {
			changes++
		}
		previous = class
	}
	letters := lower + upper
	switch {
	case digits == 0:
		// Without digits only a long text of mixed case, or one no words make up.
		return len(v) >= 16 && other*6 <= len(v) && !pronounceable(v)
	case letters == 0:
		return digits >= 16 && other == 0
	case isVersion(v):
		return false
	}
	if len(v) < 16 {
		return changes >= 4 && digits >= 2 && other*3 <= len(v)
	}
	if digits*8 <= len(v) && pronounceable(v) {
		return false // words with a number
	}
	return changes*8 >= len(v) && digits*20 >= len(v) && other*4 <= len(v)
}

func isVersion(v string) bool {
	for i := range len(v) {
		if c := v[i]; !(c >= '0' && c <= '9' || c == '.' || c == 'v' && i == 0 || c == '-') {
			return false
		}
	}
	return true
}

// pronounceable reports whether the vowels in v are as frequent and as spread as
// words have them.
func pronounceable(v string) bool {
	vowels, run, longest := 0, 0, 0
	letters := 0
	for i := range len(v) {
		c := v[i] | 0x20
		if c < 'a' || c > 'z' {
			run = 0
			continue
		}
		letters++
		if strings.IndexByte("aeiouy", c) >= 0 {
			vowels++
			run = 0
			continue
		}
		if run++; run > longest {
			longest = run
		}
	}
	return letters == 0 || longest <= 4 && vowels*5 >= letters
}
