// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/url"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// href is the page's address with parameters changed: pairs of name and value, an empty value removing the parameter.
// The place in the list of calls is not kept.
func (p *page) href(change ...string) string {
	q := make(url.Values)
	for name, v := range p.Values {
		if v[0] != "" && name != "before" && name != "after" {
			q.Set(name, v[0])
		}
	}
	for i := 0; i+1 < len(change); i += 2 {
		if change[i+1] == "" {
			q.Del(change[i])
		} else {
			q.Set(change[i], change[i+1])
		}
	}
	return "?" + q.Encode()
}

// only are the parameters of the names, where they are given.
func (p *page) only(names []string) url.Values {
	q := make(url.Values)
	for _, name := range names {
		if v := p.Text(name); v != "" {
			q.Set(name, v)
		}
	}
	return q
}

func (p *page) windows() (links []Link) {
	for _, name := range stats.WindowNames() {
		current := name == p.Window.String()
		links = append(links, Link{Name: name, Href: p.href("window", name, "since", "", "until", ""), Current: current})
	}
	return links
}

func (p *page) sorts() map[string]Link {
	sorts := make(map[string]Link)
	for _, name := range query.Orders() {
		sorts[name] = Link{Name: name, Href: p.href("sort", name), Current: name == p.Sort}
	}
	return sorts
}

// apiLinks are the resources that hold what the page shows.
func (p *page) apiLinks() (links []Link) {
	window := "?" + p.only(query.WindowNames).Encode()
	for _, l := range [][2]string{
		{"summary", window}, {"tools", window}, {"errors", window}, {"calls"}, {"sessions"}, {"loops"}, {"snapshot", window},
	} {
		links = append(links, Link{Name: l[0], Href: "api/v1/" + l[0] + l[1]})
	}
	return append(links, Link{Name: "OpenAPI", Href: "openapi.json"})
}
