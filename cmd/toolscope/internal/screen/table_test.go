// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"os"
	"strings"
	"testing"
)

// Colours are for terminals, unless NO_COLOR is set.
func TestPaint(t *testing.T) {
	if PaintFor(&strings.Builder{}).On {
		t.Error("what is no terminal gets colours")
	}
	var b strings.Builder
	table := &Table{
		Report:  true,
		Columns: []Column{{Title: "NAME"}, {Title: "N", Right: true}, {Title: "EMPTY", Right: true}},
	}
	table.Add(Cell{Text: "é"}, Cell{"10", Bold}, Cell{})
	table.Add(Cell{Text: "long"}, Cell{Text: "9"}, Cell{})
	table.Print(&b, Paint{})
	if got, want := b.String(), "NAME   N\né     10\nlong   9\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	table.Print(&b, Paint{On: true})
	if !strings.Contains(b.String(), "\x1b[1m10\x1b[0m") {
		t.Errorf("got %q, want bold", b.String())
	}
}

// Where a line is short, columns are left out in the order of their ranks, then the wide column is cut.
func TestTableFitsItsLine(t *testing.T) {
	columns := []Column{
		{Title: "NAME"},
		{Title: "MAX", Right: true, Rank: 1},
		{Title: "RATE", Right: true, Rank: 2},
		{Title: "MESSAGE", Wide: true},
	}
	table := &Table{Report: true, Columns: columns}
	table.Add(Cell{Text: "read"}, Cell{Text: "100 ms"}, Cell{Text: "2.00/s"}, Cell{Text: "the disk is full"})
	for _, c := range []struct {
		cells int
		want  string
	}{
		{0, "read  100 ms  2.00/s  the disk is full"},
		{38, "read  100 ms  2.00/s  the disk is full"},
		{37, "read  100 ms  the disk is full"},
		{29, "read  the disk is full"},
		{21, "read  the disk is fu…"},
		{13, "read  the di…"},
		{5, "read  the di…"}, // no narrower than its title
	} {
		var b strings.Builder
		table.Print(&b, Paint{Cells: c.cells})
		if _, got, _ := strings.Cut(strings.TrimSuffix(b.String(), "\n"), "\n"); got != c.want {
			t.Errorf("%d cells: got %q, want %q", c.cells, got, c.want)
		}
	}
}

// A device that is no terminal, such as the standard input of a service, is none.
func TestDevNullIsNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if IsTerminal(null) {
		t.Error("got that it is a terminal")
	}
}

// A bar with a second line would not be covered by the next one.
func TestBarsStayOnOneLine(t *testing.T) {
	t.Setenv("COLUMNS", "12")
	var b strings.Builder
	Bar{&b}.Draw(-1, "[████] 12/150  Refund the invoice")
	if got, want := b.String(), "\r\x1b[K[████] 12/…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
