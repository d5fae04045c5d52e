// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxTables = 50
	maxSpan   = 100    // columns or rows that one cell is repeated in
	maxCells  = 20_000 // of all tables together
	maxCell   = 1000   // bytes of one cell's text
)

// foundTable is one table of a page.
type foundTable struct {
	Caption string     `json:"caption,omitempty"`
	Header  []string   `json:"header,omitempty"`
	Rows    [][]string `json:"rows"`
}

// tables reads the tables of a page that hold more than one cell, cells that span
// several repeated in each. Tables within tables stand by themselves.
func tables(doc *html.Node) (found []foundTable, partial bool) {
	cells := 0
	each(doc, func(n *html.Node) {
		if n.DataAtom != atom.Table || hidden(n) {
			return
		}
		if len(found) == maxTables || cells >= maxCells {
			partial = true
			return
		}
		t, n2 := readTable(n, maxCells-cells)
		cells += n2
		if n2 > 1 {
			found = append(found, t)
		}
	})
	return found, partial || cells >= maxCells
}

// readTable reads one table, up to a number of cells.
func readTable(table *html.Node, room int) (t foundTable, cells int) {
	t.Rows = [][]string{}
	var below []span // cells of earlier rows that reach into the next
	for _, row := range rowsOf(table, &t) {
		var line []string
		header := true
		var next []span
		// carry puts cells from above in, as long as one stands at this column.
		carry := func() {
			for len(below) > 0 && below[0].column <= len(line) && cells < room {
				s := below[0]
				below = below[1:]
				line = append(line, s.text)
				cells++
				if s.rows > 1 {
					next = append(next, span{len(line) - 1, s.rows - 1, s.text})
				}
			}
		}
		for c := row.FirstChild; c != nil && cells < room; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			carry()
			header = header && c.DataAtom == atom.Th
			text, rows := oneLine(c, maxCell), number(c, "rowspan")
			for range min(number(c, "colspan"), room-cells) {
				line = append(line, text)
				cells++
				if rows > 1 {
					next = append(next, span{len(line) - 1, rows - 1, text})
				}
			}
		}
		carry()
		below = next
		switch {
		case len(line) == 0:
		case header && t.Header == nil && len(t.Rows) == 0:
			t.Header = line
		default:
			t.Rows = append(t.Rows, line)
		}
	}
	return t, cells
}

// span is a cell that reaches into the rows below.
type span struct {
	column, rows int
	text         string
}

// rowsOf lists the rows of a table and not of those within, and notes its caption.
func rowsOf(n *html.Node, t *foundTable) (rows []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			rows = append(rows, rowsOf(c, t)...)
		case atom.Caption:
			t.Caption = oneLine(c, maxCell)
		}
	}
	return rows
}

func number(n *html.Node, name string) int {
	v, err := strconv.Atoi(attr(n, name))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}
