// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"fmt"
	"io"
	"strings"
)

// A Bar is a line of progress that is drawn over itself.
type Bar struct{ W io.Writer }

// barCells is how wide the bar is.
const barCells = 30

// Draw draws a bar that is full to the given part, between 0 and 1, and a text behind it; without
// a known part, below 0, the text only. It has to stay on one line, or the next one would not
// cover it.
func (b Bar) Draw(part float64, text string) {
	if part >= 0 {
		full := int(barCells * min(1, part))
		text = strings.Repeat("█", full) + strings.Repeat("░", barCells-full) + " " + text
	}
	cells := Cells(b.W)
	if cells == 0 {
		fmt.Fprint(b.W, "\r\x1b[K", Safe(text))
		return
	}
	fmt.Fprint(b.W, "\r\x1b[K", Clip(Safe(text), max(1, cells-1)))
}

// Clear removes the bar.
func (b Bar) Clear() { fmt.Fprint(b.W, "\r\x1b[K") }
