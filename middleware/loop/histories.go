// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
)

// Histories keeps the last events of each agent's calls in one order, for processes that share them: the calls of a
// session may then be made in several. [NewHistories] makes one of this process. Package looptest has the tests that any
// must pass. Safe for concurrent use. It bounds its waits, and returns when the context ends.
type Histories interface {
	// Add adds an event to the agent's, which have numbers that grow by 1, and returns it with those after the number, or
	// all that are kept if some after it are not.
	Add(ctx context.Context, a HistoryKey, event []byte, after uint64) (Events, error)
}

// HistoryKey says whose history it is, and how much of it is kept.
type HistoryKey struct {
	Agent  string        // different for each agent of each session of each tenant
	Events int           // the last ones that are kept
	Idle   time.Duration // after how long without an event it is forgotten
}

// Events are the last ones of an agent, the oldest first.
type Events struct {
	Last uint64 // number of the last one
	List [][]byte
}

type historyStore struct {
	table *sessions.Table[string, *storedEvents]
}

type storedEvents struct {
	mu   sync.Mutex
	last uint64
	list [][]byte
}

// NewHistories makes histories that policies of this process share: those of about 10,000 agents, each for at most
// an hour after its last event.
func NewHistories() Histories {
	return historyStore{sessions.New[string](0, 0, func() *storedEvents { return new(storedEvents) })}
}

// Add is that of [Histories].
func (s historyStore) Add(ctx context.Context, a HistoryKey, event []byte, after uint64) (Events, error) {
	if err := ctx.Err(); err != nil {
		return Events{}, err
	}
	e := s.table.Get(a.Agent, time.Now())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.list = append(e.list, event)
	if n := len(e.list) - a.Events; n > 0 {
		e.list = append([][]byte(nil), e.list[n:]...)
	}
	n := len(e.list)
	if after < e.last && e.last-after < uint64(n) {
		n = int(e.last - after)
	}
	return Events{e.last, append([][]byte(nil), e.list[len(e.list)-n:]...)}, nil
}
