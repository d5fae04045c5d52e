// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
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
	changed chan struct{} // closed when somebody lets go
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

// over is the error of a call whose context is over.
func over(ctx context.Context, when string) error {
	kind := toolkit.ErrCanceled
	if ctx.Err() == context.DeadlineExceeded {
		kind = toolkit.ErrTimeout
	}
	return &toolkit.Error{Kind: kind, Message: "the call ended " + when, Cause: context.Cause(ctx)}
}
