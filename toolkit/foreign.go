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
	// is called while the call runs. shared says that others may get its result.
	detach(args json.RawMessage, shared bool) foreignCall
	// unfit is why the call must not run; nil if it may.
	unfit() error
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
	// shareable reports whether the result may be stored and given to others.
	shareable() bool
	// startStream hands the stream that the result is to s and reports whether it is one.
	startStream(s *Running) bool
}

// funcCall is one governed call of another registry's function, or a fork of one.
type funcCall[C, R any] struct {
	owner     *governedFunc[C, R]
	call      C
	arguments json.RawMessage // the memory that call's arguments are
	root      *funcCall[C, R] // the caller's own; itself unless this is a fork
	shared    bool            // whether others may get the result
	broken    broken          // why the call must not run

	// last is the last run of the call or of its forks; closed once the call has returned.
	last  atomic.Pointer[funcResult[C, R]]
	used  atomic.Bool // whether first is in use
	first funcResult[C, R]
}

func (f *funcCall[C, R]) streams() bool { return f.owner.adapter.Stream != nil }

func (f *funcCall[C, R]) unfit() error {
	if f.broken.err == nil {
		return nil
	}
	return f.broken.err
}

func (f *funcCall[C, R]) detach(args json.RawMessage, shared bool) foreignCall {
	d := &funcCall[C, R]{owner: f.owner, arguments: args, root: f.root, shared: f.shared || shared, broken: f.broken}
	if d.broken == (broken{}) {
		d.call, d.broken = f.owner.adapter.with(f.call, args)
	}
	return d
}

// broken says why a call must not run; the zero value says that it may.
type broken struct {
	function string     // the adapter's function that panicked; "" if none did
	err      *unfitCall // what is wrong with the call
}

// unfitCall is what is wrong with a call that policies cannot judge.
type unfitCall struct{ why error }

func (u *unfitCall) Error() string { return u.why.Error() }

func (u *unfitCall) Unwrap() error { return u.why }

// A call of a [TypedAdapter] that has no form in JSON is this one until the function that observes
// or governs it has seen it.
func (u *unfitCall) detach(json.RawMessage, bool) foreignCall { return u }

func (u *unfitCall) unfit() error { return u }

func (u *unfitCall) streams() bool { return false }

// with is the call with other arguments.
func (a *Adapter[C, R]) with(c C, args json.RawMessage) (changed C, b broken) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if unfit, ok := v.(*unfitCall); ok {
			b.err = unfit
			return
		}
		countAdapterPanic()
		b.function = "With"
	}()
	return a.With(c, args), b
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

func (r *funcResult[C, R]) shareable() bool {
	return !r.call.owner.adapter.copiesShared || r.sharedOnce().copied
}

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
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if _, unfit := v.(*unfitCall); !unfit {
			countAdapterPanic()
		}
		ok = false
	}()
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

func (s *sharedResult[C, R]) shareable() bool { return true }

func (s *sharedResult[C, R]) startStream(*Running) bool { return false }
