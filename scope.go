// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// A Scope watches and governs the calls of the registries it wraps. Make one with
// [New]; it is safe for concurrent use. A nil *Scope watches nothing: it hands
// back what it is given.
type Scope struct {
	options   *Options          // with their defaults
	tracer    *tracing.Observer // nil without spans and metrics
	recorder  *stats.Recorder   // nil without statistics
	observers []toolkit.Observer
	self      self
	pages     pages

	applying sync.Mutex
	rules    atomic.Pointer[rules]
	wrapped  map[string]wrapped // by name, guarded by applying

	closing  sync.Once
	closeErr error
}

// Stats is the scope's recorder; nil for a scope without statistics.
func (s *Scope) Stats() *stats.Recorder {
	if s == nil {
		return nil
	}
	return s.recorder
}

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
