// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"sync"

	"github.com/toolscope/toolscope/internal/mix"
	"github.com/toolscope/toolscope/middleware/internal/shared"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// fleet is what a policy has for histories that processes share.
type fleet struct {
	store  Histories // nil: histories are the process's
	key    HistoryKey
	health shared.Health
}

// A replica is the history of an agent as this process knows it: each process that adds an event plays all events that
// it has not seen, in their one order, so that all come to the same history. While the store does not answer, it goes on
// with its own events.
type replica struct {
	mu     sync.Mutex
	after  uint64 // number of the last event played
	visits map[visitID]visit
}

type visitID [8]byte

// What an event says.
const (
	eventBegin = 'b'
	eventStop  = 's'
	eventEnd   = 'e'
)

// event is one of a call: its fingerprints at its begin, and what came of it at its end.
type event struct {
	kind         byte
	flags        byte // of an end: 1 failed, 2 progress
	visit        visitID
	first, other uint64
}

const eventSize = 2 + 8 + 8 + 8

func (e event) encode() []byte {
	b := append(make([]byte, 0, eventSize), e.kind, e.flags)
	b = append(b, e.visit[:]...)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, e.first), e.other)
}

func decodeEvent(b []byte) (e event, ok bool) {
	if len(b) != eventSize {
		return e, false
	}
	e.kind, e.flags = b[0], b[1]
	copy(e.visit[:], b[2:])
	e.first, e.other = binary.BigEndian.Uint64(b[10:]), binary.BigEndian.Uint64(b[18:])
	return e, true
}

// play does to the history what an event says; the replica's lock is held.
func (r *replica) play(h *history, e event) {
	v, known := r.visits[e.visit]
	switch {
	case e.kind == eventBegin && !known:
		if len(r.visits) > 2*int(h.window) {
			for id, old := range r.visits {
				if old.number+h.window < h.calls {
					delete(r.visits, id)
				}
			}
		}
		r.visits[e.visit] = h.begin(e.first, e.other)
	case e.kind == eventStop && known:
		h.stop(v)
		delete(r.visits, e.visit)
	case e.kind == eventEnd && known:
		h.end(&v, e.first, e.flags&1 != 0, e.flags&2 != 0)
		r.visits[e.visit] = v
	}
}

// key is different for each agent.
func (a agent) key() string {
	return strconv.Quote(a.tenant) + strconv.Quote(a.session) + strconv.Quote(a.name)
}

// A passage is a call on its way, whose events go to the store.
type passage struct {
	policy *policy
	call   toolkit.Call
	who    agent
	h      *history
	id     visitID
	local  bool // the store did not answer: the call's further events stay here
}

// addEvent adds an event and returns the visit as it is then.
func (s *passage) addEvent(ctx context.Context, e event) visit {
	r, f := s.h.replica, &s.policy.fleet
	e.visit = s.id
	if !s.local {
		key := f.key
		key.Agent = s.who.key()
		r.mu.Lock()
		after := r.after
		r.mu.Unlock()
		news, err := f.store.Add(ctx, key, e.encode(), after)
		switch {
		case err == nil:
			f.health.Answered()
			r.mu.Lock()
			defer r.mu.Unlock()
			r.catchUp(s.h, news, after)
			return r.visits[s.id]
		case ctx.Err() == nil:
			f.health.Failed(err)
			s.call.Record.Tag("loop.store", "away")
		}
		s.local = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.play(s.h, e)
	return r.visits[s.id]
}

// catchUp plays the events that are new since it was asked for those after a number; the lock is held.
func (r *replica) catchUp(h *history, news Events, asked uint64) {
	first := news.Last - uint64(len(news.List)) + 1
	if first > r.after+1 || news.Last <= asked {
		h.reset() // some are not kept any more, or the store began again
		clear(r.visits)
		r.after = first - 1
	}
	for i, text := range news.List {
		if number := first + uint64(i); number > r.after {
			r.after = number
			if e, ok := decodeEvent(text); ok {
				r.play(h, e)
			}
		}
	}
}

// forget forgets the visit, which is over.
func (s *passage) forget() {
	r := s.h.replica
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.visits, s.id)
}

// passage is that of a call, nil if its history is the process's.
func (p *policy) passage(call toolkit.Call, who agent, h *history) *passage {
	if p.fleet.store == nil {
		return nil
	}
	s := &passage{policy: p, call: call, who: who, h: h}
	_, _ = rand.Read(s.id[:]) // never fails
	return s
}

// beginAt adds a call to the history, which s is for if it is shared.
func (h *history) beginAt(ctx context.Context, s *passage, call, tool uint64) visit {
	if s == nil {
		return h.begin(call, tool)
	}
	return s.addEvent(ctx, event{kind: eventBegin, first: call, other: tool})
}

// stopAt says that the call was refused.
func (h *history) stopAt(ctx context.Context, s *passage, v visit) {
	if s == nil {
		h.stop(v)
		return
	}
	s.addEvent(context.WithoutCancel(ctx), event{kind: eventStop})
	s.forget()
}

// endAt says what came of the call, and brings the visit up to date.
func (h *history) endAt(ctx context.Context, s *passage, v *visit, came uint64, failed, progress bool) {
	if s == nil {
		h.end(v, came, failed, progress)
		return
	}
	e := event{kind: eventEnd, first: came}
	if failed {
		e.flags |= 1
	}
	if progress {
		e.flags |= 2
	}
	*v = s.addEvent(context.WithoutCancel(ctx), e)
	s.forget()
}

// Problems are what the health report says while the histories that processes share do not answer.
func (p *policy) Problems() []string { return p.fleet.health.Problems(p.fleet.store) }

// Figures reports how often they did not answer.
func (p *policy) Figures(report func(name string, value float64)) {
	if p.fleet.store != nil {
		p.fleet.health.Figures(report)
	}
}

// sum is the fingerprint of a text: of shared histories the same in all processes.
func (p *policy) sum(text string) uint64 {
	if p.fleet.store == nil {
		return maphash.String(p.seed, text)
	}
	digest := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(digest[:])
}

func (p *policy) sumBytes(b []byte) uint64 {
	if p.fleet.store == nil {
		return maphash.Bytes(p.seed, b)
	}
	digest := sha256.Sum256(b)
	return binary.BigEndian.Uint64(digest[:])
}

// identitySum is the fingerprint of arguments that have an identity.
func (p *policy) identitySum(a *identity.Arguments) uint64 {
	if p.fleet.store == nil {
		return a.Hash()
	}
	return p.sumBytes(a.AppendCanonical(nil))
}

// mix is a fingerprint of two, in this order: of shared histories the same in all processes.
func (p *policy) mix(a, b uint64) uint64 {
	if p.fleet.store == nil {
		return mix.Hashes(a, b)
	}
	return p.sumBytes(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, a), b))
}
