// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package chars

import "strings"

// OneOf reports whether word is one of the words of list.
func OneOf(list, word string) bool {
	for word != "" {
		i := strings.Index(list, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || list[i-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return strings.IndexByte(word, ' ') < 0
		}
		list = list[min(len(list), i+1):]
		if i = strings.IndexByte(list, ' '); i < 0 {
			return false
		}
		list = list[i+1:]
	}
	return false
}

// IsFieldLike reports whether v is made of what names of fields have: letters, digits, _ - . and $.
//
//go:noinline
func IsFieldLike(v string) bool {
	for i := range len(v) {
		if Class[v[i]]&Name == 0 {
			return false
		}
	}
	return true
}

// HasAlnum reports whether v has an ASCII letter or digit, or a character beyond the Basic Multilingual Plane.
//
//go:noinline
func HasAlnum(v string) bool {
	for i := range len(v) {
		if Class[v[i]]&Alnum != 0 || v[i] >= 0xf0 {
			return true
		}
	}
	return false
}

// IsDigits reports whether v is made of digits.
//
//go:noinline
func IsDigits(v string) bool {
	for i := range len(v) {
		if !IsDigit(v[i]) {
			return false
		}
	}
	return v != ""
}

// HasDigit reports whether v has a digit.
//
//go:noinline
func HasDigit(v string) bool {
	for i := range len(v) {
		if IsDigit(v[i]) {
			return true
		}
	}
	return false
}

// HasSpecial reports whether v has a character that words and identifiers do not have.
//
//go:noinline
func HasSpecial(v string) bool { return strings.ContainsAny(v, "!@#$%^&*{}[]<>?~") }

// TrimEnd is v without the bytes at its end that cut has.
func TrimEnd(v, cut string) string {
	for v != "" && strings.IndexByte(cut, v[len(v)-1]) >= 0 {
		v = v[:len(v)-1]
	}
	return v
}

// TrimStart is v without the bytes at its head that cut has.
func TrimStart(v, cut string) string {
	for v != "" && strings.IndexByte(cut, v[0]) >= 0 {
		v = v[1:]
	}
	return v
}

// IsIdentifier reports whether v is an identifier of ASCII letters, digits and underscores.
//
//go:noinline
func IsIdentifier(v string) bool {
	for i := range len(v) {
		c := v[i]
		if Class[c]&letter == 0 && c != '_' && (i == 0 || !IsDigit(c)) {
			return false
		}
	}
	return v != ""
}

// IsDotted reports whether v is made of letters, digits, dots, _ and $.
//
//go:noinline
func IsDotted(v string) bool {
	for i := range len(v) {
		if c := v[i]; Class[c]&Alnum == 0 && c != '_' && c != '.' && c != '$' {
			return false
		}
	}
	return v != ""
}

// LastByte is the index of the last c in s, -1 if there is none. It is not copied into its callers, so that programs stay
// small.
//
//go:noinline
func LastByte(s string, c byte) int { return strings.LastIndexByte(s, c) }
