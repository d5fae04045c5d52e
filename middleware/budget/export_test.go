// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

import "github.com/toolscope/toolscope/middleware"

// Policy is the type of the policies that [New] makes.
type Policy = policy

// Stats are the figures of a policy.
type Stats struct {
	Accounts  int
	Forgotten uint64
}

// Stats returns the figures of now.
func (p *policy) Stats() Stats {
	v := reported(p)
	return Stats{int(v["accounts"]), uint64(v["forgotten"])}
}

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}
