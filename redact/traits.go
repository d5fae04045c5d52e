// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

func hasAlnum(v string) bool {
	for i := range len(v) {
		if chars[v[i]]&chAlnum != 0 || v[i] >= 0xf0 {
			return true
		}
	}
	return false
}

// isDigits reports whether v is made of digits.
func isDigits(v string) bool {
	for i := range len(v) {
		if !isDigit(v[i]) {
			return false
		}
	}
	return v != ""
}

func hasDigit(v string) bool {
	for i := range len(v) {
		if isDigit(v[i]) {
			return true
		}
	}
	return false
}

func hasSpecial(v string) bool { return strings.ContainsAny(v, "!@#$%^&*{}[]<>?~") }

// isNumberLike reports whether v is a short number, with separators at most.
func isNumberLike(v string) bool {
	n := 0
	for i := range len(v) {
		switch {
		case isDigit(v[i]):
			n++
		case v[i] == '-' || v[i] == ' ':
		default:
			return random(v)
		}
	}
	return n >= 3 && n <= 12
}

// trimEnd is v without the bytes at its end that cut has.
func trimEnd(v, cut string) string {
	for v != "" && strings.IndexByte(cut, v[len(v)-1]) >= 0 {
		v = v[:len(v)-1]
	}
	return v
}

// trimStart is v without the bytes at its head that cut has.
func trimStart(v, cut string) string {
	for v != "" && strings.IndexByte(cut, v[0]) >= 0 {
		v = v[1:]
	}
	return v
}

func isIdentifier(v string) bool {
	for i := range len(v) {
		c := v[i]
		if chars[c]&chLetter == 0 && c != '_' && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return v != ""
}

func isDotted(v string) bool {
	for i := range len(v) {
		if c := v[i]; chars[c]&chAlnum == 0 && c != '_' && c != '.' && c != '$' {
			return false
		}
	}
	return v != ""
}
