// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// A Store keeps answers, and counts writes so that a stale one is noticed. [NewMemory] makes one;
// one outside the process is shared by several. Package cachetest has the tests that
// any must pass. A Store must be safe for concurrent use and should heed its contexts.
//
// The counts: each resource of each owner has a counter, 0 at first, of 64 bits that
// wrap round. A write adds to its counters before it begins and when it has ended; an entry
// remembers the sum of its own as they were before the tool read. A counter must not be
// forgotten before the entries stored until then are.
type Store interface {
	// Get returns the entry stored under key, nil if there is none, and the sum of
	// the key's counters, which must not be older than the entry. No caller
	// changes the entry.
	Get(ctx context.Context, key Key) (entry *Entry, stamp uint64, err error)
	// Set stores an entry for no longer than keep. The entry and the key's arguments
	// are the store's from then on, to read; it may refuse or drop them at any time.
	Set(ctx context.Context, key Key, entry *Entry, keep time.Duration) error
	// Add adds n to each counter of the write. One that fails must have added nothing: an
	// Add that takes effect after its time looks like a write that never ends, and
	// nothing of the owner's is given until the counter is forgotten.
	Add(ctx context.Context, write Write, n uint64) error
}

// A Key says which call an entry answers: compare with [Key.Equal]. Its arguments are
// the call's, and last as long as the call unless they were kept.
type Key struct {
	Owner     middleware.Owner // who may be given the entry
	Reach     middleware.Owner // whose writes make it stale, besides everybody's: the zero Owner
	Tool      string
	Arguments *identity.Arguments
	Resources []string // what the tool reads; none is anything
}

// Hash is the same for equal keys, in this process. It finds candidates: Equal decides.
func (k Key) Hash() uint64 {
	return (*reuse.Key)(&k).Hash(reuse.OwnerHash(k.Owner))
}

// Equal reports whether two calls have the same answer.
func (k Key) Equal(o Key) bool { return (*reuse.Key)(&k).Equal((*reuse.Key)(&o)) }

// String is a digest of the key in 64 hexadecimal characters, the same in any process: the name of the
// entry in a store that is shared. Two keys have one if and only if they are equal, as far
// as SHA-256 tells.
func (k Key) String() string { return (*reuse.Key)(&k).Digest() }

// Counters are the names of the key's counters, for stores outside the process.
func (k Key) Counters() []string { return (*reuse.Key)(&k).Counters() }

// A Write says what a call may change.
type Write struct {
	Owner     middleware.Owner // whose; the zero Owner's concern all owners
	Resources []string         // none is anything
}

// Counters are the names of the write's counters, for stores outside the process.
func (w Write) Counters() []string { return reuse.WriteCounters(w.Owner, w.Resources) }

// An Entry is a stored answer.
type Entry struct {
	Result toolkit.Result
	// Stamp is the sum of the key's counters that the answer is right for.
	Stamp uint64
	// Stored is when the answer came.
	Stored time.Time
	// TTL is how long it is good for.
	TTL time.Duration
	// Origin is the span of the call that it came from.
	Origin toolkit.SpanRef
}

// Age is how long ago the answer was stored: by the clock that does not jump for an
// entry of this process, else by the wall clock, and never below 0.
func (e *Entry) Age() time.Duration { return max(0, time.Since(e.Stored)) }
