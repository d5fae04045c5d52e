// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import "strings"

// Join is the words with a blank between them.
func Join(words []Word) Word {
	var text strings.Builder
	known := true
	for i, w := range words {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(w.Text)
		known = known && w.Known
	}
	return Word{Text: text.String(), Known: known}
}

// BaseName is the last part of a path.
func BaseName(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Clip shortens text for a doubt. The caller redacts it before showing it, so a word that is cut
// is left out: half a secret is not found.
func Clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndexAny(s[:most], " \n\t")+1] + "…"
}

// IsNetwork reports whether bash opens a connection instead of the file.
func IsNetwork(file string) bool {
	return strings.HasPrefix(file, "/dev/tcp/") || strings.HasPrefix(file, "/dev/udp/")
}

// IsNumber reports whether a text has only digits.
func IsNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// IsPlainName reports whether a text has only letters, digits and underscores, and at least one.
func IsPlainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') {
			return false
		}
	}
	return s != ""
}

// IsLetter reports whether c is an ASCII letter or an underscore.
func IsLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// NameSet is the set of the names in a text.
func NameSet(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}
