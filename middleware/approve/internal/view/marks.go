// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest runs that are shown as they are. Longer ones could push text out of sight.
const (
	maxBlanks = 32
	maxLines  = 3
	maxMarks  = 2 // combining characters on one letter
)

// marked names the characters whose marks have a short name.
var marked = map[rune]string{'\t': "TAB", '\r': "CR", '\n': "LF", 0x1b: "ESC", 0: "NUL", 0xa0: "NBSP"}

// mark returns the mark of a character.
func mark(r rune) string {
	if name := marked[r]; name != "" {
		return "⟨" + name + "⟩"
	}
	return fmt.Sprintf("⟨U+%04X⟩", r)
}

// blank are characters with a width and no ink that Unicode counts as letters or symbols.
var blank = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
}}

// visible reports whether a screen shows a character as itself.
func visible(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return true
	case r == '⟨' || r == '⟩' || r == utf8.RuneError || !unicode.IsGraphic(r):
		return false
	}
	return !unicode.In(r, unicode.Zs, unicode.Me, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Co, blank)
}

// A writer collects parts.
type writer struct {
	parts []Part
}

// addPart appends a part.
func (w *writer) addPart(kind, text string) {
	if text == "" {
		return
	}
	if n := len(w.parts); n > 0 && w.parts[n-1].Kind == kind && kind == Layout {
		w.parts[n-1].Text += text
		return
	}
	w.parts = append(w.parts, Part{Text: text, Kind: kind})
}

// line writes a text without line ends. Characters of also are marked as well. A command's operators have kinds.
func (w *writer) line(s string, command bool, also string) {
	from, combining := 0, 0
	flush := func(to int) {
		w.words(s[from:to], command)
		from = to
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.Is(unicode.Mn, r) {
			combining++
		} else {
			combining = 0
		}
		switch {
		case r == utf8.RuneError && n <= 1:
			flush(i)
			w.addPart(Hidden, fmt.Sprintf("⟨0x%02X⟩", s[i]))
			from = i + n
		case !visible(r) || combining > maxMarks || strings.ContainsRune(also, r):
			flush(i)
			w.addPart(Hidden, mark(r))
			from = i + n
		case r == ' ':
			n = len(s[i:]) - len(strings.TrimLeft(s[i:], " "))
			if n > maxBlanks || i+n == len(s) {
				flush(i)
				w.addPart(Hidden, run(n, "space"))
				from = i + n
			}
		}
		i += n
	}
	flush(len(s))
}

// run is the mark of many equal characters.
func run(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("⟨%d %s⟩", n, what)
}

// kindOf tells the characters that a shell acts on. It does not follow quotation: a character that the shell would
// take as it is may be highlighted, one that it acts on always is.
func kindOf(c byte) string {
	switch c {
	case ';', '&', '|', '<', '>', '(', ')', '{', '}', '!', '*', '?', '[', ']', '~', '#', '=':
		return Operator
	case '$', '`':
		return Expansion
	case '"', '\'', '\\':
		return Quote
	}
	return ""
}

// words writes visible text, in words.
func (w *writer) words(s string, command bool) {
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || command && r < 0x80 && kindOf(byte(r)) != "" })
		switch {
		case n < 0:
			n = len(s)
			fallthrough
		case n > 0:
			kind := ""
			if command && strings.ContainsFunc(s[:n], func(r rune) bool { return r >= 0x80 }) {
				kind = Foreign
			}
			w.addPart(kind, s[:n])
		case s[0] == ' ':
			n = len(s) - len(strings.TrimLeft(s, " "))
			w.addPart("", s[:n])
		default:
			n = 1
			w.addPart(kindOf(s[0]), s[:1])
		}
		s = s[n:]
	}
}
