// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolscope/toolscope/internal/demo"
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
		fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %d/%d  %s", strings.Repeat("█", full), strings.Repeat("·", width-full), at.Calls, at.Of, at.Prompt)
		return
	}
	if at.Prompt != p.prompt {
		p.prompt = at.Prompt
		fmt.Fprintf(p.w, "turn: %s\n", at.Prompt)
	}
}

func (p *progress) done() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colored reports whether w wants colour: a terminal, and NO_COLOR is not set
// (no-color.org).
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}
