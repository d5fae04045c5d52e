// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"math"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
)

// A Column of a table. Where a table is wider than the screen, the column with the
// largest rank is left out first; rank 0 stays. One column may be wide: it takes the cells that
// the others leave.
type Column struct {
	Title string
	Right bool // aligned to the right
	Rank  int
	Least int // cells; 0 for the width of its texts
	Wide  bool
}

// A Cell is a text without anything that a terminal acts on, and its colour.
type Cell struct{ Text, Colour string }

// A Row of a table. Key finds it again when rows move; Words is what filters search.
type Row struct {
	Key   string
	Words string
	Cells []Cell
	Quiet bool // drawn faint
}

// A Table is a list of rows.
type Table struct {
	Columns []Column
	Rows    []Row
	Empty   string // shown where there are no rows
	Note    string // shown below the rows
	// Report is for tables that are printed once: columns without any text are left out whatever their
	// rank, and the wide column is cut only when no other column can be left out.
	Report bool
}

// Add adds a row of untrusted texts.
func (t *Table) Add(cells ...Cell) {
	for i := range cells {
		cells[i].Text = display.Plain(cells[i].Text)
	}
	t.Rows = append(t.Rows, Row{Cells: cells})
}

// Gap separates columns.
const Gap = "  "

// Columns of the rank spare and above are shown where the wide one has at least as many cells
// as are comfortable.
const spare, comfortable = 5, 20

// Lay returns the width of each column on a screen of this many cells, 0 for a column that is
// left out.
func (t *Table) Lay(cells int) []int {
	if cells <= 0 {
		cells = math.MaxInt
	}
	natural := make([]int, len(t.Columns))
	widths := make([]int, len(t.Columns))
	left := make([]bool, len(t.Columns)) // left out
	for i, c := range t.Columns {
		natural[i], left[i] = max(c.Least, Width(c.Title)), c.Rank > 0 || t.Report
		for _, r := range t.Rows {
			natural[i] = max(natural[i], Width(r.Cells[i].Text))
			left[i] = left[i] && strings.TrimSpace(r.Cells[i].Text) == ""
		}
	}
	for {
		used, wide, worst := -len(Gap), -1, 0
		for i, c := range t.Columns {
			if left[i] {
				widths[i] = 0
				continue
			}
			widths[i] = natural[i]
			if c.Wide {
				wide = i
			}
			worst = max(worst, c.Rank)
			used += widths[i] + len(Gap)
		}
		if wide >= 0 && (worst == 0 || !t.Report) {
			give := min(natural[wide]-t.least(wide, worst, natural[wide]), max(0, used-cells))
			widths[wide] -= give
			used -= give
		}
		if used <= cells || worst == 0 { // where no column can be left out, all are cut
			return widths
		}
		for i := range t.Columns {
			left[i] = left[i] || t.Columns[i].Rank == worst
		}
	}
}

// least is how narrow the wide column may become while the worst rank shown is this one.
func (t *Table) least(wide, worst, natural int) int {
	least := max(t.Columns[wide].Least, Width(t.Columns[wide].Title))
	if worst >= spare { // it does not give way to what matters least
		least = max(least, comfortable)
	}
	return min(least, natural)
}

// Head returns the line of titles.
func (t *Table) Head(widths []int, p Paint) string {
	cells := make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		cells[i] = Cell{c.Title, Quiet}
	}
	return t.Line(cells, widths, p, Quiet)
}

// Line returns one row. If all is not "", it is the colour of the whole row.
func (t *Table) Line(cells []Cell, widths []int, p Paint, all string) string {
	var b strings.Builder
	for i, c := range cells {
		if widths[i] == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(Gap)
		}
		text := Clip(c.Text, widths[i])
		blanks := strings.Repeat(" ", widths[i]-Width(text))
		if all == "" {
			text = p.In(c.Colour, text)
		}
		if t.Columns[i].Right {
			text, blanks = blanks, text
		}
		b.WriteString(text + blanks)
	}
	if all != "" {
		return p.In(all, b.String())
	}
	return b.String()
}

// Print writes the table, nothing if it has no rows. Lines do not end in blanks.
func (t *Table) Print(b *strings.Builder, p Paint) {
	if len(t.Rows) == 0 {
		return
	}
	widths := t.Lay(p.Cells)
	b.WriteString(p.In(Quiet, strings.TrimRight(t.Head(widths, Paint{}), " ")) + "\n")
	for _, r := range t.Rows {
		b.WriteString(strings.TrimRight(t.Line(r.Cells, widths, p, ""), " ") + "\n")
	}
}
