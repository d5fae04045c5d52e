// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"github.com/toolscope/toolscope/internal/display"
)

// parseArguments reads flags wherever they stand among the other arguments, which it
// returns. It prints what is wrong, and the help where that is asked for, and then
// returns done with the exit code.
func parseArguments(f *flag.FlagSet, help string, args []string, stdout, stderr io.Writer) (rest []string, code int, done bool) {
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	for {
		switch err := f.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			io.WriteString(stdout, help)
			return nil, exitOK, true
		case err != nil:
			io.WriteString(stderr, "toolscope "+f.Name()+": "+flagError(f, err)+"\nRun 'toolscope "+f.Name()+" --help' for the options.\n")
			return nil, exitUsage, true
		}
		if args = f.Args(); len(args) == 0 {
			return rest, exitOK, false
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// isTerminal reports whether a reader or writer is a terminal: a device such as
// /dev/null is none.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// colored reports whether w wants colour: a terminal, and NO_COLOR is not set
// (no-color.org).
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// cellsOf is how many cells a line of w has: a terminal's, else $COLUMNS, else 0 for
// nobody knows.
func cellsOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if cells, _, err := term.GetSize(f.Fd()); err == nil && cells > 0 {
			return cells
		}
	}
	if cells, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && cells > 0 {
		return cells
	}
	return 0
}

// paint is how texts are put on what they are written to. The zero value is for a
// pipe: no colours, lines as long as they are.
type paint struct {
	on    bool // in colours
	cells int  // of a line; 0 is no limit
}

// paintFor is what fits w.
func paintFor(w io.Writer) paint { return paint{colored(w), cellsOf(w)} }

// The colours that are used.
const (
	bold  = "1"
	quiet = "2"
	red   = "31"
	green = "32"
	amber = "33"
)

func (p paint) in(colour, text string) string {
	if !p.on || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// cell is a text in a table, and its colour.
type cell struct{ text, colour string }

// table lays cells out in columns. A column whose title begins with "<" is set
// against the left, the others against the right. Where lines are too short for it, the spare
// columns go, the first of them first; then the last column is cut, if it is set against
// the left.
type table struct {
	titles []string
	spare  []int // columns by their index
	rows   [][]cell
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// gap stands between columns.
const gap = "  "

// print writes the table, nothing if it has no rows. Columns without any text are
// left out.
func (t *table) print(b *strings.Builder, p paint) {
	if len(t.rows) == 0 {
		return
	}
	widths := t.widths(p.cells)
	head := make([]cell, len(t.titles))
	for i, title := range t.titles {
		head[i] = cell{strings.TrimPrefix(title, "<"), quiet}
	}
	for _, row := range append([][]cell{head}, t.rows...) {
		var line strings.Builder
		for i, c := range row {
			if widths[i] == 0 {
				continue
			}
			text := display.Clip(c.text, widths[i])
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if strings.HasPrefix(t.titles[i], "<") {
				line.WriteString(p.in(c.colour, text) + blanks)
			} else {
				line.WriteString(blanks + p.in(c.colour, text))
			}
			line.WriteString(gap)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// widths is how wide each column is on lines of so many cells, 0 for one that is left
// out. A table that does not fit without its spare columns is wider than the line.
func (t *table) widths(cells int) []int {
	widths := make([]int, len(t.titles))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	used := -len(gap)
	for i, title := range t.titles {
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(strings.TrimPrefix(title, "<")))
			used += widths[i] + len(gap)
		}
	}
	if cells <= 0 {
		return widths
	}
	for _, i := range t.spare {
		if used > cells && widths[i] > 0 {
			used -= widths[i] + len(gap)
			widths[i] = 0
		}
	}
	if last := len(widths) - 1; used > cells && strings.HasPrefix(t.titles[last], "<") {
		widths[last] = max(min(widths[last], utf8.RuneCountInString(t.titles[last])-1), widths[last]-(used-cells))
	}
	return widths
}
