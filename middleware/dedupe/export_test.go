// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import "github.com/toolscope/toolscope/middleware"

// Policy is the type of the policies that [New] makes.
type Policy = policy

// Stats are the figures of a policy.
type Stats struct {
	Led, Coalesced, Repeated, Left, Unscoped, NoIdentity uint64
}

// Stats returns the figures of now.
func (d *policy) Stats() Stats {
	v := reported(d)
	return Stats{uint64(v["led"]), uint64(v["coalesced"]), uint64(v["repeated"]), uint64(v["left"]),
		uint64(v["unscoped"]), uint64(v["no_identity"])}
}

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}

// Answers is how many finished calls are remembered.
func (d *policy) Answers() int { return int(reported(d)["answers"]) }

// Collide makes every key have one hash.
func Collide(p *policy) { p.collide = true }
