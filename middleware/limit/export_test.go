// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import "github.com/toolscope/toolscope/middleware"

// Policy is the type of the policies that [New] makes.
type Policy = policy

// Stats are the figures of a policy.
type Stats struct {
	Running, Waiting, Abandoned int
	Unkeyed, Forgotten          uint64
}

// Stats returns the figures of now.
func (p *policy) Stats() Stats {
	v := reported(p)
	return Stats{int(v["running"]), int(v["waiting"]), int(v["abandoned"]), uint64(v["unkeyed"]), uint64(v["forgotten"])}
}

// reported is what a policy reports.
func reported(p middleware.Reporter) map[string]float64 {
	values := map[string]float64{}
	p.Figures(func(name string, value float64) { values[name] = value })
	return values
}

// Gates is how many gates of keys and of tools a policy keeps.
func Gates(p *policy) (keys, tools int) {
	p.slots.mu.Lock()
	defer p.slots.mu.Unlock()
	return len(p.slots.keys.all), len(p.slots.tools.all)
}
