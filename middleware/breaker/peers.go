// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
)

// Peers lets processes tell each other which circuits have opened. [NewPeers] makes one of this process. Package
// breakertest has the tests that any must pass. Safe for concurrent use. It bounds its waits, and returns when the
// context ends.
type Peers interface {
	// Tell keeps an opening for a time.
	Tell(ctx context.Context, o Opening, openFor time.Duration) error
	// Openings are those that are kept, of all processes. It may forget the oldest of many.
	Openings(ctx context.Context) ([]Opening, error)
}

// An Opening is a circuit that has opened.
type Opening struct {
	Circuit string // its key
	ID      string // of the opening
}

// lookEvery is how often a process asks for the openings of others, while it has calls.
const lookEvery = time.Second

// maxOpenings is how many a process tells or remembers.
const maxOpenings = 1000

// peers is what a policy knows of other processes.
type peers struct {
	health shared.Health
	looked atomic.Int64 // when it was asked, nanoseconds since the policy began
	mu     sync.Mutex
	known  map[string]bool // openings by ID: the policy's own, and those that it has taken in
}

// lookAtPeers asks for the openings of other processes, if it is time. The call does not wait.
func (p *Policy) lookAtPeers() {
	now, looked := int64(p.now())+1, p.peers.looked.Load()
	if looked > 0 && now-looked < int64(lookEvery) || !p.peers.looked.CompareAndSwap(looked, now) {
		return
	}
	go p.takeInOpenings()
}

func (p *Policy) takeInOpenings() {
	openings, err := p.options.Peers.Openings(context.Background())
	if err != nil {
		p.peers.health.Failed(err)
		return
	}
	p.peers.health.Answered()
	p.peers.mu.Lock()
	known := make(map[string]bool, len(openings))
	var fresh []Opening
	for _, o := range openings {
		if !p.peers.known[o.ID] {
			fresh = append(fresh, o)
		}
		known[o.ID] = true
	}
	p.peers.known = known
	p.peers.mu.Unlock()
	for _, o := range fresh {
		now := p.now()
		if c := p.table.make(o.Circuit, now); c != nil {
			if change := c.distrust(now); change.from != change.to {
				p.callOnChange(c, change, "")
			}
		}
	}
}

// distrust makes a closed circuit one that lets a few calls try.
func (c *circuit) distrust(now time.Duration) step {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Closed {
		return step{}
	}
	c.failure = string(toolkit.ErrCircuitOpen)
	return c.become(HalfOpen, c.advance(now))
}

// tellPeers tells other processes that a circuit has opened. The call does not wait.
func (p *Policy) tellPeers(key string) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	o := Opening{Circuit: key, ID: hex.EncodeToString(b[:])}
	p.peers.mu.Lock()
	if p.peers.known == nil || len(p.peers.known) >= maxOpenings {
		p.peers.known = map[string]bool{}
	}
	p.peers.known[o.ID] = true
	p.peers.mu.Unlock()
	go func() {
		if err := p.options.Peers.Tell(context.Background(), o, p.options.OpenFor); err != nil {
			p.peers.health.Failed(err)
		}
	}()
}

// peerStore keeps openings of one process.
type peerStore struct {
	mu       sync.Mutex
	openings []storedOpening
}

type storedOpening struct {
	Opening
	until time.Time
}

// NewPeers makes peers of policies of this process.
func NewPeers() Peers { return new(peerStore) }

// Tell is that of [Peers].
func (s *peerStore) Tell(ctx context.Context, o Opening, openFor time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openings = append(s.openings, storedOpening{o, time.Now().Add(openFor)})
	if n := len(s.openings) - maxOpenings; n > 0 {
		s.openings = s.openings[n:]
	}
	return nil
}

// Openings is that of [Peers].
func (s *peerStore) Openings(ctx context.Context) (list []Opening, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, o := range s.openings {
		if now.Before(o.until) {
			list = append(list, o.Opening)
		}
	}
	return list, nil
}
