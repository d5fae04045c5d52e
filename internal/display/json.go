// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EncodeJSON encodes v with one member a line behind the indent, or on one line if the indent is "". Characters that a
// terminal would interpret are escaped, so that printing the text is harmless. Characters of HTML are not escaped:
// "<path>" reads better than "\u003cpath\u003e", and a browser does not render application/json as a page.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeInvisible(b.Bytes()), nil
}

// escapeInvisible writes the characters of a JSON text that are neither graphic nor
// line ends, which can be in strings only, as escapes.
func escapeInvisible(text []byte) []byte {
	return ReplaceInvisible(text, func(out []byte, r rune) []byte {
		if high, low := utf16.EncodeRune(r); r > 0xffff {
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	})
}

// ReplaceInvisible replaces the characters of a text that are neither graphic nor line ends. by appends what replaces r
// to out.
func ReplaceInvisible(text []byte, by func(out []byte, r rune) []byte) []byte {
	invisible := func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }
	if bytes.IndexFunc(text, invisible) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if invisible(r) {
			out = by(out, r)
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}
