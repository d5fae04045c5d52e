// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

// key says which calls are duplicates.
type key struct {
	reuse.Key
	batch                      string
	hash, ownerHash, reachHash uint64
}

// entry is a call that runs, or has finished and is remembered. Its fields are guarded by its
// shard's lock, but for what is set once before done is closed and only read after.
type entry struct {
	key
	origin  toolkit.SpanRef
	running bool
	during  uint64 // the stamp that a duplicate must find while it runs
	after   uint64 // and after

	waiters int           // callers that wait, while it runs
	joined  bool          // another caller waits, or has waited
	free    bool          // ended, and no caller but the first caller knows it
	given   bool          // given up by all: no caller may join
	shared  bool          // other processes may run it
	run     *apart        // its context; nil if it is its first caller's, who cannot give up
	done    chan struct{} // nil until a caller waits

	res      toolkit.Result
	err      error
	ending   toolkit.Ending
	panicked *toolkit.PanicError
	finished time.Time

	same       *entry // the next one of the same hash
	prev, next *entry // while remembered: in the order of use
	linked     bool
}

// entries are free ones, for other calls.
var entries = sync.Pool{New: func() any { return new(entry) }}

// release gives back an entry that is free. The run's first caller does so when it has read the answer.
func (e *entry) release() {
	if e.free {
		*e = entry{}
		entries.Put(e)
	}
}

// weight is how many bytes a remembered entry takes, about.
func (e *entry) weight() int {
	return 600 + e.Arguments.Size() + e.res.Size() + 200*len(e.res.Parts)
}

const shards = 16 // a power of two

// table holds entries by their hashes, those remembered bounded in number and bytes.
type table struct{ shards [shards]shard }

type shard struct {
	mu       sync.Mutex
	entries  map[uint64]*entry
	root     entry // of the ring of those remembered, the longest unused first
	count    int
	bytes    int
	maxCount int
	maxBytes int
}

func newTable(o Options) *table {
	t := new(table)
	for i := range t.shards {
		s := &t.shards[i]
		s.entries = map[uint64]*entry{}
		s.root.prev, s.root.next = &s.root, &s.root
		s.maxCount, s.maxBytes = (o.MaxAnswers+shards-1)/shards, (o.MaxBytes+shards-1)/shards
	}
	return t
}

func (t *table) shard(hash uint64) *shard { return &t.shards[hash%shards] }

func (t *table) finished() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += s.count
		s.mu.Unlock()
	}
	return n
}

// find returns the key's entry, whatever has become of it; nil if there is none.
func (s *shard) find(k *key) *entry {
	for e := s.entries[k.hash]; e != nil; e = e.same {
		if e.Equal(&k.Key) {
			return e
		}
	}
	return nil
}

// insert adds an entry in the place of an older one of the same key, whose run, if it
// runs, goes on for those who wait.
func (s *shard) insert(e *entry) {
	if old := s.find(&e.key); old != nil {
		s.remove(old)
	}
	e.same, e.linked = s.entries[e.hash], true
	s.entries[e.hash] = e
}

func (s *shard) remove(e *entry) {
	if !e.linked {
		return
	}
	e.linked = false
	if head := s.entries[e.hash]; head == e && e.same == nil {
		delete(s.entries, e.hash)
	} else if head == e {
		s.entries[e.hash] = e.same
	} else {
		for ; head.same != e; head = head.same {
		}
		head.same = e.same
	}
	if e.next != nil {
		e.prev.next, e.next.prev = e.next, e.prev
		e.prev, e.next = nil, nil
		s.count--
		s.bytes -= e.weight()
	}
}

// remember makes a finished entry one that answers later duplicates, and makes room for it.
func (s *shard) remember(e *entry) {
	weight := e.weight()
	if weight > s.maxBytes {
		s.remove(e)
		return
	}
	for s.count >= s.maxCount || s.bytes+weight > s.maxBytes {
		s.remove(s.root.next)
	}
	s.count++
	s.bytes += weight
	s.push(e)
}

func (s *shard) push(e *entry) {
	e.prev, e.next = s.root.prev, &s.root
	e.prev.next, e.next.prev = e, e
}

// touch makes e the last to leave.
func (s *shard) touch(e *entry) {
	e.prev.next, e.next.prev = e.next, e.prev
	s.push(e)
}
