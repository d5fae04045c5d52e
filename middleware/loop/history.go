// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"math"
	"slices"
	"sync"
)

// tools is of how many tools, those called last, it is remembered what came of
// their calls.
const tools = 16

// longest is the length of the longest cycle that is looked for.
const longest = 8

// A history is what is remembered of an agent's last calls.
type history struct {
	mu     sync.Mutex
	window uint64   // a power of two
	prints []uint64 // the calls' fingerprints, a ring once it is full
	made   []entry  // what came of them, by the same positions
	calls  uint64   // how many there have been; the next one's number
	ran    uint64   // the number of the last call that was not stopped, plus 1
	// period[p] is how many calls in a row were the same as the one p calls before.
	period  [longest + 1]uint32
	streaks []streak // by tool, the one called last first
	replica *replica // nil: the history is not shared
}

// reset forgets all calls.
func (h *history) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prints, h.made, h.streaks = h.prints[:0], h.made[:0], h.streaks[:0]
	h.calls, h.ran, h.period = 0, 0, [longest + 1]uint32{}
}

// An entry is one call. Counts include the call itself.
type entry struct {
	came    uint64 // fingerprint of what came of it; 0 while no caller knows
	times   uint16 // how often it was made
	repeat  uint16 // how often it was made without anything new coming of it
	stopped bool
}

// A streak is what came of a tool's last calls, in the order in which they ended.
type streak struct {
	tool, call, came uint64 // fingerprints of the last
	errors           uint16 // how often in a row it failed this way; 0 for a success
	same             uint16 // how many different calls in a row it answered like this
	stopped          bool   // a call was refused since
}

// A visit is one call on its way through the policy.
type visit struct {
	number         uint64
	call, tool     uint64 // fingerprints
	times, repeat  uint16 // as in entry
	errors, same   uint16 // as in streak: of the calls before this one, until it ends
	cycle, length  int    // how often the cycle was gone through and its length; 0 for none
	before         uint64 // the number of the same call before this one, plus 1; 0 for none
	triedAfterStop bool
	toolStopped    bool
}

// repeats is the count of the repeat that the call is; 0 if it is one of a cycle, which
// its calls begin up to once more often than it was gone through.
func (v *visit) repeats() int {
	if n := int(v.repeat); v.cycle == 0 || n > v.cycle+1 {
		return n
	}
	return 0
}

// at is the position of a number; false if it is no longer remembered.
func (h *history) at(number uint64) (position int, ok bool) {
	return int(number & (h.window - 1)), number < h.calls && h.calls-number <= uint64(len(h.prints))
}

// begin adds a call and tells what it is like.
func (h *history) begin(call, tool uint64) visit {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := visit{number: h.calls, call: call, tool: tool, times: 1, repeat: 1}
	h.periods(&v)
	if n, ok := h.find(call); ok {
		e := &h.made[n&(h.window-1)]
		v.before, v.times, v.repeat = n+1, count(e.times), count(e.repeat)
		v.triedAfterStop = e.stopped && h.ran > n+1
	}
	s := h.streak(tool)
	v.errors, v.same, v.toolStopped = s.errors, s.same, s.stopped
	e := entry{times: v.times, repeat: v.repeat}
	if uint64(len(h.prints)) < h.window {
		h.prints, h.made = append(h.prints, call), append(h.made, e)
	} else {
		n, _ := h.at(h.calls)
		h.prints[n], h.made[n] = call, e
	}
	h.calls++
	return v
}

// find is the number of the last call of that fingerprint.
func (h *history) find(call uint64) (number uint64, ok bool) {
	next := int(h.calls & (h.window - 1)) // where a full ring has the oldest, which makes room
	if i := last(h.prints[:next], call); i >= 0 {
		return h.calls - uint64(next-i), true
	}
	if next < len(h.prints) {
		if i := last(h.prints[next+1:], call); i >= 0 {
			return h.calls - h.window + 1 + uint64(i), true
		}
	}
	return 0, false
}

// last is the last position of print; -1 if there is none.
func last(prints []uint64, print uint64) int {
	for i := len(prints) - 1; i >= 0; i-- {
		if prints[i] == print {
			return i
		}
	}
	return -1
}

// streak is the tool's, moved to the front, made if there is none.
func (h *history) streak(tool uint64) *streak {
	for i := range h.streaks {
		if h.streaks[i].tool == tool {
			s := h.streaks[i]
			copy(h.streaks[1:], h.streaks[:i])
			h.streaks[0] = s
			return &h.streaks[0]
		}
	}
	if len(h.streaks) == tools {
		h.streaks = h.streaks[:tools-1]
	}
	h.streaks = slices.Insert(h.streaks, 0, streak{tool: tool})
	return &h.streaks[0]
}

// periods compares a new call with the ones before it.
func (h *history) periods(v *visit) {
	for p := uint64(1); p <= longest; p++ {
		if p > h.calls || h.prints[(h.calls-p)&(h.window-1)] != v.call {
			h.period[p] = 0
		} else {
			h.period[p]++
		}
	}
	h.cycles(v)
}

// cycles sets the cycle that the last call is part of: the one gone through most
// often, of several the shortest.
func (h *history) cycles(v *visit) {
	v.cycle, v.length = 0, 0
	for p := 2; p <= longest; p++ {
		run := int(h.period[p])
		if run < p || int(h.period[1]) >= p-1 { // not yet; p times the same call is a repeat
			continue
		}
		if n := 1 + run/p; n > v.cycle {
			v.cycle, v.length = n, p
		}
	}
}

// stop says that the call was refused for the loop it is part of. What came of the
// same call before stays what is known.
func (h *history) stop(v visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streak(v.tool).stopped = true
	n, ok := h.at(v.number)
	if !ok {
		return
	}
	h.made[n].stopped = true
	if b, ok := h.at(v.before - 1); ok && v.before > 0 {
		h.made[n].came = h.made[b].came
	}
}

// end says what came of the call and brings the visit's counts up to date; 0 is nothing:
// then the call is part of no loop. progress is whether the same answer to another call means no progress.
func (h *history) end(v *visit, came uint64, failed, progress bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran = max(h.ran, v.number+1)
	v.errors, v.same = 0, 0
	n, ok := h.at(v.number)
	if came == 0 {
		if ok {
			h.made[n].repeat-- // to be made up for by the next one
		}
		for p := range h.period {
			h.broken(v, p)
		}
		v.repeat, v.cycle = 0, 0
		return
	}
	if ok {
		h.made[n].came = came
		h.compare(v, &h.made[n])
		v.repeat = h.made[n].repeat
	}
	s := h.streak(v.tool)
	alike := s.came == came
	switch {
	case failed && alike:
		v.errors = count(s.errors)
	case failed:
		v.errors = 1
	case progress && alike && s.call == v.call:
		v.same = max(1, s.same)
	case progress && alike:
		v.same = count(s.same)
	case progress:
		v.same = 1
	}
	*s = streak{tool: v.tool, call: v.call, came: came, errors: v.errors, same: v.same}
}

// compare looks whether anything new came of a call that was made before.
func (h *history) compare(v *visit, e *entry) {
	if v.before > 0 && v.before != v.number { // not right before this one
		if b, ok := h.at(v.before - 1); ok && h.made[b].came != 0 && h.made[b].came != e.came {
			e.repeat = 1
		}
	}
	broken := false
	for p := uint64(2); p <= longest && p <= v.number; p++ {
		b, ok := h.at(v.number - p)
		if !ok || h.prints[b] != v.call || h.made[b].came == 0 || h.made[b].came == e.came {
			continue
		}
		h.broken(v, int(p))
		broken = broken || p == uint64(v.length)
	}
	if broken {
		v.cycle, v.length = 0, 0
		if h.calls-1 == v.number {
			h.cycles(v)
		}
	}
}

// broken says that the visit is not like the call p before it: only calls after it
// can be part of such a cycle.
func (h *history) broken(v *visit, p int) {
	h.period[p] = uint32(min(uint64(h.period[p]), h.calls-1-v.number))
}

// count is n+1, or the largest uint16.
func count(n uint16) uint16 { return uint16(min(uint32(n)+1, math.MaxUint16)) }
