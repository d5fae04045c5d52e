// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// lockTable locks paths: readers share, a writer excludes. It holds only the
// paths in use. The zero value works.
type lockTable struct {
	mu    sync.Mutex
	paths map[string]*pathLock
}

// pathLock is guarded by the table's mutex.
type pathLock struct {
	users   int // holders and those who wait
	readers int
	writing bool
	writers int           // who wait; new readers let them go first
	changed chan struct{} // closed when a holder lets go
}

// lock waits until the path is free, and returns the function that lets go of it;
// or an error once ctx is over.
func (t *lockTable) lock(ctx context.Context, path string, write bool) (unlock func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.paths[path]
	if l == nil {
		if t.paths == nil {
			t.paths = make(map[string]*pathLock)
		}
		l = &pathLock{changed: make(chan struct{})}
		t.paths[path] = l
	}
	l.users++
	if write {
		l.writers++
		defer func() { l.writers-- }()
	}
	for !l.free(write) {
		changed := l.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		t.mu.Lock()
		if ctx.Err() != nil {
			t.leave(path, l)
			return nil, over(ctx, "while it waited for another call to let go of the file")
		}
	}
	if write {
		l.writing = true
	} else {
		l.readers++
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if write {
			l.writing = false
		} else {
			l.readers--
		}
		t.leave(path, l)
	}, nil
}

func (l *pathLock) free(write bool) bool {
	if write {
		return !l.writing && l.readers == 0
	}
	return !l.writing && l.writers == 0
}

// leave wakes those who wait, and forgets the path after its last user.
func (t *lockTable) leave(path string, l *pathLock) {
	close(l.changed)
	l.changed = make(chan struct{})
	if l.users--; l.users == 0 {
		delete(t.paths, path)
	}
}

// claim is a place that a call needs: to read, to write, or, for what moves or takes
// away whole directories, with all that lies in its root.
type claim struct {
	place
	write, tree bool
}

// hold waits for all the claims, and returns the function that lets go of them. All
// calls lock in one order, first roots and then paths, each by name, so
// that none waits for another in a circle. A call must not hold twice at a time.
func (t *Toolset) hold(ctx context.Context, claims ...claim) (release func(), err error) {
	roots, paths := make(map[string]bool), make(map[string]bool)
	for _, c := range claims {
		roots[c.root.Name] = roots[c.root.Name] || c.tree
		paths[c.key()] = paths[c.key()] || c.write
	}
	var held []func()
	release = func() {
		for _, unlock := range slices.Backward(held) {
			unlock()
		}
	}
	for _, step := range []struct {
		prefix string
		needed map[string]bool
	}{{"root ", roots}, {"path ", paths}} {
		for _, name := range slices.Sorted(maps.Keys(step.needed)) {
			unlock, err := t.locks.lock(ctx, step.prefix+name, step.needed[name])
			if err != nil {
				release()
				return nil, err
			}
			held = append(held, unlock)
		}
	}
	return release, nil
}

// over is the error of a call whose context is over.
func over(ctx context.Context, when string) error {
	kind := toolkit.ErrCanceled
	if ctx.Err() == context.DeadlineExceeded {
		kind = toolkit.ErrTimeout
	}
	return &toolkit.Error{Kind: kind, Message: "the call ended " + when, Cause: context.Cause(ctx)}
}
