// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sessions keeps what policies remember of each session, tenant or key, so
// that neither a million of them nor a forgotten one makes it grow.
package sessions

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// shards is how many locks a table has: a power of two.
const shards = 16

// A Table keeps one value for each key: at most a number of them, the longest
// unused leaving first, and none that was unused for longer than a time. Make one with
// [New]. Safe for concurrent use; the values are the user's to guard.
type Table[K comparable, V any] struct {
	make   func() V
	idle   time.Duration
	max    int // of each shard
	seed   maphash.Seed
	left   atomic.Uint64
	shards [shards]shard[K, V]
}

// shard is a part of the table: a map, and a ring of its entries, the longest
// unused first after root.
type shard[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*entry[K, V]
	root    entry[K, V]
}

type entry[K comparable, V any] struct {
	key        K
	value      V
	used       time.Time
	prev, next *entry[K, V]
}

// New makes a table of at most about max keys (0 or less: 10,000), rounded up to a
// multiple of 16, that forgets what was unused for longer than idle (0 or less:
// 1 hour). makeValue makes a key's value when it is first asked for; it runs under a
// lock and must only build.
func New[K comparable, V any](max int, idle time.Duration, makeValue func() V) *Table[K, V] {
	if max <= 0 {
		max = 10_000
	}
	if idle <= 0 {
		idle = time.Hour
	}
	t := &Table[K, V]{make: makeValue, idle: idle, max: (max + shards - 1) / shards, seed: maphash.MakeSeed()}
	for i := range t.shards {
		s := &t.shards[i]
		s.entries = map[K]*entry[K, V]{}
		s.root.prev, s.root.next = &s.root, &s.root
	}
	return t
}

func (t *Table[K, V]) shard(key K) *shard[K, V] {
	return &t.shards[maphash.Comparable(t.seed, key)%shards]
}

// Get returns the key's value, made if there is none, and counts as a use at now,
// which may jump: a time before the last use is taken as that.
func (t *Table[K, V]) Get(key K, now time.Time) V {
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for oldest := s.root.next; oldest != &s.root && now.Sub(oldest.used) > t.idle; oldest = s.root.next {
		t.forget(s, oldest)
	}
	e := s.entries[key]
	if e == nil {
		if len(s.entries) >= t.max {
			t.forget(s, s.root.next)
		}
		e = &entry[K, V]{key: key, value: t.make(), used: now}
		s.entries[key] = e
	} else {
		e.prev.next, e.next.prev = e.next, e.prev
	}
	e.prev, e.next = s.root.prev, &s.root
	e.prev.next, e.next.prev = e, e
	if now.After(e.used) {
		e.used = now
	}
	return e.value
}

func (t *Table[K, V]) forget(s *shard[K, V], e *entry[K, V]) {
	delete(s.entries, e.key)
	e.prev.next, e.next.prev = e.next, e.prev
	t.left.Add(1)
}

// Inherit takes over the values of a table that t takes the place of, the longest unused leaving
// first where there are too many; both have them from then on. It calls each with every one, and
// must be called before t is in use.
func (t *Table[K, V]) Inherit(old *Table[K, V], each func(V)) {
	var all []entry[K, V]
	for i := range old.shards {
		s := &old.shards[i]
		s.mu.Lock()
		for e := s.root.next; e != &s.root; e = e.next {
			all = append(all, entry[K, V]{key: e.key, value: e.value, used: e.used})
		}
		s.mu.Unlock()
	}
	slices.SortStableFunc(all, func(a, b entry[K, V]) int { return a.used.Compare(b.used) })
	for i := range all {
		e := &all[i]
		each(e.value)
		s := t.shard(e.key)
		s.mu.Lock()
		if len(s.entries) >= t.max {
			t.forget(s, s.root.next)
		}
		s.entries[e.key] = e
		e.prev, e.next = s.root.prev, &s.root
		e.prev.next, e.next.prev = e, e
		s.mu.Unlock()
	}
}

// Drop forgets a key.
func (t *Table[K, V]) Drop(key K) {
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; e != nil {
		t.forget(s, e)
	}
}

// Len is how many keys there are, those included that are idle for too long and
// that no caller has noticed yet.
func (t *Table[K, V]) Len() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.entries)
		s.mu.Unlock()
	}
	return n
}

// Forgotten is how many keys have left so far, for whatever reason.
func (t *Table[K, V]) Forgotten() uint64 { return t.left.Load() }
