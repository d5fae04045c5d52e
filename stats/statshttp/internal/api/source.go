// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// A Site is what a page shows in addition to the data of a source.
type Site struct {
	Title   string `json:"title"`           // name of the program
	Links   []Link `json:"links,omitempty"` // links to pages of the application
	Metrics bool   `json:"metrics"`         // whether /metrics serves metrics
	// whether /api/v1/workflows serves workflows
	Workflows bool  `json:"workflows,omitempty"`
	Refresh   int64 `json:"refresh_ms"` // how often a live page asks for what is new, in milliseconds
}

// A Link leads to a page of the application.
type Link struct {
	Name string `json:"name"` // text of the link
	Href string `json:"href"` // address, relative to the page's
}

// A Source is what answers are made of.
type Source struct {
	Site
	Recorder *stats.Recorder
	Running  *stats.Running // nil if running calls are not served
	// Workflows knows the program's; nil if it has none.
	Workflows stats.WorkflowSource
	Traces    stats.TraceSource    // nil if there are no spans
	Health    []stats.HealthSource // in addition to the recorder
	// TraceTemplate is the address of a trace, with [TraceMark] in place of its id; "" for no links.
	TraceTemplate string
}

// TraceMark stands for the trace id in a template of addresses.
const TraceMark = "{trace_id}"

// A Request is a request for a resource.
type Request struct {
	*http.Request
	*query.Query
	Now time.Time
}

// TraceURL is the link to a trace; "" if there are no links or the id is "".
func (s *Source) TraceURL(id string) string {
	if s.TraceTemplate == "" || id == "" {
		return ""
	}
	return strings.ReplaceAll(s.TraceTemplate, TraceMark, url.PathEscape(id))
}

// maxComponents is how many components of a source are shown.
const maxComponents = 64

// Components are those of all sources, the recorder first.
func (s *Source) Components() []stats.Component {
	all := s.Recorder.Components()
	for _, h := range s.Health {
		all = append(all, componentsOf(h)...)
	}
	return all
}

// componentsOf asks a source. A source that panics is reported as a component with a problem.
func componentsOf(s stats.HealthSource) (components []stats.Component) {
	defer func() {
		if recover() != nil {
			problem := "it panicked when it was asked how it is"
			components = []stats.Component{{Name: fmt.Sprintf("%T", s), Problems: []string{problem}}}
		}
	}()
	components = s.Components()
	return slices.Clip(components[:min(len(components), maxComponents)])
}

// Head is the first n of a list. It is never nil, so that its JSON is [] and not null.
func Head[T any](list []T, n int) []T {
	if list == nil {
		return []T{}
	}
	return list[:min(len(list), n)]
}
