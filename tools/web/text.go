// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText is what a reader of the page sees, roughly line by line.
func plainText(doc *html.Node) string {
	var w textWriter
	from := doc
	if body := first(doc, atom.Body); body != nil {
		from = body
	}
	w.node(from, false)
	return strings.TrimSpace(w.b.String())
}

// textWriter writes text with runs of blanks as one, and never more than one
// empty line.
type textWriter struct {
	b     strings.Builder
	lines int  // line ends to write before the next word
	blank bool // a blank to write before the next word
}

func (w *textWriter) node(n *html.Node, pre bool) {
	switch n.Type {
	case html.TextNode:
		if pre {
			w.exact(n.Data)
		} else {
			w.words(n.Data)
		}
		return
	case html.ElementNode:
		if hidden(n) || n.DataAtom == atom.Head {
			return
		}
	}
	gap := lineGap(n.DataAtom)
	w.newLine(gap)
	switch n.DataAtom {
	case atom.Br:
		w.lines++
	case atom.Li:
		w.words("- ")
	case atom.Td, atom.Th:
		if n.PrevSibling != nil {
			w.words(" | ")
		}
	case atom.Img:
		w.words(attr(n, "alt"))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, pre || n.DataAtom == atom.Pre)
	}
	w.newLine(gap)
}

// lineGap is how many line ends stand around an element.
func lineGap(a atom.Atom) int {
	switch a {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Table, atom.Pre,
		atom.Blockquote, atom.Article, atom.Section, atom.Dl, atom.Figure:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Aside, atom.Dt, atom.Dd,
		atom.Form, atom.Hr, atom.Address, atom.Figcaption, atom.Caption, atom.Details, atom.Summary, atom.Option:
		return 1
	}
	return 0
}

func (w *textWriter) newLine(n int) {
	if w.lines < n {
		w.lines = n
	}
}

// flush writes what stands before the next word.
func (w *textWriter) flush() {
	if w.b.Len() > 0 {
		if w.lines > 0 {
			w.b.WriteString("\n\n"[:min(w.lines, 2)])
		} else if w.blank {
			w.b.WriteByte(' ')
		}
	}
	w.lines, w.blank = 0, false
}

func (w *textWriter) words(s string) {
	for s != "" {
		word := strings.TrimLeft(s, " \t\r\n\f")
		w.blank = w.blank || len(word) < len(s)
		if word == "" {
			return
		}
		end := strings.IndexAny(word, " \t\r\n\f")
		if end < 0 {
			end = len(word)
		}
		w.flush()
		w.b.WriteString(word[:end])
		s = word[end:]
	}
}

func (w *textWriter) exact(s string) {
	if s != "" {
		w.flush()
		w.b.WriteString(s)
	}
}
