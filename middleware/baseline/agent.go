// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of what is kept: of one agent at most 64 · 128 targets, about 200 kB.
const (
	maxAgents  = 1000
	maxTools   = 64  // of an agent
	maxTargets = 128 // of a tool
)

// An agent is what is known of an agent, or of the sessions of a tenant without one.
type agent struct {
	mu sync.Mutex

	ID     uint64      `json:"id"`
	Used   int64       `json:"used"` // when it was used last, in seconds since 1970
	Hours  hours       `json:"hours"`
	Volume volume      `json:"volume"`
	Tools  known[tool] `json:"tools"`
}

// A tool is what is known of a tool of an agent.
type tool struct {
	Volume  volume          `json:"volume"`
	Size    peak            `json:"size"` // bytes of results
	Targets known[struct{}] `json:"targets"`
}

// A visit is one call on its way through the policy.
type visit struct {
	agent   *agent
	tool    uint64
	targets []target
	day     int64
	hour    int
	found   []finding
	rose    bool // the volume is unusual
	grew    bool // that of the tool is
}

// A finding is a signal with its tag, and the reason for a person.
type finding struct {
	signal Signal
	tag    toolkit.Tag
	reason string
}

func (v *visit) addFinding(s Signal, tag toolkit.Tag, format string, args ...any) {
	v.found = append(v.found, finding{s, tag, fmt.Sprintf(format, args...)})
}

// arrive counts a call, and adds what is unusual about it.
func (a *agent) arrive(v *visit, o *Options, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Used = now.Unix()
	a.Hours.advance(v.day)
	window := now.UnixNano() / int64(o.Window)
	most, rose := a.Volume.arrive(window, o.Factor)
	if v.rose = rose; rose {
		v.addFinding(Volume, toolkit.Tag{Key: "baseline.volume", Value: times(a.Volume.Count, most)},
			"%d calls of this agent in %v, at most %d before", a.Volume.Count, o.Window, most)
	}
	if a.Tools.Seen >= uint64(o.Warmup) && a.Hours.unusual(v.hour) {
		v.addFinding(Hour, toolkit.Tag{Key: "baseline.hour", Value: "true"},
			"this agent was never active around %02d:00 UTC in the last 32 days", v.hour)
	}
	t := a.Tools.find(v.tool)
	if t == nil {
		if a.Tools.unusual(o.Warmup) {
			v.addFinding(FirstUse, toolkit.Tag{Key: "baseline.first_use", Value: "true"},
				"this agent has not used the tool before, in %d calls", a.Tools.Seen)
		}
		return
	}
	if most, v.grew = t.Volume.arrive(window, o.Factor); v.grew && !rose {
		v.addFinding(Volume, toolkit.Tag{Key: "baseline.volume", Value: times(t.Volume.Count, most)},
			"%d calls of this tool in %v, at most %d before", t.Volume.Count, o.Window, most)
	}
	if !t.Targets.unusual(o.Warmup / 2) {
		return
	}
	var fresh []string
	for _, target := range v.targets {
		if t.Targets.find(target.id) == nil {
			fresh = append(fresh, target.text)
		}
	}
	if len(fresh) > 0 {
		v.addFinding(Target, toolkit.Tag{Key: "baseline.target", Value: "true"},
			"this agent has not used the tool with %s", display.Clip(strings.Join(fresh, ", "), 200))
	}
}

// learn makes what a call did usual. With a size it judges the result: it returns how many times the largest result
// before it has; "" if that is usual.
func (a *agent) learn(v *visit, o *Options, size int, sized bool) (times string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Hours.learn(v.day, v.hour)
	if v.rose {
		a.Volume.allow()
	}
	t := a.Tools.learn(v.tool, maxTools)
	if v.grew {
		t.Volume.allow()
	}
	for _, target := range v.targets {
		t.Targets.learn(target.id, maxTargets)
	}
	if !sized {
		return ""
	}
	return t.result(uint64(size), o)
}

// result learns the size of a result.
func (t *tool) result(size uint64, o *Options) (many string) {
	limit, most := t.Size.limit(o.Factor, minSize), max(t.Size.Now, t.Size.Before)
	if t.Size.Seen >= uint64(o.Warmup/2) && size > limit {
		many = times(size, most)
	}
	t.Size.learn(size, limit, sizeEpoch)
	return many
}

// times is how many times the most before a value is: the power of two that is reached, at most 1024, so that there are
// few different texts.
func times(value, most uint64) string {
	n := 1
	for n < 1024 && value/2/max(most, 1) >= uint64(n) {
		n *= 2
	}
	return fmt.Sprintf("%dx", n)
}
