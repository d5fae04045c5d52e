// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"sync"
	"time"
)

// run is one observed call, of [Observe], [ObserveFunc] and [Begin].
// Runs are used again after end, which is why observers may not keep what they
// are shown; a [Record] that points here notices by its life.
type run struct {
	cell      cell
	owner     bool // whether the call's record is this run's, or an outer layer's
	record    Record
	observers []Observer
	ctxs      []context.Context // what each observer's Begin returned; nil if it panicked
	ended     Ended
	reported  Disposition // what an adapter's Report sees; zero outside of it
}

var runs = sync.Pool{New: func() any { return new(run) }}

// begin tells the observers and returns the context that the call goes on with.
// It gives call a record if it has none that is alive.
func begin(ctx context.Context, call *Call, tool *Definition, observers []Observer) (*run, context.Context) {
	return beginAt(ctx, time.Now(), call, tool, observers)
}

func beginAt(ctx context.Context, start time.Time, call *Call, tool *Definition, observers []Observer) (*run, context.Context) {
	r := runs.Get().(*run)
	r.observers = observers
	r.cell.begin(CallInfo{Tool: tool, Session: SessionFrom(ctx), Start: start}, observers)
	ctx = r.tellBegin(ctx, call)
	r.owner = !call.Record.Live()
	if r.owner {
		call.Record = Record{cell: &r.cell, life: r.cell.life.Load()}
	}
	r.record = call.Record
	r.ended.Call = *call
	r.ended.Call.Record, r.ended.Call.foreign = Record{}, nil
	r.ended.ArgumentsBytes = len(call.Arguments)
	return r, ctx
}

// end seals the record, tells the observers in reverse order, and gives the run
// back. The caller has set what it knows in r.ended. The run must not be used
// after that.
func (r *run) end() {
	e := &r.ended
	if e.End.IsZero() {
		start := r.cell.facts.Start
		e.End = start.Add(time.Since(start)) // half of what time.Now costs, and never before the start
	}
	e.Info = r.cell.facts
	if r.owner {
		r.record.seal(&e.Disposition)
	} else {
		e.Disposition = r.record.Disposition()
	}
	e.Start = e.Info.Start
	if e.Disposition.Outcome == OutcomeExecuted && e.Disposition.Run == 0 {
		e.Disposition.Run = max(0, e.Duration()-e.Disposition.Waited())
	}
	r.tellEnd()
	r.release()
}

func (r *run) release() {
	clear(r.ctxs)
	r.ctxs = r.ctxs[:0]
	r.observers = nil
	r.record = Record{}
	if tags := r.ended.Disposition.Tags; cap(tags) > 0 { // no observer keeps them: the next call writes over them
		clear(tags)
		r.cell.served.Tags = tags[:0]
	}
	r.ended = Ended{}
	runs.Put(r)
}

// fail sets how the call failed: err with its type, by the rule for errors that
// say nothing of themselves.
func (e *Ended) fail(ending Ending, err error, fallback string) {
	e.Ending, e.Err, e.ErrorType = ending, err, classify(err, fallback)
}

// unwind ends a run whose handler did not return, and lets its panic go on.
// recovered is what recover() gave: nil means [runtime.Goexit], since a panic has a
// value, and then the goroutine goes on ending by itself.
func (r *run) unwind(recovered any) {
	e := &r.ended
	e.ResultBytes = -1
	if recovered == nil {
		e.Ending, e.ErrorType = EndingGoexit, TypeOther
		r.end()
		return
	}
	r.setPanic(recovered)
	r.end()
	panic(recovered)
}
