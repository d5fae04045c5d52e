// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/display"
)

// Options say how [Write] draws. The zero value is without colour, 72
// characters of a value, and times as they were.
type Options struct {
	Color      bool // see [Colored]
	MaxValue   int  // characters of arguments, results and errors; 0 is 72, below 0 is none
	NoTimes    bool // leave durations out, so that output can be compared
	Attributes bool // every attribute on a line of its own, instead of arguments and result
}

const (
	defaultValue = 72
	maxName      = 120
	maxDepth     = 24 // deeper spans are indented no further, so that a line stays a line
)

// Write draws the spans of a trace as a tree, of which that many spans are no longer kept: see
// exporters.WriteTree.
func Write(w io.Writer, spans []Span, dropped int, options Options) error {
	options.MaxValue = cmp.Or(options.MaxValue, defaultValue)
	d := newDrawing(spans, options)
	if dropped > 0 {
		fmt.Fprintf(&d.out, "(%d of its spans are no longer kept)\n", dropped)
	}
	for _, i := range d.roots {
		d.span(i, "", "", 0)
	}
	for i := range spans { // parents in a circle, which only a broken host makes
		d.span(i, "", "", 0)
	}
	_, err := w.Write(d.out.Bytes())
	return err
}

// A drawing is a tree in the making.
type drawing struct {
	Options
	style
	out      bytes.Buffer
	spans    []Span
	present  map[string]bool // span ids
	children map[string][]int
	roots    []int
	drawn    []bool
}

func newDrawing(spans []Span, options Options) *drawing {
	d := &drawing{Options: options, style: style(options.Color), spans: spans, drawn: make([]bool, len(spans)),
		present: make(map[string]bool, len(spans)), children: make(map[string][]int)}
	for i := range spans {
		d.present[spans[i].SpanID] = true
	}
	for i := range spans {
		if parent := spans[i].ParentID; d.present[parent] && parent != spans[i].SpanID {
			d.children[parent] = append(d.children[parent], i)
		} else {
			d.roots = append(d.roots, i)
		}
	}
	return d
}

// span draws the span at index i, once. lead stands before its name, below before what
// is below it.
func (d *drawing) span(i int, lead, below string, depth int) {
	if d.drawn[i] {
		return
	}
	d.drawn[i] = true
	s := &d.spans[i]
	children := d.children[s.SpanID]
	d.out.WriteString(lead + d.headline(s) + "\n")
	gutter := below + "   "
	if len(children) > 0 {
		gutter = below + "│  "
	}
	d.details(s, gutter)
	for n, child := range children {
		fork, next := "├─ ", "│  "
		if n == len(children)-1 {
			fork, next = "└─ ", "   "
		}
		if depth >= maxDepth {
			next = ""
		}
		d.span(child, below+fork, below+next, depth+1)
	}
}

// headline is a span's name, duration, outcome, error.type and what is notable.
func (d *drawing) headline(s *Span) string {
	words := []string{d.bold(display.Clip(s.Name, maxName))}
	if !d.NoTimes {
		words = append(words, display.Duration(s.End.Sub(s.Start)))
	}
	if v := s.Attribute("toolscope.outcome"); v != "" && v != "executed" {
		words = append(words, display.Clip(v, 40))
	}
	if v := s.Attribute("error.type"); v != "" {
		words = append(words, d.red(display.Clip(v, 64)))
	} else if s.Failed {
		words = append(words, d.red("failed"))
	}
	for _, note := range []struct{ key, format, except string }{
		{"toolscope.repeat", "repeat %s", "0"},
		{"toolscope.attempts", "%s attempts", "1"},
		{"toolscope.redacted.count", "%s redacted", "0"},
	} {
		if v := s.Attribute(note.key); v != "" && v != note.except {
			words = append(words, fmt.Sprintf(note.format, display.Clip(v, 20)))
		}
	}
	if s.Attribute("toolscope.arguments.truncated") == "true" {
		words = append(words, "arguments of "+display.Clip(s.Attribute("toolscope.arguments.bytes"), 20)+" bytes cut")
	}
	if s.Attribute("toolscope.result.truncated") == "true" {
		words = append(words, "result of "+display.Clip(s.Attribute("toolscope.result.bytes"), 20)+" bytes cut")
	}
	if s.ParentID != "" && !d.present[s.ParentID] {
		if s.RemoteParent {
			words = append(words, "(remote parent)")
		} else {
			words = append(words, "(parent not here)")
		}
	}
	return strings.Join(words, "  ")
}

// details draws the lines below a span's.
func (d *drawing) details(s *Span, gutter string) {
	if d.MaxValue < 0 {
		return
	}
	line := func(mark, text string) {
		d.out.WriteString(d.faint(gutter+mark+" "+display.Clip(text, d.MaxValue)) + "\n")
	}
	if d.Attributes {
		for _, a := range s.Attributes {
			line(display.Clip(a.Key, 48)+strings.Repeat(" ", max(34-utf8.RuneCountInString(a.Key), 0)), a.Value)
		}
	} else {
		if v := s.Attribute("gen_ai.tool.call.arguments"); v != "" {
			line("→", v)
		}
		if v := s.Attribute("gen_ai.tool.call.result"); v != "" {
			line("←", v)
		}
	}
	if s.StatusText != "" {
		d.out.WriteString(d.red(gutter+"✗ "+display.Clip(s.StatusText, d.MaxValue)) + "\n")
	}
	for _, e := range s.Events {
		text := e.Name
		for _, a := range e.Attributes {
			text += " " + a.Key + "=" + a.Value
		}
		line("•", text)
	}
	for _, l := range s.Links {
		line("⇢", l)
	}
}
