// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statsprom

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/toolscope/toolscope/stats"
)

// health is a collector of what components report.
type health struct {
	mu      sync.Mutex
	sources []stats.HealthSource // replaced, never changed
}

func (h *health) addSource(source stats.HealthSource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources = append(slices.Clip(h.sources), source)
}

var (
	componentFigure   = desc("component", "A figure that a component reports, as /healthz does.", "component", "figure")
	componentProblems = desc("component_problems", "Problems that a component has now.", "component")
)

// Describe sends the descriptions.
func (h *health) Describe(ch chan<- *prometheus.Desc) {
	ch <- componentFigure
	ch <- componentProblems
}

// Collect sends the metrics. Of components of the same name the first counts, and of figures of the same name in one.
func (h *health) Collect(ch chan<- prometheus.Metric) {
	s := &sink{ch, time.Time{}}
	seen := make(map[string]bool)
	h.mu.Lock()
	sources := h.sources
	h.mu.Unlock()
	for _, source := range sources {
		for _, c := range source.Components() {
			if seen[c.Name] {
				continue
			}
			seen[c.Name] = true
			s.gauge(componentProblems, float64(len(c.Problems)), label(c.Name))
			figures := make(map[string]bool)
			for _, f := range c.Figures {
				if figures[f.Name] {
					continue
				}
				figures[f.Name] = true
				s.gauge(componentFigure, f.Value, label(c.Name), f.Name)
			}
		}
	}
}
