// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// memory is the store of one process: it keeps answers as they are, up to a number of
// bytes, and drops those that are least worth keeping (otter's W-TinyLFU). It needs no
// closing.
type memory struct {
	entries  *otter.Cache[uint64, *stored]
	counters *reuse.Counters
	collide  bool // every key has one hash: for tests
}

// stored is an entry with what its key is compared by.
type stored struct {
	owner     middleware.Owner
	tool      string
	arguments *identity.Arguments // kept
	entry     Entry
}

func (s *stored) answers(key *Key) bool {
	return s.tool == key.Tool && s.owner == key.Owner && s.arguments.Equal(key.Arguments)
}

var _ Store = (*memory)(nil)

// NewMemory makes a store for this process, which several caches can share. It keeps answers as they are,
// drops those that are least worth keeping, and needs no closing. It takes at most about maxBytes, results,
// arguments and overhead counted; 0 is 64 MiB, below 0 is an error.
func NewMemory(maxBytes int) (Store, error) {
	m, err := newMemory(maxBytes)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newMemory(maxBytes int) (*memory, error) {
	if maxBytes < 0 {
		return nil, fmt.Errorf("cache: NewMemory: maxBytes: got %d, want 0 or more", maxBytes)
	}
	entries, err := otter.New(&otter.Options[uint64, *stored]{
		MaximumWeight: uint64(cmp.Or(maxBytes, defaultMaxBytes)),
		Weigher:       func(_ uint64, s *stored) uint32 { return s.weight() },
		Executor:      func(task func()) { task() }, // no goroutine is abandoned; no task of toolscope's calls back
	})
	if err != nil {
		return nil, fmt.Errorf("cache: NewMemory: %w", err)
	}
	return &memory{entries: entries, counters: new(reuse.Counters)}, nil
}

// weight is how many bytes an entry takes, about.
func (s *stored) weight() uint32 {
	n := 300 + s.entry.Result.Size() + s.arguments.Size() + 200*len(s.entry.Result.Parts)
	return uint32(min(n, math.MaxUint32))
}

// Get returns the entry of the key and the sum of its counters. It never waits.
func (m *memory) Get(_ context.Context, key Key) (*Entry, uint64, error) {
	_, entry, stamp := m.get(&key)
	return entry, stamp, nil
}

// get also returns the key's hash, for set.
func (m *memory) get(key *Key) (hash uint64, entry *Entry, stamp uint64) {
	owner := reuse.OwnerHash(key.Owner)
	reach := owner
	if key.Reach != key.Owner {
		reach = reuse.OwnerHash(key.Reach)
	}
	hash = m.hash(key, owner)
	if s, ok := m.entries.GetIfPresent(hash); ok && s.answers(key) {
		entry = &s.entry
	}
	return hash, entry, m.counters.Stamp(reach, key.Resources)
}

func (m *memory) hash(key *Key, ownerHash uint64) uint64 {
	if m.collide {
		return 0
	}
	return (*reuse.Key)(key).Hash(ownerHash)
}

// Set stores an entry, in the place of another whose hash is the same. How long it is
// good for is the entry's to say: what is no more is dropped when it is found, or when its room is needed.
func (m *memory) Set(_ context.Context, key Key, entry *Entry, _ time.Duration) error {
	m.set(m.hash(&key, reuse.OwnerHash(key.Owner)), &key, *entry)
	return nil
}

func (m *memory) set(hash uint64, key *Key, entry Entry) {
	m.entries.Set(hash, &stored{key.Owner, key.Tool, key.Arguments.Keep(), entry})
}

// Add adds n to the write's counters.
func (m *memory) Add(_ context.Context, write Write, n uint64) error {
	m.counters.Add(reuse.OwnerHash(write.Owner), write.Resources, n)
	return nil
}
