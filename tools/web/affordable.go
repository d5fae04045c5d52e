// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// parserDepth is how many elements may be open when the parser gives up.
	parserDepth = 512
	// parserSteps is how many open elements the parser may look at: at each tag it may
	// look at all that are open, which takes about 50 ns each.
	parserSteps = 16e6
)

// affordable is how many bytes of HTML the parser can read in reasonable time: all
// of a page that is not made to be slow.
func affordable(text string) int {
	z := html.NewTokenizer(strings.NewReader(text))
	read, depth, steps := 0, 0, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return len(text)
		}
		size := len(z.Raw())
		if kind == html.StartTagToken || kind == html.EndTagToken {
			name, _ := z.TagName()
			switch {
			case !staysOpen(atom.Lookup(name)):
			case kind == html.StartTagToken:
				depth = min(depth+1, parserDepth)
			default:
				depth = max(depth-1, 0)
			}
		}
		if steps += depth + 1; steps > parserSteps {
			return read
		}
		read += size
	}
}

// staysOpen reports whether an element is open until it is closed: not those that have no
// end, nor those whose end is often left out.
func staysOpen(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Source, atom.Track, atom.Wbr,
		atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Thead, atom.Tbody, atom.Tfoot, atom.Option,
		atom.Html, atom.Head, atom.Body:
		return false
	}
	return true
}
