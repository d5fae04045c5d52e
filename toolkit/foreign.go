// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"sync"
	"sync/atomic"
)

// foreignCall is a call of another registry's type that a [Call] stands for.
type foreignCall interface {
	// detach returns the call with a deep copy of the foreign one, whose arguments are args. It
	// is called in the caller's goroutine while the call runs.
	detach(args json.RawMessage) foreignCall
	// streams reports whether the result is a stream.
	streams() bool
}

// foreignResult is a result of another registry's type that a [Result] stands for.
type foreignResult interface {
	// share returns what may be stored and given to others: it holds a copy and neither the
	// result nor the call that it came from.
	share() foreignResult
	// returnedError reports whether the function returned an error.
	returnedError() bool
	// startStream hands the stream that the result is to s and reports whether it is one.
	startStream(s *Running) bool
}

// funcCall is one governed call of another registry's function, or a fork of one.
type funcCall[C, R any] struct {
	owner     *governedFunc[C, R]
	call      C
	arguments json.RawMessage // the memory that call's arguments are
	root      *funcCall[C, R] // the caller's own; itself unless this is a fork
	broken    string          // the adapter's function that panicked in the fork; "" if none did

	// last is the last run of the call or of its forks; closed once the call has returned.
	last  atomic.Pointer[funcResult[C, R]]
	used  atomic.Bool // whether first is in use
	first funcResult[C, R]
}

func (f *funcCall[C, R]) streams() bool { return f.owner.adapter.Stream != nil }

func (f *funcCall[C, R]) detach(args json.RawMessage) foreignCall {
	fork := &funcCall[C, R]{owner: f.owner, arguments: args, root: f.root, broken: f.broken}
	if fork.broken == "" {
		fork.call, fork.broken = f.owner.adapter.with(f.call, args)
	}
	return fork
}

// with is the call with other arguments.
func (a *Adapter[C, R]) with(c C, args json.RawMessage) (changed C, panicked string) {
	defer contain("With", &panicked)
	return a.With(c, args), ""
}

// result is memory for a run.
func (f *funcCall[C, R]) result() *funcResult[C, R] {
	r := &f.first
	if !f.used.CompareAndSwap(false, true) {
		r = new(funcResult[C, R])
	}
	r.call = f
	return r
}

// returns makes r the last run of the call, unless the call has returned.
func (f *funcCall[C, R]) returns(r *funcResult[C, R]) {
	root := f.root
	for {
		last := root.last.Load()
		if last == root.closed() || root.last.CompareAndSwap(last, r) {
			return
		}
	}
}

// source finds what a result stands for: a run of the call itself, or one that was stored or
// shared; nil for a policy's own answer. last is the last run of the call.
func (f *funcCall[C, R]) source(view *Result, last *funcResult[C, R]) (own *funcResult[C, R], shared *sharedResult[C, R]) {
	switch made := view.foreign.(type) {
	case *funcResult[C, R]:
		if made.call.root == f {
			return made, nil
		}
		return nil, made.sharedOnce()
	case *sharedResult[C, R]:
		if last != nil && last.shared.Load() == made {
			return last, nil
		}
		return nil, made
	}
	return nil, nil
}

// closed stands for the last run of a call that has returned.
func (f *funcCall[C, R]) closed() *funcResult[C, R] { return &f.owner.closed }

// funcResult is what one run of a governed function returned.
type funcResult[C, R any] struct {
	call   *funcCall[C, R]
	result R
	err    error
	view   Result // as policies saw it first
	stream bool

	once   sync.Once
	shared atomic.Pointer[sharedResult[C, R]]
}

func (r *funcResult[C, R]) share() foreignResult { return r.sharedOnce() }

func (r *funcResult[C, R]) returnedError() bool { return r.err != nil }

func (r *funcResult[C, R]) sharedOnce() *sharedResult[C, R] {
	r.once.Do(func() {
		s := &sharedResult[C, R]{err: r.err, view: r.view.cloneContent()}
		if a := &r.call.owner.adapter; a.Copy != nil && !r.stream {
			s.result, s.copied = a.copy(r.result, r.call.call)
		}
		r.shared.Store(s)
	})
	return r.shared.Load()
}

// copy is a copy of a result for a call; false if the adapter's function panicked.
func (a *Adapter[C, R]) copy(res R, c C) (copied R, ok bool) {
	var panicked string
	defer func() { ok = panicked == "" }()
	defer contain("Copy", &panicked)
	return a.Copy(res, c), true
}

func (r *funcResult[C, R]) startStream(s *Running) bool {
	if !r.stream {
		return false
	}
	wrapped, panicked := r.call.owner.adapter.stream(r.result, s)
	if panicked != "" {
		s.Record().panicked(panicked)
		s.End(Result{}, nil)
		return true
	}
	r.result = wrapped
	return true
}

// sharedResult is what stores and other calls hold of a run.
type sharedResult[C, R any] struct {
	result R // is never given away: each call gets a copy of it
	copied bool
	err    error
	view   Result
}

func (s *sharedResult[C, R]) share() foreignResult { return s }

func (s *sharedResult[C, R]) returnedError() bool { return s.err != nil }

func (s *sharedResult[C, R]) startStream(*Running) bool { return false }
