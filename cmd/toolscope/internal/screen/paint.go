// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"io"
	"os"
	"strconv"

	"github.com/charmbracelet/x/term"
)

// IsTerminal reports whether a reader or writer is a terminal. Other devices, such as
// /dev/null, are not.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Colored reports whether w wants colour: it is a terminal, and NO_COLOR is not set
// (no-color.org).
func Colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// Cells returns the length of a line of w: the terminal's, else $COLUMNS, else 0 for
// unknown.
func Cells(w io.Writer) int {
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

// Paint says how text is written. The zero value is for a pipe: without colours, and with
// lines of any length.
type Paint struct {
	On    bool // in colours
	Cells int  // of a line; 0 is no limit
}

// PaintFor returns what fits w.
func PaintFor(w io.Writer) Paint { return Paint{Colored(w), Cells(w)} }

// The colours: parameters of the terminal's sequence for them.
const (
	Bold     = "1"
	Quiet    = "2"
	Inverted = "7"
	Red      = "31"
	Green    = "32"
	Amber    = "33"
	Blue     = "36"
)

// In returns a text in a colour.
func (p Paint) In(colour, text string) string {
	if !p.On || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
