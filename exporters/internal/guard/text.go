// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// fits reports whether a text can be sent as it is.
func fits(text string, max int) bool { return len(text) <= max && utf8.ValidString(text) }

// text is a text that fits.
func (m *mender) text(text string, max int) string {
	if !utf8.ValidString(text) {
		m.invalid++
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if len(text) <= max {
		return text
	}
	m.cut++
	return cut(text, max)
}

// cut shortens a text to at most max bytes, at least minValue: its head, a mark that says how
// much is missing, and its tail.
func cut(text string, max int) string {
	room := max - len(mark(len(text)))
	tail := room / 4
	head := before(text, room-tail)
	from := after(text, len(text)-tail)
	return text[:head] + mark(from-head) + text[from:]
}

func mark(missing int) string { return fmt.Sprintf("…[%d bytes cut]…", missing) }

// before is the last place at which a rune begins that is not beyond at.
func before(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// after is the first place at which a rune begins that is not before at.
func after(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
