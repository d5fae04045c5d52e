// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// maxSeen is how many files are remembered, of all sessions together.
const maxSeen = 10_000

// seenTable remembers what sessions have last seen of files, so that a change by
// another process is noticed before it is overwritten. It keeps hashes only, and forgets
// what was used longest ago. The zero value works.
type seenTable struct {
	mu    sync.Mutex
	files map[seenKey]*list.Element
	order list.List // of seenFile, the last used in front
}

type seenKey struct{ tenant, session, path string }

type seenFile struct {
	key seenKey
	sum [sha256.Size]byte
}

// keyOf names a file as the context's session sees it. Calls without a session
// share one memory.
func keyOf(ctx context.Context, p place) seenKey {
	k := seenKey{path: p.key()}
	if s := toolkit.SessionFrom(ctx); s != nil {
		k.tenant, k.session = s.Tenant, s.ID
	}
	return k
}

// remember notes that the session knows this content of the file.
func (t *seenTable) remember(ctx context.Context, p place, content []byte) {
	f := seenFile{keyOf(ctx, p), sha256.Sum256(content)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.files[f.key]; e != nil {
		e.Value = f
		t.order.MoveToFront(e)
		return
	}
	if t.files == nil {
		t.files = make(map[seenKey]*list.Element)
	}
	t.files[f.key] = t.order.PushFront(f)
	if t.order.Len() > maxSeen {
		delete(t.files, t.order.Remove(t.order.Back()).(seenFile).key)
	}
}

// forget notes that the file is gone, by the session's own doing.
func (t *seenTable) forget(ctx context.Context, p place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := keyOf(ctx, p)
	if e := t.files[key]; e != nil {
		t.order.Remove(e)
		delete(t.files, key)
	}
}

// knows reports whether the session has seen the file at all.
func (t *seenTable) knows(ctx context.Context, p place) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files[keyOf(ctx, p)] != nil
}

// check refuses content that differs from what the session saw last. What it never
// saw is taken: nothing is based on it.
func (t *seenTable) check(ctx context.Context, p place, content []byte) error {
	sum := sha256.Sum256(content)
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.files[keyOf(ctx, p)]; e != nil && e.Value.(seenFile).sum != sum {
		return errStale
	}
	return nil
}
