// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tooltest

import (
	"context"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// A Recorder is an observer that remembers every call that ended, with its
// content. The zero value is empty and works. It keeps all calls until
// [Recorder.TakeAll] or [Recorder.Reset], so it is for tests only.
type Recorder struct {
	mu    sync.Mutex
	open  int
	ended []toolkit.Ended
}

var _ toolkit.Observer = (*Recorder)(nil)

// Begin counts the call as open and returns ctx.
func (r *Recorder) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	return ctx
}

// Wants is true: the recorder remembers content.
func (r *Recorder) Wants(context.Context) bool { return true }

// End copies e. Arguments and results are shared with the call, which is no one's
// to change.
func (r *Recorder) End(_ context.Context, e *toolkit.Ended) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	kept := *e
	kept.Disposition.Tags = slices.Clone(e.Disposition.Tags)
	r.ended = append(r.ended, kept)
}

// Open is how many calls have begun and not ended.
func (r *Recorder) Open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

// Len is how many calls have ended.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ended)
}

// All returns a copy of the calls that have ended, in the order of their ends.
func (r *Recorder) All() []toolkit.Ended {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ended)
}

// TakeAll is [Recorder.All] and [Recorder.Reset] in one step.
func (r *Recorder) TakeAll() []toolkit.Ended {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.ended
	r.ended = nil
	return all
}

// Filter returns the calls for which keep is true, as [Recorder.All] does; a nil
// keep keeps all.
func (r *Recorder) Filter(keep func(toolkit.Ended) bool) []toolkit.Ended {
	all := r.All()
	if keep == nil {
		return all
	}
	return slices.DeleteFunc(all, func(e toolkit.Ended) bool { return !keep(e) })
}

// Reset forgets the calls that have ended; open ones stay open.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = nil
}
