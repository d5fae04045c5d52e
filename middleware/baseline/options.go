// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"fmt"
	"slices"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
)

// A Signal is a way in which a call is unusual. The tag that records it is "baseline." and its text.
type Signal string

// The signals. All but Size are known before the tool runs.
const (
	FirstUse Signal = "first_use" // a tool that the agent has not used
	Volume   Signal = "volume"    // many more calls in a window than ever, of the tool or of the agent
	Hour     Signal = "hour"      // an hour of the day (UTC) at which the agent has not been active
	Target   Signal = "target"    // a host, a directory or the like that the agent has not used with the tool
	Size     Signal = "size"      // a result much larger than any of the tool before
)

// askable are the signals that can lead to a question.
var askable = []Signal{FirstUse, Volume, Hour, Target}

// Options configure the policy. The zero value records signals, asks nothing, and forgets at the end of the process.
type Options struct {
	// Ask are the signals that ask a person: FirstUse, Volume, Hour or Target. A call that is refused is not learned.
	Ask []Signal `yaml:"ask" doc:"Signals that ask a person: first_use, volume, hour, target; default none."`
	// Approver says that an Approve policy is in use. Ask needs it: nothing else asks.
	Approver bool `yaml:"-"`
	// File is where what was learned is kept; "" forgets it at the end of the process. Only one process may use it.
	File string `yaml:"file" doc:"Keeps what was learned, for this process alone; default: forgotten at its end."`
	// Warmup is how many calls of an agent are learned before its calls are judged, and twice as many as of a tool
	// before its results and targets are; 0 is 200.
	Warmup int `yaml:"warmup" doc:"Calls of an agent before it is judged, half as many of a tool; default 200."`
	// Factor is how many times more than the most before is unusual, for Volume and Size; 0 is 3. It is above 1.
	Factor float64 `yaml:"factor" doc:"How many times the most before is unusual; default 3."`
	// Window is the time in which calls are counted for Volume; 0 is 10 minutes.
	Window time.Duration `yaml:"window" doc:"Time in which calls are counted; default 10m."`
	// Agents is how many agents are remembered, at most 1000, the longest unused being removed first; 0 is 100.
	Agents int `yaml:"agents" doc:"Agents remembered, at most 1000; default 100."`
	// Targets are the arguments whose whole values are the targets of a tool, by its name. Of other tools, targets
	// are what the form of a value shows: the host of a URL, the directory of a path, the domain of an e-mail address.
	Targets map[string][]string `yaml:"targets" doc:"Arguments that are targets, by tool; default: URLs, paths, e-mails."`
}

// New makes the policy, and reads File. The error names the option that is wrong.
func New(o Options) (middleware.Policy, error) {
	c := &check.Options{Package: "baseline"}
	for i, s := range o.Ask {
		c.If(!slices.Contains(askable, s), fmt.Sprintf("Ask[%d]", i), fmt.Sprintf("%.40q", string(s)),
			"first_use, volume, hour or target")
	}
	c.If(len(o.Ask) > 0 && !o.Approver, "Ask", fmt.Sprintf("%d signals without a policy that asks", len(o.Ask)),
		"the policy approve as well (in Go: Approver)")
	check.Default(c, "Warmup", &o.Warmup, 200)
	check.Default(c, "Window", &o.Window, 10*time.Minute)
	c.If(o.Window < time.Second, "Window", o.Window, "1s or more, or 0 for 10m")
	check.Default(c, "Agents", &o.Agents, 100)
	c.If(o.Agents > maxAgents, "Agents", o.Agents, "at most 1000")
	if o.Factor == 0 {
		o.Factor = 3
	}
	c.If(!(o.Factor > 1 && o.Factor <= 1000), "Factor", o.Factor, "a number above 1, at most 1000, or 0 for 3")
	for tool, names := range o.Targets {
		c.If(tool == "" || len(names) == 0 || slices.Contains(names, ""), "Targets",
			fmt.Sprintf("%.40q with the arguments %.80q", tool, names), "names of arguments by the name of a tool")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	p := &policy{options: o}
	var err error
	if p.model, err = load(o.File, o.Agents); err != nil {
		return nil, fmt.Errorf("baseline: Options.File: %w", err)
	}
	return p, nil
}
