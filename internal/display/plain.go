// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns s on one line with everything spelled out that a terminal or a
// browser would act on rather than show: control characters (with the escape that
// begins a terminal's sequences), bidirectional and other invisible marks, line
// ends, bytes that are no UTF-8. A tool's name or an error's text can then
// neither colour, hide nor reorder what stands around it. Most texts come back as they
// are, without an allocation.
func Plain(s string) string {
	for i, r := range s {
		if !unicode.IsGraphic(r) || r == utf8.RuneError {
			return spelledOut(s, i)
		}
	}
	return s
}

func spelledOut(s string, from int) string {
	var b strings.Builder
	b.WriteString(s[:from])
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// Clip is [Plain], cut to at most width characters, of which the last is an
// ellipsis where something is missing. A width below 1 cuts nothing.
func Clip(s string, width int) string {
	if width >= 1 && len(s) > width*8 { // no more of it can be shown
		cut := width * 8
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	s = Plain(s)
	if width < 1 || utf8.RuneCountInString(s) <= width {
		return s
	}
	n := 0
	for i := range s {
		if n == width-1 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Quoted is what a client sent, cut to 80 bytes, as a quoted string with invisible characters escaped.
func Quoted(s string) string { return strconv.QuoteToGraphic(Cut(s)) }

// Cut is a text cut to 80 bytes.
func Cut(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
