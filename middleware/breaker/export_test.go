// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import "github.com/toolscope/toolscope/middleware"

// Stats are the figures of a policy.
type Stats struct {
	Without, Panics uint64
}

// Stats returns the figures of now.
func (p *Policy) Stats() Stats {
	v := reported(p)
	return Stats{uint64(v["without"]), uint64(v["panics"])}
}

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}
