// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"net/http"
	"slices"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
)

// HTTPHandler serves the statistics and the dashboard; it can be mounted under
// any prefix with [http.StripPrefix]. It answers requests that arrive on a
// loopback address only, unless [Options].HTTP says otherwise. Every call returns
// the same handler, which a program that does not call it does not link.
func (s *Scope) HTTPHandler() http.Handler {
	if s == nil {
		return http.HandlerFunc(noStats)
	}
	s.pages.once.Do(func() { s.pages.handler = s.makePages() })
	return s.pages.handler
}

func (s *Scope) makePages() http.Handler {
	var handler http.Handler = http.HandlerFunc(noStats)
	if s.recorder != nil {
		o := s.options.HTTP
		o.Health = append(slices.Clip(o.Health), &s.self, inForce{s})
		if s.options.ApprovalsToken != "" {
			o.Links = append(slices.Clip(o.Links), statshttp.Link{Name: "approvals", Href: "approvals"})
		}
		if metrics := s.pages.metrics; metrics != nil {
			o.Metrics = func(*stats.Recorder) (http.Handler, error) { return metrics, nil }
		}
		made, err := statshttp.NewHandler(s.recorder, o)
		if err != nil { // New checked the options
			made = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			})
		}
		handler = made
	}
	if s.options.ApprovalsToken != "" {
		handler = &approvals{scope: s, token: s.options.ApprovalsToken, rest: handler}
	}
	return handler
}

// noStats answers for a scope without statistics.
func noStats(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "this scope keeps no statistics: it was made with toolscope.Options.NoStats", http.StatusNotFound)
}
