// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package timeout

import "github.com/toolscope/toolscope/middleware"

// Policy is the type of the policies that [New] makes.
type Policy = policy

// Abandoned is how many calls were abandoned and have not ended yet.
func (p *policy) Abandoned() int { return int(reported(p)["abandoned"]) }

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}
