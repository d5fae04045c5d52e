// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// ErrHeld is the error of a deletion that could not look at all there is, since
// processes that run own it: each has to be asked for itself.
var ErrHeld = errors.New("spool: other processes own a part of the directory")

// DeleteSession deletes what the spool keeps of a session: spans whose session.id, toolscope.session.id or
// gen_ai.conversation.id is the id, and those spans of the same traces that are of no
// session. The id is as spans have it, after redaction. A tenant that is not "" spares the
// sessions of that id of other tenants. It returns how many spans that were. It waits for the request that is under
// way, which cannot be called back; what other processes own is not seen: see [ErrHeld]. What it
// cannot read it deletes, since it may be the session's, where it has to write a file anew.
func (s *Spool) DeleteSession(ctx context.Context, id, tenant string) (spans int, err error) {
	if id == "" {
		return 0, errors.New(`spool: session: got "", want an id`)
	}
	if s.isClosed() {
		return 0, errClosed
	}
	if !s.disk.begun.Load() {
		if left, _ := folders(s.dir); len(left) == 0 {
			return 0, nil
		}
		s.begin()
	}
	p := newPurge(id, tenant)
	run := func(f func(*store) error) error {
		_, err := ask(ctx, s.disk, func(st *store) (struct{}, error) { return struct{}{}, f(st) }, nil)
		return err
	}
	if err := run(func(st *store) error { st.adopt(); return nil }); err != nil {
		return 0, err
	}
	if err := p.all(run, p.search); err != nil {
		return 0, err
	}
	defer s.pause(ctx)()
	defer s.purges.Add(1) // before the sender goes on
	if err := s.deleteFromMemory(ctx, p); err != nil {
		return p.spans, err
	}
	if err := p.all(run, p.rewrite); err != nil {
		return p.spans, err
	}
	return p.spans, run((*store).held)
}

// pause stops the sending until what it returns is called, once the request under way has ended. One that
// does not end in time is not waited for.
func (s *Spool) pause(ctx context.Context) (resume func()) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout+time.Second)
	defer cancel()
	select {
	case s.round <- struct{}{}:
		return func() { <-s.round }
	case <-ctx.Done():
		return func() {}
	}
}

// deleteFromMemory takes a session out of what is not on disk.
func (s *Spool) deleteFromMemory(ctx context.Context, p *purge) error {
	select {
	case s.turn <- struct{}{}: // nothing is being written
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.memory {
		p.look(u.all)
	}
	for _, u := range slices.Clone(s.memory) {
		kept := only(u.all, p.keeps)
		n := u.spans - count(kept)
		if n == 0 || u.flight {
			continue
		}
		p.spans += n
		s.tally.drop(DroppedSession, s.keepOnly(u, kept))
	}
	return nil
}

// DeleteSession deletes what is kept of a session in the directory of spools of which none
// runs; for one that runs, see [Spool.DeleteSession].
func DeleteSession(ctx context.Context, dir, id, tenant string) (spans int, err error) {
	if id == "" {
		return 0, errors.New(`spool: session: got "", want an id`)
	}
	o, err := Options{}.complete()
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(dir); err != nil {
		return 0, fmt.Errorf("spool: directory: %w", err)
	}
	st := newStore(dir, o, newTally(), newSystem())
	defer st.close()
	st.adopt()
	p := newPurge(id, tenant)
	run := func(f func(*store) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(st)
	}
	if err = p.all(run, p.search); err == nil {
		err = p.all(run, p.rewrite)
	}
	return p.spans, errors.Join(err, st.held())
}

// held is ErrHeld if others own a part of the directory, and the error of what cannot be read of it.
func (s *store) held() error {
	paths, err := folders(s.dir)
	n, errs := 0, []error{err}
	for _, path := range paths {
		if s.has(path) {
			continue
		}
		running, err := isRunning(path)
		if running {
			n++
		} else if _, readErr := os.ReadDir(path); !errors.Is(readErr, fs.ErrNotExist) {
			errs = append(errs, cmp.Or(err, readErr))
		}
	}
	if n > 0 {
		errs = append(errs, fmt.Errorf("%w: %d of its folders", ErrHeld, n))
	}
	return errors.Join(errs...)
}
