// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/hex"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/internal/errorgroups"
)

// An Origin is another process, whose calls a recorder counts as well. It is safe for concurrent use.
//
// Calls count as if they had ended when they arrived, whatever the clock of the other process says.
// Single calls, sessions and loops of the other process are not known.
type Origin struct {
	recorder *Recorder

	mu      sync.Mutex
	tools   []byte            // of appendTools: what was counted last
	errors  map[string]uint64 // the error groups counted last, by id
	running map[*tool]int64   // calls counted as running
}

// NewOrigin returns an origin of which nothing was counted yet.
func (r *Recorder) NewOrigin() *Origin { return &Origin{recorder: r} }

// Count counts what s has more than the snapshot that was counted last. Each snapshot is one of the same
// process since the same beginning, as [Recorder.Snapshot] of the zero [Window] returns it: so one that
// is lost, or counted twice, changes nothing. Nil is ignored. Texts and names pass the recorder's redactor, and
// its bounds hold.
func (o *Origin) Count(s *Snapshot) {
	if s == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	earlier := Snapshot{}
	d := decoder{rest: o.tools}
	if o.tools != nil {
		earlier.Tools = d.tools()
	}
	var more []ToolSnapshot
	running := make(map[string]int64)
	for _, t := range s.Tools {
		running[t.Tool] = max(t.InFlight, 0)
		if old := earlier.Tool(t.Tool); old != nil {
			t = t.sub(old)
		}
		t.InFlight, t.Streak = 0, 0
		if !t.idle() {
			t.Exemplars = slices.Clone(t.Exemplars)
			more = append(more, t)
		}
	}
	var groups []errorgroups.Group
	errors := make(map[string]uint64, len(s.Errors))
	for i := range s.Errors {
		g := &s.Errors[i]
		errors[g.ID] = g.Count
		if n := g.Count - min(g.Count, o.errors[g.ID]); n > 0 {
			groups = append(groups, o.recorder.groupOf(g, n))
		}
	}
	o.recorder.addSnapshot(more, groups)
	o.tools, o.errors = appendTools(nil, s.Tools), errors
	o.setRunning(running)
}

// Close says that the process ended: none of its calls is running any more. What was counted stays.
func (o *Origin) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.setRunning(nil)
}

// setRunning makes the calls that run those of the other process.
func (o *Origin) setRunning(byName map[string]int64) {
	r := o.recorder
	running := make(map[*tool]int64, len(byName))
	for name, n := range byName {
		if n > 0 {
			running[r.tools.named(r.tools.names.shownAs(name))] += n
		}
	}
	for t, n := range o.running {
		t.inFlight.Add(-n)
	}
	for t, n := range running {
		t.raisePeak(t.inFlight.Add(n))
	}
	o.running = running
}

// groupOf is the group of a snapshot, counted n times.
func (r *Recorder) groupOf(g *ErrorGroup, n uint64) errorgroups.Group {
	ahead, now := r.clock.Ahead(), r.clock.Read()
	out := errorgroups.Group{
		Tool: r.tools.names.shownAs(g.Tool), Kind: r.config.types.Export(g.Type), Open: n,
		Message: r.config.redact(g.Message, errorgroups.MaxText), Example: r.config.redact(g.Example, errorgroups.MaxText),
		First: min(g.FirstSeen.UnixNano()+ahead, now), Last: min(g.LastSeen.UnixNano()+ahead, now),
	}
	out.ID = errorgroups.ID(out.Tool, out.Kind, out.Message)
	for i, id := range g.TraceIDs[:min(len(g.TraceIDs), len(out.Traces))] {
		raw, _ := hex.DecodeString(id)
		copy(out.Traces[i][:], raw)
	}
	return out
}

// addSnapshot counts what another recorder counted in the open interval.
func (r *Recorder) addSnapshot(tools []ToolSnapshot, groups []errorgroups.Group) {
	r.sealing.Lock()
	defer r.sealing.Unlock()
	now := r.clock.Read()
	if now >= r.due.Load() {
		r.seal(now)
	}
	moveTools(tools, r.clock.Ahead())
	limitTimes(tools, now)
	for i := range tools {
		t := &tools[i]
		t.Tool = r.tools.named(r.tools.names.shownAs(t.Tool)).name
		t.ErrorTypes = r.exported(t.ErrorTypes)
		t.Policies = slices.Clone(t.Policies)
		for p := range t.Policies {
			tag := &t.Policies[p].PolicyTag
			n := r.policies.number(PolicyTag{r.config.keys.Export(tag.Key), r.config.redact(tag.Value, maxPolicyText)})
			*tag = r.policies.load().tag(n)
		}
		t.Policies = sumPolicies(t.Policies)
	}
	r.added = mergeTools([][]ToolSnapshot{r.added, tools}, false)
	for i := range groups {
		r.errors.Add(&groups[i])
	}
	r.arm(now, true)
}

// exported are types as this process exports them, which bounds how many there are.
func (r *Recorder) exported(types []TypeCount) []TypeCount {
	sums := make(map[string]uint64, len(types))
	for _, t := range types {
		sums[r.config.types.Export(t.Type)] += t.Count
	}
	return sortedTypes(sums)
}
