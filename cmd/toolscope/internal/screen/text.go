// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"math"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/toolscope/toolscope/internal/display"
)

// maxText is how many bytes of a text are read for a cell, which is far more
// than a terminal is wide.
const maxText = 4 << 10

// Safe makes untrusted text fit for a cell: on one line, without anything that a terminal
// acts on, with at most two marks on a letter, and with right-to-left text kept from
// reordering what is next to it.
func Safe(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return contained(plain(s))
}

// plain is [Safe] for a part of a line.
func plain(s string) string {
	s = display.Plain(s)
	if strings.IndexFunc(s, isMark) < 0 {
		return s
	}
	var b strings.Builder
	marks := 0
	for _, r := range s {
		if !isMark(r) {
			marks = 0
		} else if marks++; marks > 2 || r >= 0xFE00 && r <= 0xFE0F {
			continue // terminals differ in the width that they give to variation selectors
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isMark(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) }

// leftToRight is a mark without width. A terminal that turns around what is written from
// right to left would turn around the figures behind it as well; the mark ends that.
const leftToRight = "\u200e"

func contained(s string) string {
	if strings.IndexFunc(s, isLeftward) < 0 {
		return s
	}
	return leftToRight + s + leftToRight
}

// isLeftward reports whether a letter is written from right to left.
func isLeftward(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC ||
		r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
}

// Width is how many cells a text takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Clip cuts a safe text to this many cells, the last of which is an ellipsis
// where something is missing.
func Clip(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if Width(s) <= cells {
		return s
	}
	cut := ansi.Truncate(s, cells, "…")
	if strings.HasPrefix(cut, leftToRight) {
		cut += leftToRight
	}
	return cut
}

// Fit is [Clip], filled up with blanks: behind the text, or before it.
func Fit(s string, cells int, right bool) string {
	s = Clip(s, cells)
	blanks := strings.Repeat(" ", max(0, cells-Width(s)))
	if right {
		return blanks + s
	}
	return s + blanks
}

// MaxWrapped is how many bytes of a text are shown in lines.
const MaxWrapped = 64 << 10

// Wrap breaks an untrusted text into lines of this many cells, at its own line ends and
// where it does not fit: behind a blank if there is one in the line's second half.
func Wrap(s string, cells int) []string {
	left := 0
	if len(s) > MaxWrapped {
		left = len(s) - MaxWrapped
		s = strings.ToValidUTF8(s[:MaxWrapped], "")
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\r\n"), "\n") {
		line = plain(strings.TrimRight(line, "\r"))
		from, used := 0, 0
		blank, upTo := 0, 0 // behind the latest blank, and the cells up to there
		for i, r := range line {
			w := 1
			if r >= 0x80 {
				w = Width(string(r))
			}
			if used+w > cells && i > from {
				at := i
				if blank > from && upTo > cells/2 {
					at, used = blank, used-upTo
				} else {
					used = 0
				}
				out = append(out, contained(line[from:at]))
				from = at
			}
			used += w
			if r == ' ' {
				blank, upTo = i+1, used
			}
		}
		out = append(out, contained(line[from:]))
	}
	if left > 0 {
		out = append(out, "… and "+display.Bytes(uint64(left))+" more")
	}
	return out
}

// bars are the heights of a sparkline, from nothing to all.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// Spark draws values as bars next to each other, the latest at the right end. Where there
// are more values than cells, the values of a cell are added up.
func Spark(values []float64, cells int) string {
	if len(values) == 0 || cells <= 0 {
		return ""
	}
	sums := values
	if len(values) > cells {
		sums = make([]float64, cells)
		for i, v := range values {
			sums[i*cells/len(values)] += v
		}
	}
	most := 0.0
	for _, v := range sums {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range sums {
		level := 0
		if v > 0 && most > 0 {
			level = min(len(bars)-1, max(1, int(math.Ceil(v/most*float64(len(bars)-1)))))
		}
		b.WriteRune(bars[level])
	}
	return b.String()
}

// drawn are the characters that the views draw with, and their ASCII forms.
var drawn = map[rune]string{
	'▁': "_", '▂': ".", '▃': "-", '▄': "=", '▅': "+", '▆': "*", '▇': "%", '█': "#",
	'…': "~", '–': "-", '·': "|", '×': "x", '↑': "^", '↓': "v", '▲': "^", '▼': "v", '±': "~", 'µ': "u",
	'\u2009': " ", '›': ">", '│': "|",
}

// ASCII rewrites a frame for a terminal that shows ASCII only. Every letter keeps its width.
func ASCII(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] < 0x80
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch to, own := drawn[r]; {
		case r < 0x80:
			b.WriteRune(r)
		case own:
			b.WriteString(to)
		default:
			b.WriteString(strings.Repeat("?", Width(string(r))))
		}
	}
	return b.String()
}
