// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
)

// pages is what HTTPHandler makes when it is called first. [New] checks the options of the pages
// and makes none, and reaches no code that does: the linker then leaves them, the templates and
// plots out of programs that do not call HTTPHandler.
type pages struct {
	metrics http.Handler // what Options.HTTP.Metrics made, nil without
	once    sync.Once
	handler http.Handler
}

// checkHTTP reports what is wrong with the options of the pages, and prepares for them.
func (s *Scope) checkHTTP() (err error) {
	o := s.options.HTTP
	if err := o.Validate(); err != nil {
		return err
	}
	if s.recorder != nil { // before the first call, which may be long before the first reader
		s.recorder.KeepExamplesIn(o.Traces)
	}
	if o.Metrics == nil {
		return nil
	}
	if s.pages.metrics, err = o.Metrics(s.recorder); err != nil {
		return fmt.Errorf("toolscope: Options.HTTP.Metrics: %w", err)
	}
	return nil
}

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
