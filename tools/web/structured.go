// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxMeta     = 100      // meta elements that are returned
	maxJSONLD   = 64 << 10 // bytes of one JSON-LD script
	maxLinks    = 500
	maxLinkText = 200
)

// foundLink is one link of a page.
type foundLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// links lists the links of a page, absolute, each once. partial says that there
// are more than are listed.
func links(doc *html.Node, at *url.URL) (found []foundLink, partial bool) {
	from, seen := baseOf(doc, at), make(map[string]bool)
	each(doc, func(n *html.Node) {
		if n.DataAtom != atom.A && n.DataAtom != atom.Area {
			return
		}
		to := link(from, attr(n, "href"))
		switch {
		case to == "" || seen[to]:
		case len(found) == maxLinks:
			partial = true
		default:
			seen[to] = true
			text := oneLine(n, maxLinkText)
			for _, name := range []string{"aria-label", "title", "alt"} {
				if text == "" {
					text = attr(n, name)
				}
			}
			found = append(found, foundLink{clip(text, maxLinkText), to})
		}
	})
	return found, partial
}

// foundData is what a page says of itself for programs.
type foundData struct {
	Title     string            `json:"title,omitempty"`
	Language  string            `json:"language,omitempty"`
	Canonical string            `json:"canonical,omitempty"`
	OpenGraph map[string]string `json:"open_graph,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"`
	JSONLD    []json.RawMessage `json:"json_ld,omitempty"`
	Feeds     []foundLink       `json:"feeds,omitempty"`
}

// structured reads JSON-LD, OpenGraph and other meta elements. Scripts that are
// not valid JSON, or too large, are left out.
func structured(doc *html.Node, at *url.URL) foundData {
	d := foundData{Title: title(doc), OpenGraph: map[string]string{}, Meta: map[string]string{}}
	from := baseOf(doc, at)
	each(doc, func(n *html.Node) {
		switch n.DataAtom {
		case atom.Html:
			d.Language = clip(attr(n, "lang"), 40)
		case atom.Link:
			d.link(n, from)
		case atom.Meta:
			d.meta(n)
		case atom.Script:
			if media, _, _ := strings.Cut(attr(n, "type"), ";"); strings.EqualFold(strings.TrimSpace(media),
				"application/ld+json") && n.FirstChild != nil && len(d.JSONLD) < maxMeta {
				text := strings.TrimSpace(n.FirstChild.Data)
				if len(text) <= maxJSONLD && json.Valid([]byte(text)) {
					d.JSONLD = append(d.JSONLD, json.RawMessage(text))
				}
			}
		}
	})
	return d
}

func (d *foundData) link(n *html.Node, from *url.URL) {
	to := link(from, attr(n, "href"))
	if to == "" {
		return
	}
	for _, rel := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
		switch {
		case rel == "canonical" && d.Canonical == "":
			d.Canonical = to
		case rel == "alternate" && len(d.Feeds) < maxMeta &&
			(strings.HasSuffix(attr(n, "type"), "rss+xml") || strings.HasSuffix(attr(n, "type"), "atom+xml")):
			d.Feeds = append(d.Feeds, foundLink{clip(attr(n, "title"), maxLinkText), to})
		}
	}
}

// meta notes a meta element; of several with one name the first counts.
func (d *foundData) meta(n *html.Node) {
	content := clip(strings.Join(strings.Fields(attr(n, "content")), " "), 1000)
	if content == "" || len(d.OpenGraph)+len(d.Meta) >= maxMeta {
		return
	}
	into, name := d.Meta, strings.ToLower(attr(n, "name"))
	if property := strings.ToLower(attr(n, "property")); property != "" {
		name = property
		if rest, ok := strings.CutPrefix(property, "og:"); ok {
			into, name = d.OpenGraph, rest
		}
	}
	if name = clip(name, 100); name != "" && into[name] == "" {
		into[name] = content
	}
}
