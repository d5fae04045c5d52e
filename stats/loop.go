// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/stats/internal/steady"
	"github.com/toolscope/toolscope/toolkit"
)

// loopTable holds the repeated calls seen last. It is asked only for calls that
// the session had made before.
type loopTable struct {
	mu   sync.Mutex
	max  int
	seed maphash.Seed
	held map[loopKey]*loop
}

// loopKey distinguishes repeated calls by a keyed hash of their arguments, which are
// not kept. Two spellings of the same arguments are two loops.
type loopKey struct {
	session   *session
	tool      *tool
	arguments uint64
}

type loop struct {
	times, stopped uint64
	first, last    int64
	trace          [16]byte
}

func (t *loopTable) init(max int) {
	t.max, t.seed, t.held = max, maphash.MakeSeed(), make(map[loopKey]*loop)
}

// note counts a repeated call of a session.
func (t *loopTable) note(e *toolkit.Ended, of *tool, s *session, now int64) {
	if s == nil || t.max == 0 {
		return
	}
	key := loopKey{s, of, maphash.Bytes(t.seed, e.Call.Arguments)}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.held[key]
	if l == nil {
		if len(t.held) >= t.max {
			t.evict()
		}
		l = &loop{first: now}
		t.held[key] = l
	}
	l.times = max(l.times+1, uint64(e.Disposition.Repeat)+1)
	l.last = max(l.last, now)
	if e.ErrorType == string(toolkit.ErrLoopDetected) {
		l.stopped++
	}
	if f := e.Info.Span; f.Sampled && f.IsValid() {
		l.trace = f.TraceID
	}
}

// evict removes the loop seen the longest time ago.
func (t *loopTable) evict() {
	var oldest loopKey
	found := false
	for k, l := range t.held {
		if !found || l.last < t.held[oldest].last {
			oldest, found = k, true
		}
	}
	delete(t.held, oldest)
}

// all returns the loops, the most frequent first.
func (t *loopTable) all(by *steady.Clock) []Loop {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Loop, 0, len(t.held))
	for k, l := range t.held {
		x := Loop{
			Session: k.session.name, Tool: k.tool.name, Times: l.times, Stopped: l.stopped,
			FirstSeen: by.Wall(l.first), LastSeen: by.Wall(l.last),
		}
		if l.trace != [16]byte{} {
			x.TraceID = hex.EncodeToString(l.trace[:])
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), b.LastSeen.Compare(a.LastSeen),
			cmp.Compare(a.Session, b.Session), cmp.Compare(a.Tool, b.Tool))
	})
	return all
}

func (t *loopTable) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.held)
}

// loopSize is about what a loop holds, with the session it keeps.
const loopSize = 160 + sessionSize
