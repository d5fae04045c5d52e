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
	r := rowReader{room: room}
	for _, row := range rowsOf(table, &t) {
		header := r.readRow(row)
		switch {
		case len(r.line) == 0:
		case header && t.Header == nil && len(t.Rows) == 0:
			t.Header = r.line
		default:
			t.Rows = append(t.Rows, r.line)
		}
	}
	return t, r.cells
}

// A rowReader reads the rows of a table one after the other.
type rowReader struct {
	room, cells int
	line        []string
	below       []span // cells of earlier rows that reach into this one
	next        []span // cells of this row and earlier ones that reach into the next
}

// readRow reads a row into line, and reports whether all of its own cells are headers.
func (r *rowReader) readRow(row *html.Node) (header bool) {
	r.line, r.next, header = nil, nil, true
	for c := row.FirstChild; c != nil && r.cells < r.room; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		r.carry()
		header = header && c.DataAtom == atom.Th
		text, rows := oneLine(c, maxCell), number(c, "rowspan")
		for range min(number(c, "colspan"), r.room-r.cells) {
			r.addCell(text, rows)
		}
	}
	r.carry()
	r.below = r.next
	return header
}

// carry adds cells from above, as long as one is at this column.
func (r *rowReader) carry() {
	for len(r.below) > 0 && r.below[0].column <= len(r.line) && r.cells < r.room {
		s := r.below[0]
		r.below = r.below[1:]
		r.addCell(s.text, s.rows)
	}
}

// addCell adds a cell that reaches over that many rows, with this one.
func (r *rowReader) addCell(text string, rows int) {
	r.line = append(r.line, text)
	r.cells++
	if rows > 1 {
		r.next = append(r.next, span{len(r.line) - 1, rows - 1, text})
	}
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
