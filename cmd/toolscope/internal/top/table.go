// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import "strings"

// A column of a table. Where a table is wider than the screen, the column with the
// largest rank goes first; rank 0 stays, though no row has a text in it. The one column that is wide takes what the
// others leave.
type column struct {
	title string
	right bool // set against the right
	rank  int
	least int // cells; 0 for what its texts take
	wide  bool
}

// A cell is a text, which is safe, and its colour.
type cell struct{ text, colour string }

// A row of a table. Key finds it again when rows move; words is what filters look at.
type row struct {
	key   string
	words string
	cells []cell
	quiet bool // drawn faint
}

// A table is what a list shows.
type table struct {
	columns []column
	rows    []row
	empty   string // said where there are no rows
}

// gap stands between columns.
const gap = "  "

// Columns of the rank spare and beyond are shown where the wide one has as many cells
// as are comfortable.
const spare, comfortable = 5, 20

// lay decides how wide each column is on a screen of so many cells, 0 for one that is
// left out.
func (t *table) lay(cells int) []int {
	natural := make([]int, len(t.columns))
	widths := make([]int, len(t.columns))
	left := make([]bool, len(t.columns)) // left out
	for i, c := range t.columns {
		natural[i], left[i] = max(c.least, width(c.title)), c.rank > 0
		for _, r := range t.rows {
			natural[i] = max(natural[i], width(r.cells[i].text))
			left[i] = left[i] && strings.TrimSpace(r.cells[i].text) == ""
		}
	}
	for {
		used, widest, worst := -len(gap), -1, 0
		for i, c := range t.columns {
			if left[i] {
				widths[i] = 0
				continue
			}
			widths[i] = natural[i]
			if c.wide {
				widest = i
			}
			worst = max(worst, c.rank)
			used += widths[i] + len(gap)
		}
		if widest >= 0 { // gives way, but not to what matters least
			c := t.columns[widest]
			least := max(c.least, width(c.title))
			if worst >= spare {
				least = max(least, comfortable)
			}
			least = min(least, natural[widest])
			give := min(natural[widest]-least, max(0, used-cells))
			widths[widest] -= give
			used -= give
		}
		if used <= cells || worst == 0 { // where nothing more can be left out, what stays is cut
			return widths
		}
		for i := range t.columns {
			left[i] = left[i] || t.columns[i].rank == worst
		}
	}
}

// head is the line of titles.
func (t *table) head(widths []int, p paint) string {
	cells := make([]cell, len(t.columns))
	for i, c := range t.columns {
		cells[i] = cell{c.title, quiet}
	}
	return t.line(cells, widths, p, quiet)
}

// line is one row; all, if it is not "", is the colour of the whole of it.
func (t *table) line(cells []cell, widths []int, p paint, all string) string {
	var b strings.Builder
	for i, c := range cells {
		if widths[i] == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		text, colour := fit(c.text, widths[i], t.columns[i].right), c.colour
		if all != "" {
			colour = ""
		}
		b.WriteString(p.in(colour, text))
	}
	if all != "" {
		return p.in(all, b.String())
	}
	return b.String()
}

// paint colours texts, or leaves them as they are.
type paint struct{ on bool }

// The colours that are used: parameters of the terminal's sequence for them.
const (
	bold     = "1"
	quiet    = "2"
	inverted = "7"
	red      = "31"
	green    = "32"
	amber    = "33"
	blue     = "36"
)

func (p paint) in(colour, text string) string {
	if !p.on || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
