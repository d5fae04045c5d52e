// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

// figures are what a policy did so far and has in hand now.
type figures struct {
	// running and waiting are calls that hold a slot, and that wait for one or for a
	// rate limit. running is 0 without a limit on concurrency.
	running, waiting int
	// abandoned is how many of those running are tools that a time limit abandoned: their calls have
	// ended, and their slots are given back when they end.
	abandoned int
	// forgotten is how many keys' rates were forgotten, being idle or too many.
	forgotten uint64
}

// Figures reports the figures of now, and how many calls had no key where a limit per key was set.
func (p *policy) Figures(report func(name string, value float64)) {
	var f figures
	if p.slots != nil {
		p.slots.figures(&f)
	}
	if p.rates != nil {
		p.rates.figures(&f)
	}
	report("running", float64(f.running))
	report("waiting", float64(f.waiting))
	report("abandoned", float64(f.abandoned))
	report("forgotten", float64(f.forgotten))
	report("unkeyed", float64(p.unkeyed.Load()))
	if p.rates != nil && p.rates.options.Store != nil {
		p.rates.health.Figures(report)
	}
}

// Problems are what the health report says while a shared store does not answer.
func (p *policy) Problems() []string {
	if p.rates == nil {
		return nil
	}
	return p.rates.health.Problems(p.rates.options.Store)
}
