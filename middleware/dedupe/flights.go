// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"context"
	"sync"
	"time"
)

// Flights lets processes run identical calls once. [NewFlights] makes one of this process. Package dedupetest has the
// tests that any must pass. Safe for concurrent use. It bounds its waits, and returns when the context ends.
//
// It also counts writes, so that an answer is not given after one: each counter is 0 at first, of 64 bits that wrap
// round, and not forgotten before the answers that were stored until then.
type Flights interface {
	// Join returns the answer stored under the key, unless anew is set; else it gives the lease to token for a time,
	// if no other has it. Who gets it leads: what was stored is removed.
	Join(ctx context.Context, key FlightKey, token string, lease time.Duration, anew bool) (Joined, error)
	// Renew extends the lease that token has; false if it has none.
	Renew(ctx context.Context, key FlightKey, token string, lease time.Duration) (bool, error)
	// Finish ends the lease that token has, and stores the answer, if there is one, for about keep; false if it has
	// none: then nothing is stored.
	Finish(ctx context.Context, key FlightKey, token string, answer []byte, keep time.Duration) (bool, error)
	// AddWrites adds n to each of the counters.
	AddWrites(ctx context.Context, counters []string, n uint64) error
}

// A FlightKey says which calls are identical.
type FlightKey struct {
	Name     string   // a digest
	Counters []string // of the writes that make an answer stale; different from each other
}

// Joined is what a call joined.
type Joined struct {
	Leads  bool   // it has the lease
	Fence  uint64 // then: higher than that of any lease of the key before
	Answer []byte // what is stored; nil for nothing
	Stamp  uint64 // sum of the key's counters, not older than the answer and the lease
}

// Fence returns the number of the lease under which a tool runs, for tools that let a resource refuse a lower number
// than the highest that it has seen; false if the run is not shared with other processes. A lease saves work. It does
// not make a write exclusive: a process that was stopped for longer than its lease goes on.
func Fence(ctx context.Context) (uint64, bool) {
	n, ok := ctx.Value(fenceKey{}).(uint64)
	return n, ok
}

type fenceKey struct{}

// flightStore is the flights of one process.
type flightStore struct {
	mu       sync.Mutex
	flights  map[string]*flightState
	counters map[string]uint64
	fence    uint64
	sweepAt  int
}

type flightState struct {
	token       string
	leaseUntil  time.Time
	answer      []byte
	answerUntil time.Time
}

// NewFlights makes flights that policies of this process share.
func NewFlights() Flights {
	return &flightStore{flights: map[string]*flightState{}, counters: map[string]uint64{}, sweepAt: 1024}
}

// state is the key's, without what is over. The caller holds the lock.
func (s *flightStore) state(key FlightKey, now time.Time) *flightState {
	if len(s.flights) >= s.sweepAt {
		for name, f := range s.flights {
			if now.After(f.leaseUntil) && now.After(f.answerUntil) {
				delete(s.flights, name)
			}
		}
		s.sweepAt = max(1024, 2*len(s.flights))
	}
	f := s.flights[key.Name]
	if f == nil {
		f = new(flightState)
		s.flights[key.Name] = f
	}
	if !now.Before(f.leaseUntil) {
		f.token = ""
	}
	if !now.Before(f.answerUntil) {
		f.answer = nil
	}
	return f
}

// Join is that of [Flights].
func (s *flightStore) Join(ctx context.Context, key FlightKey, token string, lease time.Duration, anew bool) (Joined, error) {
	if err := ctx.Err(); err != nil {
		return Joined{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	f := s.state(key, now)
	var j Joined
	for _, c := range key.Counters {
		j.Stamp += s.counters[c]
	}
	switch {
	case f.answer != nil && !anew:
		j.Answer = f.answer
	case f.token == "":
		s.fence++
		f.token, f.leaseUntil, f.answer = token, now.Add(lease), nil
		j.Leads, j.Fence = true, s.fence
	}
	return j, nil
}

// Renew is that of [Flights].
func (s *flightStore) Renew(ctx context.Context, key FlightKey, token string, lease time.Duration) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	f := s.state(key, now)
	if f.token != token {
		return false, nil
	}
	f.leaseUntil = now.Add(lease)
	return true, nil
}

// Finish is that of [Flights].
func (s *flightStore) Finish(ctx context.Context, key FlightKey, token string, answer []byte, keep time.Duration) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	f := s.state(key, now)
	if f.token != token {
		return false, nil
	}
	f.token, f.leaseUntil = "", time.Time{}
	if len(answer) > 0 {
		f.answer, f.answerUntil = answer, now.Add(keep)
	}
	return true, nil
}

// AddWrites is that of [Flights].
func (s *flightStore) AddWrites(ctx context.Context, counters []string, n uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range counters {
		s.counters[c] += n
	}
	return nil
}
