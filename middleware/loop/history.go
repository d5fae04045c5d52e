// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"math"
	"sync"
)

// longest is the length of the longest cycle that is looked for.
const longest = 8

// A history is what is remembered of an agent's last calls.
type history struct {
	mu      sync.Mutex
	window  uint64  // a power of two
	entries []entry // a ring once it is full
	made    uint64  // how many calls there have been; the next one's number
	ran     uint64  // the number of the last call that was not stopped, plus 1
	// period[p] is how many calls in a row were the same as the one p calls before.
	period [longest + 1]uint32
}

// An entry is one call. Counts include the call itself.
type entry struct {
	call, tool uint64 // fingerprints
	came       uint64 // fingerprint of what came of it; 0 while nobody knows
	times      uint16 // how often it was made
	repeat     uint16 // how often it was made without anything new coming of it
	errors     uint16 // how often in a row the tool failed this way; 0 for a success
	same       uint16 // how many different calls in a row the tool answered like this
	stopped    bool
}

// A visit is one call on its way through the policy.
type visit struct {
	number       uint64
	times        uint16 // as in entry
	repeat       uint16
	errors, same uint16 // of the tool's calls before this one, with what came of the last
	cycle        int    // how often the cycle was gone through; 0 for none
	length       int    // of the cycle
	before       uint64 // the number of the same call before this one, plus 1; 0 for none
	tried        bool   // the same call was stopped, and others ran since: it may be tried again
	toolTried    bool   // the tool's last call was stopped: it may be tried again
}

// repeats is the count of the repeat that the call is; 0 if it is one of a cycle, which
// its calls begin up to once more often than it was gone through.
func (v *visit) repeats() int {
	if n := int(v.repeat); v.cycle == 0 || n > v.cycle+1 {
		return n
	}
	return 0
}

func (h *history) slot(number uint64) *entry { return &h.entries[number&(h.window-1)] }

// at is the entry of a number; nil if it is no longer remembered.
func (h *history) at(number uint64) *entry {
	if number >= h.made || h.made-number > uint64(len(h.entries)) {
		return nil
	}
	return h.slot(number)
}

// begin adds a call and tells what it is like.
func (h *history) begin(call, tool uint64) visit {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := visit{number: h.made, times: 1, repeat: 1}
	h.periods(&v, call)
	found := false // the tool's last call
	for n := h.made; n > 0 && h.made-n < uint64(len(h.entries)); n-- {
		e := h.slot(n - 1)
		if !found && e.tool == tool {
			if e.stopped {
				v.toolTried = true
			} else if e.came != 0 {
				found, v.errors, v.same = true, e.errors, e.same
			}
		}
		if e.call == call {
			v.before, v.times, v.repeat = n, count(e.times), count(e.repeat)
			v.tried = e.stopped && h.ran > n
			break
		}
	}
	e := entry{call: call, tool: tool, times: v.times, repeat: v.repeat}
	if uint64(len(h.entries)) < h.window {
		h.entries = append(h.entries, e)
	} else {
		*h.slot(h.made) = e
	}
	h.made++
	return v
}

// periods compares a new call with the ones before it.
func (h *history) periods(v *visit, call uint64) {
	for p := range h.period {
		if p == 0 || uint64(p) > h.made || h.slot(h.made-uint64(p)).call != call {
			h.period[p] = 0
			continue
		}
		h.period[p]++
	}
	h.cycles(v)
}

// cycles sets the cycle that the last call is part of: the one gone through most
// often, of several the shortest.
func (h *history) cycles(v *visit) {
	v.cycle, v.length = 0, 0
	for p := 2; p <= longest; p++ {
		alike := h.period[1] >= uint32(p)-1 // p times the same call is a repeat
		if n := 1 + int(h.period[p])/p; !alike && n > max(1, v.cycle) {
			v.cycle, v.length = n, p
		}
	}
}

// stop says that the call was refused for the loop it is part of. What came of the
// same call before stays what is known.
func (h *history) stop(v visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.at(v.number)
	if e == nil {
		return
	}
	e.stopped = true
	if v.before > 0 {
		if b := h.at(v.before - 1); b != nil {
			e.came = b.came
		}
	}
}

// end says what came of the call (0: nobody knows) and brings the visit's counts up
// to date. progress is whether the same answer to another call means no progress.
func (h *history) end(v *visit, came uint64, failed, progress bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran = max(h.ran, v.number+1)
	last := h.lastOf(v)
	v.errors, v.same = 0, 0
	if e := h.at(v.number); e != nil && came != 0 {
		e.came = came
		h.compare(v, e)
		alike := last != nil && last.came == came
		switch {
		case failed && alike:
			e.errors = count(last.errors)
		case failed:
			e.errors = 1
		case progress && alike && last.call == e.call:
			e.same = max(1, last.same)
		case progress && alike:
			e.same = count(max(1, last.same))
		case progress:
			e.same = 1
		}
		v.repeat, v.errors, v.same = e.repeat, e.errors, e.same
	}
}

// compare looks whether anything new came of a call that was made before.
func (h *history) compare(v *visit, e *entry) {
	if v.before > 0 && v.before != v.number { // not right before this one
		if b := h.at(v.before - 1); b != nil && b.came != 0 && b.came != e.came {
			e.repeat = 1
		}
	}
	broken := false
	for p := uint64(2); p <= longest && p <= v.number; p++ {
		b := h.at(v.number - p)
		if b == nil || b.call != e.call || b.came == 0 || b.came == e.came {
			continue
		}
		since := h.made - 1 - v.number // calls after this one
		h.period[p] = uint32(min(uint64(h.period[p]), since))
		broken = broken || p == uint64(v.length)
	}
	if broken {
		v.cycle, v.length = 0, 0
		if h.made-1 == v.number {
			h.cycles(v)
		}
	}
}

// lastOf is the tool's last call that ran before the visit's and of which it is
// known what came.
func (h *history) lastOf(v *visit) *entry {
	own := h.at(v.number)
	if own == nil {
		return nil
	}
	for n := v.number; n > 0; n-- {
		e := h.at(n - 1)
		if e == nil || e.tool == own.tool && e.came != 0 && !e.stopped {
			return e
		}
	}
	return nil
}

// count is one more, as far as it can be told.
func count(n uint16) uint16 { return uint16(min(uint32(n)+1, math.MaxUint16)) }
