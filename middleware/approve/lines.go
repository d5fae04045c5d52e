// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve/internal/view"
)

// The size of what is shown on a terminal at once, in rows and columns. Longer lines are folded here, so that the
// terminal does not fold them without the border.
const (
	maxRows    = 40
	maxColumns = 76
)

// colours are those of the kinds of parts on a terminal.
var colours = map[string]string{
	view.Name: "1", view.Layout: "2", view.Operator: "1;31", view.Expansion: "1;4;31", view.Quote: "36", view.Hidden: "30;43",
	view.Foreign: "4;33", view.Masked: "7", view.Note: "30;43",
}

// terminalLines folds a view into lines, each behind a border, with ± if something in it has changed. Letters that are
// written from right to left are spelled out: a terminal may reorder them, and what stands around them.
func terminalLines(v View, coloured bool) []string {
	var lines []string
	var line strings.Builder
	columns, changed, folded := 0, false, false
	end := func() {
		border := " "
		if changed {
			border = "±"
		}
		if folded { // cannot look like a line of its own
			border += " ↪ "
		} else {
			border += " | "
		}
		lines = append(lines, border+line.String()+"\n")
		line.Reset()
		columns, changed = 0, false
	}
	for _, p := range v.Parts {
		text := p.Text
		for text != "" {
			n, width := fit(text, maxColumns-columns)
			if n > 0 {
				changed = changed || p.Changed
				columns += width
				line.WriteString(inColour(spellRightToLeft(text[:n]), p.Kind, coloured))
			}
			if text = text[n:]; text == "" {
				break // the line goes on with the next part
			}
			end()
			text, folded = strings.CutPrefix(text, "\n")
			folded = !folded
		}
	}
	if columns > 0 {
		end()
	}
	return lines
}

// fit returns how many bytes of a text fit into so many columns, up to a line's end, and how many they take. On an empty
// line one character always fits.
func fit(text string, columns int) (n, width int) {
	for i, r := range text {
		w := 1
		switch {
		case r == '\n':
			return i, width
		case isRightToLeft(r):
			w = len("⟨U+12345⟩") // spelled out
		case r >= 0x1100:
			w = 2
		}
		if width+w > columns && (i > 0 || columns < maxColumns) {
			return i, width
		}
		width += w
	}
	return len(text), width
}

// isRightToLeft reports whether a character is in a block of scripts that are written from right to left.
func isRightToLeft(r rune) bool {
	return r >= 0x590 && r < 0x900 || r >= 0xfb1d && r < 0xfe00 || r >= 0xfe70 && r < 0xff00 ||
		r >= 0x10800 && r < 0x11000 || r >= 0x1e800 && r < 0x1f000
}

// spellRightToLeft replaces letters of scripts that are written from right to left.
func spellRightToLeft(s string) string {
	var b strings.Builder
	for _, r := range s {
		if isRightToLeft(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteString(display.Plain(string(r)))
	}
	return b.String()
}

func inColour(text, kind string, coloured bool) string {
	if c := colours[kind]; coloured && c != "" {
		return "\x1b[" + c + "m" + text + "\x1b[0m"
	}
	return text
}
