// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"container/list"
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/counters"
)

// maxOpen is how many calls begun by [Begin] may be open at once in a process;
// beyond it the oldest is closed as abandoned.
const maxOpen = 10_000

// Begin tells observers that a call begins, for frameworks with before and after
// callbacks, streams and long-running tools. The call goes on with the context
// returned, and ends with [Running.End]. tool is the registered tool's definition,
// nil if there is none. A Running that is garbage before it was ended, and the oldest
// of more than 10,000 open ones, is closed with [EndingAbandoned] and
// counted.
func Begin(ctx context.Context, call Call, tool *Definition, observers ...Observer) (context.Context, *Running) {
	return BeginAt(ctx, time.Now(), call, tool, observers...)
}

// BeginAt is [Begin] of a call that began at start, for those who see calls a little
// later than they are made, as on a wire. An observer with a clock of its own needs the
// time as well.
func BeginAt(
	ctx context.Context, start time.Time, call Call, tool *Definition, observers ...Observer,
) (context.Context, *Running) {
	r, ctx := beginAt(ctx, start, &call, tool, withoutNil(observers))
	r.cell.identity.lasts = r.owner
	o := &openCall{run: r, record: call.Record}
	open.addCall(o)
	running := &Running{o}
	runtime.AddCleanup(running, (*openCall).abandon, o)
	return ctx, running
}

// Running is a call that has begun. All methods are safe for concurrent use, work
// on nil, and do nothing after the call has ended.
type Running struct{ call *openCall }

// Record returns the call's record.
func (r *Running) Record() Record {
	if r == nil {
		return Record{}
	}
	return r.call.record
}

// Chunk tells that bytes of the result have arrived.
func (r *Running) Chunk(bytes int) {
	if r == nil {
		return
	}
	r.call.update(func(e *Ended, start time.Time) {
		if e.Chunks == 0 {
			e.FirstChunk = time.Since(start)
		}
		e.Chunks++
		e.ChunkBytes += max(0, bytes)
	})
}

// Progress tells how far the call is, as a part of 1; the last one stays.
func (r *Running) Progress(part float64) {
	if r == nil {
		return
	}
	r.call.update(func(e *Ended, _ time.Time) { e.Progress = part })
}

// End ends the call as a [Handler] returning res and err does. The first End wins;
// it reports whether it was the first. An error that says nothing of itself
// counts as the tool's.
func (r *Running) End(res Result, err error) bool { return r.EndAt(time.Time{}, res, err) }

// EndAt is [Running.End] of a call that ended at a time that has passed; the zero
// time is now.
func (r *Running) EndAt(end time.Time, res Result, err error) bool {
	return r.end(end, res, err, string(ErrTool))
}

// end is EndAt with the type of an error that says nothing of itself.
func (r *Running) end(at time.Time, res Result, err error, fallback string) bool {
	if r == nil {
		return false
	}
	run := r.call.takeRun()
	runtime.KeepAlive(r) // else the collector could close the call as abandoned before take
	if run == nil {
		return false
	}
	run.ended.End = at
	run.endNative(&res, err, fallback)
	return true
}

// finish ends the call as set does, which is given its run; nothing if it has ended.
func (r *Running) finish(set func(*run)) {
	run := r.call.takeRun()
	runtime.KeepAlive(r) // else the collector could close the call as abandoned before take
	if run == nil {
		return
	}
	set(run)
	run.end()
}

// unwind ends a call whose function did not return, and lets its panic go on (see run.unwind).
func (r *Running) unwind(recovered any) {
	if run := r.call.takeRun(); run != nil {
		run.unwind(recovered)
	} else if recovered != nil {
		panic(recovered)
	}
}

// openCall is the part of a Running that outlives it, so that its becoming
// garbage can be noticed.
type openCall struct {
	mu     sync.Mutex
	run    *run // nil once ended
	record Record
	place  *list.Element // in open, guarded by open.mu
}

func (o *openCall) update(change func(e *Ended, start time.Time)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.run != nil {
		change(&o.run.ended, o.run.cell.facts.Start)
	}
}

// takeRun ends the call's being open and returns its run; nil if it was ended before.
func (o *openCall) takeRun() *run {
	o.mu.Lock()
	r := o.run
	o.run = nil
	o.mu.Unlock()
	if r != nil {
		open.remove(o)
	}
	return r
}

func (o *openCall) abandon() {
	r := o.takeRun()
	if r == nil {
		return
	}
	counters.AbandonedCalls.Add(1)
	r.ended.Ending, r.ended.ErrorType, r.ended.ResultBytes = EndingAbandoned, TypeOther, -1
	r.end()
}

// open holds the calls begun by Begin, oldest first.
var open openCalls

type openCalls struct {
	mu    sync.Mutex
	calls list.List
}

func (c *openCalls) addCall(o *openCall) {
	c.mu.Lock()
	o.place = c.calls.PushBack(o)
	var oldest *openCall
	if c.calls.Len() > maxOpen {
		oldest = c.calls.Front().Value.(*openCall)
	}
	c.mu.Unlock()
	if oldest != nil {
		oldest.abandon()
	}
}

func (c *openCalls) remove(o *openCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls.Remove(o.place)
}
