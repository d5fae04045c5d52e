// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

// MaxLength is the longest normalised message, in bytes.
const MaxLength = 200

// Normalise replaces what differs between occurrences of one error by its kind:
// <num>, <duration>, <time>, <uuid>, <hex>, <id>, <path>, <url>, <addr>, <email>,
// <str>. Marks of the redactor and of Normalise itself stay. White space and
// control characters become single blanks. The result has at most MaxLength
// bytes and is valid UTF-8.
func Normalise(text string) string {
	var b strings.Builder
	blank := false
	for i := 0; i < len(text) && b.Len() <= MaxLength; {
		r, width := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError && width == 1 {
			blank = b.Len() > 0
			i += width
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		if end, kind := nextKind(text, i, r); end > i {
			b.WriteString(kind)
			i = end
			continue
		}
		end := i + width
		if isWord(r) {
			end = wordEnd(text, i)
		}
		b.WriteString(text[i:end])
		i = end
	}
	return Clip(b.String(), MaxLength)
}

// Clip cuts s to at most max bytes on a rune boundary and says so with an ellipsis.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// nextKind finds what begins at i and is to be replaced, where it ends, and by
// what; an end of i if nothing does.
func nextKind(s string, i int, r rune) (end int, kind string) {
	switch {
	case r == '[' && strings.HasPrefix(s[i:], "[REDACTED"):
		if n := strings.IndexByte(s[i:min(len(s), i+80)], ']'); n > 0 {
			return i + n + 1, s[i : i+n+1]
		}
	case r == '<':
		if n := markLen(s[i:]); n > 0 {
			return i + n, s[i : i+n]
		}
	case r == '"' || r == '`' || r == '\'' && !after(s, i, isWord):
		if n := quoted(s[i:], byte(r)); n > 0 {
			return i + n, "<str>"
		}
	case r == '“':
		if n := strings.Index(s[i:], "”"); n > 0 {
			return i + n + len("”"), "<str>"
		}
	case r == '/' && !after(s, i, isWord):
		if n := pathLen(s[i:]); n > 1 {
			return i + n, "<path>"
		}
	case r == '~' && strings.HasPrefix(s[i:], "~/"):
		return i + pathLen(s[i:]), "<path>"
	case r == '[' || r == ':':
		if n := ip6Len(s[i:]); n > 0 && !after(s, i, isWord) {
			return i + n, "<addr>"
		}
	case isWord(r):
		return wordKind(s, i)
	}
	return i, ""
}

// wordKind judges the word that begins at i, with what may follow it in a path, an
// address or a time.
func wordKind(s string, i int) (end int, kind string) {
	rest := s[i:]
	if n := urlLen(rest); n > 0 {
		return i + n, "<url>"
	}
	if n := windowsPathLen(rest); n > 0 {
		return i + n, "<path>"
	}
	word := s[i:wordEnd(s, i)]
	if n := emailLen(rest); n > 0 {
		return i + n, "<email>"
	}
	if !chars.HasDigit(word) && !chars.IsHex(word) {
		return i, ""
	}
	if n := uuidLen(rest); n > 0 {
		return i + n, "<uuid>"
	}
	if n := timeLen(rest); n > 0 {
		return i + n, "<time>"
	}
	if n := ip4Len(rest); n > 0 {
		return i + n, "<addr>"
	}
	if n := ip6Len(rest); n > 0 {
		return i + n, "<addr>"
	}
	end = i + len(word)
	switch {
	case strings.HasPrefix(word, "0x") && len(word) > 2 && chars.IsHex(word[2:]):
		return end, "<hex>"
	case chars.IsDigit(word[0]):
		return numberKind(s, i, word)
	case len(word) >= 8 && chars.IsHex(word) && chars.HasDigit(word), len(word) >= 32 && chars.IsHex(word):
		return end, "<hex>"
	case len(word) >= 16 && countDigits(word) >= 3:
		return end, "<id>"
	case chars.HasDigit(word):
		return end, maskDigits(word)
	}
	return i, ""
}

// numberKind judges a word that begins with a digit: a number with its unit, a
// duration, a hash, an id.
func numberKind(s string, i int, word string) (end int, kind string) {
	end = i + len(word)
	if n := durationLen(s[i:]); n > 0 {
		return i + n, "<duration>"
	}
	if n := numberLen(s[i:]); n >= len(word) {
		return i + n, "<num>"
	}
	switch {
	case len(word) >= 8 && chars.IsHex(word):
		return end, "<hex>"
	case len(word) >= 16 && countDigits(word) >= 3:
		return end, "<id>"
	}
	n := numberLen(s[i:])
	return i + n, "<num>"
}

// maskDigits replaces each row of digits of a word.
func maskDigits(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if !chars.IsDigit(word[i]) {
			b.WriteByte(word[i])
		} else if i == 0 || !chars.IsDigit(word[i-1]) {
			b.WriteString("<num>")
		}
	}
	return b.String()
}
