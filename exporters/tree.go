// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"
	"io"

	"github.com/toolscope/toolscope/internal/display"
)

// TreeOptions say how [WriteTree] prints. The zero value is without colour, 72
// characters of a value, and times as they were.
type TreeOptions struct {
	Color    bool
	MaxValue int  // characters of arguments and results; 0 is 72, below 0 is none
	NoTimes  bool // leave durations out, so that output can be compared
}

const (
	red   = "\x1b[31m"
	faint = "\x1b[2m"
	bold  = "\x1b[1m"
	reset = "\x1b[0m"
)

// WriteTree prints a trace as a tree that a person can read: a line for each span
// with its duration, outcome and error, below it arguments and result on a line
// each. Control characters and invisible ones are shown escaped. Spans whose parent
// is not in the trace stand at the top.
func WriteTree(w io.Writer, t Trace, o TreeOptions) error {
	if o.MaxValue == 0 {
		o.MaxValue = 72
	}
	there := make(map[string]bool, len(t.Spans))
	for i := range t.Spans {
		there[t.Spans[i].SpanID] = true
	}
	children := make(map[string][]*Span)
	for i := range t.Spans {
		s := &t.Spans[i]
		parent := s.ParentID
		if !there[parent] || parent == s.SpanID {
			parent = ""
		}
		children[parent] = append(children[parent], s)
	}
	p := treePrinter{w: w, o: o, children: children}
	for _, s := range children[""] {
		p.print(s, "", "")
	}
	return p.err
}

type treePrinter struct {
	w        io.Writer
	o        TreeOptions
	children map[string][]*Span
	err      error
}

func (p *treePrinter) print(s *Span, lead, below string) {
	p.line(lead + p.headline(s))
	sub := p.children[s.SpanID]
	gutter := below + "   "
	if len(sub) > 0 {
		gutter = below + "│  "
	}
	if p.o.MaxValue > 0 {
		if v := s.Attribute("gen_ai.tool.call.arguments"); v != "" {
			p.line(p.paint(faint, gutter+"→ "+display.Clip(v, p.o.MaxValue)))
		}
		if v := s.Attribute("gen_ai.tool.call.result"); v != "" {
			p.line(p.paint(faint, gutter+"← "+display.Clip(v, p.o.MaxValue)))
		} else if s.Failed && s.StatusText != "" {
			p.line(p.paint(red, gutter+"✗ "+display.Clip(s.StatusText, p.o.MaxValue)))
		}
	}
	for i, c := range sub {
		if i == len(sub)-1 {
			p.print(c, below+"└─ ", below+"   ")
		} else {
			p.print(c, below+"├─ ", below+"│  ")
		}
	}
}

// headline is a span's name, duration, outcome, error type and what is notable.
func (p *treePrinter) headline(s *Span) string {
	line := p.paint(bold, display.Clip(s.Name, 120))
	if !p.o.NoTimes {
		line += "  " + display.Duration(s.End.Sub(s.Start))
	}
	if v := s.Attribute("toolscope.outcome"); v != "" && v != "executed" {
		line += "  " + v
	}
	if v := s.Attribute("error.type"); v != "" {
		line += "  " + p.paint(red, v)
	}
	for _, note := range []struct{ key, format string }{
		{"toolscope.redacted.count", "%s redacted"},
		{"toolscope.attempts", "%s attempts"},
	} {
		if v := s.Attribute(note.key); v != "" {
			line += "  " + fmt.Sprintf(note.format, v)
		}
	}
	if s.Attribute("toolscope.result.truncated") == "true" {
		line += "  result of " + s.Attribute("toolscope.result.bytes") + " bytes cut"
	}
	return line
}

func (p *treePrinter) paint(color, text string) string {
	if !p.o.Color {
		return text
	}
	return color + text + reset
}

func (p *treePrinter) line(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text+"\n")
	}
}
