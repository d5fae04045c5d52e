// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// table is the circuits by key.
type table struct {
	options *Options

	mu        sync.RWMutex
	all       map[string]*circuit
	nextSweep time.Duration
	without   uint64 // calls that got no circuit
}

// maxKey is the longest key of a circuit, in bytes. A registered tool's name is shorter; what
// a model makes up may be anything.
const maxKey = 256

// find returns the circuit of a key, or nil.
func (t *table) find(key string) *circuit {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.all[key]
}

// make returns the circuit of a key, a closed one if there was none; nil if there are too
// many.
func (t *table) make(key string, now time.Duration) *circuit {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.all[key]; c != nil {
		return c
	}
	if len(t.all) >= t.options.MaxKeys {
		t.sweep(now)
	}
	if len(t.all) >= t.options.MaxKeys || len(key) > maxKey {
		t.without++
		return nil
	}
	key = strings.Clone(key) // it may be a part of something long
	c := &circuit{key: key, since: now}
	t.all[key] = c
	return c
}

// sweep forgets idle circuits; not more often than ten times in a window.
func (t *table) sweep(now time.Duration) {
	if now < t.nextSweep {
		return
	}
	t.nextSweep = now + t.options.Window/10
	for key, c := range t.all {
		if c.idle(t.options, now) {
			delete(t.all, key)
		}
	}
}

// list is all circuits, by key.
func (t *table) list() []*circuit {
	t.mu.RLock()
	list := make([]*circuit, 0, len(t.all))
	for _, c := range t.all {
		list = append(list, c)
	}
	t.mu.RUnlock()
	slices.SortFunc(list, func(a, b *circuit) int { return strings.Compare(a.key, b.key) })
	return list
}
