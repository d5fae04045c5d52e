// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"sync"
	"time"
)

const (
	// alpha is the weight of the latest call in the moving average of latencies.
	alpha = 0.1
	// slots and slotTime are how recent calls are counted, five minutes of them.
	slots    = 10
	slotTime = 30 * time.Second
	// tolerance is how far below the best a success rate may be and still count as equal.
	tolerance = 0.05
)

// verdict is what a request's ending says of the server.
type verdict uint8

const (
	well   verdict = iota // it answered
	sick                  // it failed
	unsaid                // it says nothing of the server
)

// A meter counts one server's calls. The zero value works.
type meter struct {
	mu            sync.Mutex
	calls, errors uint64
	inFlight      int
	latency       time.Duration // moving average; 0 before the first call
	last          time.Time     // when a call ended
	recent        [slots]struct {
		slot          int64
		calls, errors uint64
	}
}

func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight++
}

// end takes in a call that began at start. What is no failure of the server says nothing of the
// latency, either.
func (m *meter) end(start, now time.Time, v verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	m.calls++
	slot := now.UnixNano() / int64(slotTime)
	r := &m.recent[slot%slots]
	if r.slot != slot {
		r.slot, r.calls, r.errors = slot, 0, 0
	}
	r.calls++
	if v == sick {
		m.errors++
		r.errors++
	}
	if v == unsaid {
		return
	}
	took := max(0, now.Sub(start))
	if m.latency == 0 {
		m.latency = took
	} else {
		m.latency += time.Duration(alpha * float64(took-m.latency))
	}
	m.last = now
}

// standing is the success rate and the latency of the last five minutes; 1 and 0 without
// calls.
func (m *meter) standing(now time.Time) (rate float64, latency time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot := now.UnixNano() / int64(slotTime)
	var calls, errors uint64
	for i := range m.recent {
		if r := &m.recent[i]; r.slot > slot-slots && r.slot <= slot {
			calls, errors = calls+r.calls, errors+r.errors
		}
	}
	if calls == 0 {
		return 1, 0
	}
	if now.Sub(m.last) < slots*slotTime {
		latency = m.latency
	}
	return 1 - float64(errors)/float64(calls), latency
}

func (m *meter) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inFlight > 0
}
