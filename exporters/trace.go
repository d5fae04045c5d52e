// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"io"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/tree"
)

// A Trace is the spans of one trace that a [Ring] still has, in the order in which
// they began. They must not be changed.
type Trace struct {
	ID      string // hex
	Spans   []sdktrace.ReadOnlySpan
	Dropped int // spans of it that had to make room for later ones
}

// TreeOptions say how [WriteTree] draws. The zero value is without colour, 72
// characters of a value, and times as they were.
type TreeOptions struct {
	Color      bool // see [Colored]
	MaxValue   int  // characters of arguments, results and errors; 0 is 72, below 0 is none
	NoTimes    bool // leave durations out, so that output can be compared
	Attributes bool // every attribute on a line of its own, instead of arguments and result
}

// WriteTree draws a trace as a tree that a person can read: a line for each span with
// its name, duration, outcome and error.type, and below it arguments and result, or
// what went wrong, each shortened to one line. Spans stand below their parents in the
// order in which they began; one whose parent is not in the trace stands at the root
// and says so. What would act on a terminal, hide or reorder text is spelled out. It
// writes once, and returns the writer's error.
func WriteTree(w io.Writer, t Trace, options TreeOptions) error {
	return tree.Write(w, viewsOf(t.Spans), t.Dropped, tree.Options(options))
}

// Colored reports whether a tree on w should have colours: w is a terminal, NO_COLOR
// (https://no-color.org) is not set, TERM is not "dumb", and it is not Windows, where
// older consoles would print the codes.
func Colored(w io.Writer) bool { return tree.Colored(w) }

func viewsOf(spans []sdktrace.ReadOnlySpan) []tree.Span {
	out := make([]tree.Span, len(spans))
	for i, s := range spans {
		out[i] = tree.View(s)
	}
	return out
}

// What a span, an attribute and a text of a list take besides their texts, roughly.
const (
	spanBytes      = 512
	attributeBytes = 64
	textBytes      = 16
)

// size is about how many bytes s keeps alive.
func size(s sdktrace.ReadOnlySpan) int {
	n := spanBytes + len(s.Name()) + len(s.Status().Description) + sizes(s.Attributes())
	for _, e := range s.Events() {
		n += attributeBytes + len(e.Name) + sizes(e.Attributes)
	}
	for _, l := range s.Links() {
		n += attributeBytes + sizes(l.Attributes)
	}
	return n
}

func sizes(list []attribute.KeyValue) int {
	n := 0
	for _, kv := range list {
		n += attributeBytes + len(kv.Key)
		switch kv.Value.Type() {
		case attribute.BOOL, attribute.INT64, attribute.FLOAT64:
		case attribute.STRING:
			n += len(kv.Value.AsString())
		case attribute.STRINGSLICE:
			for _, text := range kv.Value.AsStringSlice() {
				n += textBytes + len(text)
			}
		default:
			n += len(kv.Value.String())
		}
	}
	return n
}
