// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What the libraries for Markdown and articles are given at most. Some of their work grows with
// the square of a page, and they cannot be stopped.
const (
	tameBytes    = 1 << 20 // of HTML
	tameElements = 20_000
	tameDepth    = 100
	tameTables   = 3  // tables within tables
	tameSpan     = 10 // columns or rows that one cell spans
)

// tame makes a page harmless for those libraries: what is beyond the limits is cut off,
// and partial says so.
func tame(doc *html.Node) (partial bool) {
	t := tamer{}
	t.children(doc, 0, 0)
	return t.partial
}

type tamer struct {
	elements int
	partial  bool
}

func (t *tamer) children(n *html.Node, depth, tables int) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		if c.Type != html.ElementNode {
			continue
		}
		t.elements++
		if t.elements > tameElements || depth >= tameDepth {
			t.partial = true
			n.RemoveChild(c)
			continue
		}
		inner := tables
		switch c.DataAtom {
		case atom.Table:
			if inner++; inner > tameTables {
				t.partial = true
				n.RemoveChild(c)
				continue
			}
		case atom.Td, atom.Th:
			narrow(c)
		}
		t.children(c, depth+1, inner)
	}
}

// narrow limits what a cell spans.
func narrow(cell *html.Node) {
	for i, a := range cell.Attr {
		if a.Key != "colspan" && a.Key != "rowspan" {
			continue
		}
		if v, err := strconv.Atoi(a.Val); err != nil || v < 1 || v > tameSpan {
			cell.Attr[i].Val = strconv.Itoa(max(1, min(v, tameSpan)))
		}
	}
}
