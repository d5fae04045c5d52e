// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attr is an attribute's value; "" if it is not there.
func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// each visits the elements below n, in order.
func each(n *html.Node, visit func(*html.Node)) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			visit(d)
		}
	}
}

// first is the first element of a kind below n; nil if there is none.
func first(n *html.Node, a atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == a {
			return d
		}
	}
	return nil
}

// title is the page's title on one line.
func title(doc *html.Node) string {
	if n := first(doc, atom.Title); n != nil {
		return oneLine(n, 300)
	}
	return ""
}

// oneLine is the text below n with each run of blanks as one, cut to about limit
// bytes: nested elements would be repeated again and again.
func oneLine(n *html.Node, limit int) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type != html.TextNode || hidden(d.Parent) {
			continue
		}
		for word := range strings.FieldsSeq(d.Data) {
			if b.Len() > limit {
				return clip(b.String(), limit)
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	return clip(b.String(), limit)
}

// clip cuts s to at most limit bytes on a rune's boundary, and says so with an ellipsis.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:boundary(s, limit-len("…"))] + "…"
}

// boundary is the last beginning of a rune at or before i.
func boundary(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return max(0, min(i, len(s)))
}

// hidden reports whether an element's text is not for readers.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Select, atom.Textarea:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
	}
	return false
}

// baseOf is what the page's links are relative to.
func baseOf(doc *html.Node, page *url.URL) *url.URL {
	if n := first(doc, atom.Base); n != nil {
		if u, err := page.Parse(strings.TrimSpace(attr(n, "href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			return u
		}
	}
	return page
}

// link makes a link absolute; "" if it leads to no page.
func link(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
