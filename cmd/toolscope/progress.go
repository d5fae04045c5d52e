// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/demo"
	"github.com/toolscope/toolscope/internal/display"
)

// progress draws how far a session is: a bar on a terminal, a line per turn
// elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	prompt   string
}

func newProgress(w io.Writer) *progress { return &progress{w: w, terminal: isTerminal(w)} }

func (p *progress) show(at demo.Progress) {
	if p.terminal {
		const width = 30
		full := min(width, width*at.Calls/max(1, at.Of))
		drawBar(p.w, fmt.Sprintf("[%s%s] %d/%d  %s", strings.Repeat("█", full), strings.Repeat("·", width-full), at.Calls, at.Of, at.Prompt))
		return
	}
	if at.Prompt != p.prompt {
		p.prompt = at.Prompt
		fmt.Fprintf(p.w, "turn: %s\n", at.Prompt)
	}
}

func (p *progress) done() {
	if p.terminal {
		clearBar(p.w)
	}
}

// drawBar draws a line over the one before. It has to stay on one line, or there would be
// something of it that the next one does not cover.
func drawBar(w io.Writer, text string) {
	cells := cellsOf(w)
	if cells > 0 {
		cells = max(1, cells-1)
	}
	fmt.Fprintf(w, "\r\x1b[K%s", display.Clip(text, cells))
}

// clearBar removes it.
func clearBar(w io.Writer) { fmt.Fprint(w, "\r\x1b[K") }
