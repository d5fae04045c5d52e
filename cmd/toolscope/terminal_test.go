// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Colours are for terminals, unless NO_COLOR is set.
func TestPaint(t *testing.T) {
	if paintFor(&strings.Builder{}).on {
		t.Error("what is no terminal gets colours")
	}
	var b strings.Builder
	table := &table{titles: []string{"<NAME", "N", "EMPTY"}}
	table.add(cell{text: "é"}, cell{"10", bold}, cell{})
	table.add(cell{text: "long"}, cell{text: "9"}, cell{})
	table.print(&b, paint{})
	if got, want := b.String(), "NAME   N\né     10\nlong   9\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	table.print(&b, paint{on: true})
	if !strings.Contains(b.String(), "\x1b[1m10\x1b[0m") {
		t.Errorf("got %q, want bold", b.String())
	}
}

// Where a line is short spare columns go, in their order, then the last column is cut.
func TestTableFitsItsLine(t *testing.T) {
	table := &table{titles: []string{"<NAME", "MAX", "RATE", "<MESSAGE"}, spare: []int{2, 1}}
	table.add(cell{text: "read"}, cell{text: "100 ms"}, cell{text: "2.00/s"}, cell{text: "the disk is full"})
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
		table.print(&b, paint{cells: c.cells})
		if _, got, _ := strings.Cut(strings.TrimSuffix(b.String(), "\n"), "\n"); got != c.want {
			t.Errorf("%d cells: got %q, want %q", c.cells, got, c.want)
		}
	}
}

// What everybody sees first fits a terminal of the usual width.
func TestTablesFitEightyCells(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	url := program(t, "reads_what_has_a_name_longer_than_most", 40*time.Millisecond)
	code, out, errs := invoke(statsCommand, "", url)
	if code != exitOK {
		t.Fatalf("got %d, %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("got %d characters: %q", n, line)
		}
	}
	for _, want := range []string{"TOOL", "ERRORS", "P50", "P99", "MESSAGE"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not shown:\n%s", want, out)
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
	if isTerminal(null) {
		t.Error("got that it is a terminal")
	}
}

// A bar that went on in a second line would leave the first one behind.
func TestBarsStayOnOneLine(t *testing.T) {
	t.Setenv("COLUMNS", "12")
	var b strings.Builder
	drawBar(&b, "[████] 12/150  Refund the invoice")
	if got, want := b.String(), "\r\x1b[K[████] 12/…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
