// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"unicode/utf8"
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
			io.WriteString(stderr, "toolscope "+f.Name()+": "+err.Error()+"\nRun 'toolscope "+f.Name()+" --help' for the options.\n")
			return nil, exitUsage, true
		}
		if args = f.Args(); len(args) == 0 {
			return rest, exitOK, false
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// paint colours texts, or leaves them as they are.
type paint struct{ on bool }

// paintFor colours where w wants it.
func paintFor(w io.Writer) paint { return paint{colored(w)} }

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
// against the left, the others against the right.
type table struct {
	titles []string
	rows   [][]cell
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// print writes the table, nothing if it has no rows. Columns without any text are
// left out.
func (t *table) print(b *strings.Builder, p paint) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.titles))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for i, title := range t.titles {
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(strings.TrimPrefix(title, "<")))
		}
	}
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
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
			if strings.HasPrefix(t.titles[i], "<") {
				line.WriteString(p.in(c.colour, c.text) + blanks)
			} else {
				line.WriteString(blanks + p.in(c.colour, c.text))
			}
			line.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
