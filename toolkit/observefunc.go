// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"reflect"
	"time"

	"github.com/toolscope/toolscope/internal/funcs"
)

// ObserveFunc returns next with the same type, reporting every call to the observers. The caller
// gets the identical result, error and panic. Nil observers are ignored. An error names what the
// adapter lacks.
//
// Where a failure says no more of itself and next returned no error, the caller's context tells
// a timeout and a cancellation.
func ObserveFunc[F Func[C, R], C, R any](next F, a Adapter[C, R], observers ...Observer) (F, error) {
	o := &observedFunc[C, R]{
		adapter: a, observers: withoutNil(observers), next: funcs.Split[F, C, R](next),
		plain: funcs.Plain[F, C, R](next),
	}
	if err := checkAdapter[F]("ObserveFunc", o.next == nil, false, &a); err != nil {
		var none F
		return none, err
	}
	if len(o.observers) == 0 {
		return next, nil
	}
	if a.Stream != nil {
		return funcs.Join[F](o.stream), nil
	}
	return funcs.Join[F](o.call), nil
}

type observedFunc[C, R any] struct {
	adapter   Adapter[C, R]
	observers []Observer
	next      funcs.Uniform[C, R]
	plain     func(context.Context, C) R // next, where it has no error: it saves a step; else nil
}

func (o *observedFunc[C, R]) call(ctx context.Context, c C) (res R, err error) {
	call, tool, panicked := o.adapter.seeWithTool(c)
	r, inner := begin(ctx, &call, tool, o.observers)
	r.record.panicked(panicked)
	returned := false
	defer func() {
		if !returned {
			r.unwind(recover())
		}
	}()
	if o.plain != nil {
		res = o.plain(inner, c)
	} else {
		res, err = o.next(inner, c)
	}
	returned = true
	r.record.panicked(o.finish(ctx, r, c, res, err))
	r.end()
	return res, err
}

// stream is call for results that are streams: they go on after the function has returned.
func (o *observedFunc[C, R]) stream(ctx context.Context, c C) (res R, err error) {
	call, tool, panicked := o.adapter.seeWithTool(c)
	inner, running := Begin(ctx, call, tool, o.observers...)
	running.Record().panicked(panicked)
	returned := false
	defer func() {
		if !returned {
			running.unwind(recover())
		}
	}()
	res, err = o.next(inner, c)
	returned = true
	var failed bool
	failed, panicked = o.streamFailed(running, res, err)
	running.Record().panicked(panicked)
	if failed {
		running.finish(func(r *run) { r.record.panicked(o.finish(ctx, r, c, res, err)) })
		return res, err
	}
	own := res
	if res, panicked = o.adapter.stream(own, running); panicked != "" {
		running.Record().panicked(panicked)
		running.End(Result{}, nil)
		return own, err
	}
	return res, err
}

// streamFailed reports whether a call ended without a stream.
func (o *observedFunc[C, R]) streamFailed(s *Running, res R, err error) (failed bool, panicked string) {
	failed = err != nil
	defer contain("Result", &panicked)
	if o.adapter.Result != nil {
		view := o.adapter.Result(res, err)
		failed = failed || view.Fault != nil || view.Suspended
	}
	return failed, ""
}

// stream wraps a stream that res is. A nil one stays nil, and its call has ended.
func (a *Adapter[C, R]) stream(res R, s *Running) (wrapped R, panicked string) {
	if isNil(reflect.ValueOf(&res).Elem()) {
		s.End(Result{}, nil)
		return res, ""
	}
	defer contain("Stream", &panicked)
	return a.Stream(res, s), ""
}

// isNil reports whether v is nil; an interface that holds a nil pointer is not.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// see reads a call.
func (a *Adapter[C, R]) see(c C) (call Call, panicked string) {
	defer contain("Call", &panicked)
	return a.Call(c), ""
}

// seeWithTool reads a call and finds its tool.
func (a *Adapter[C, R]) seeWithTool(c C) (call Call, tool *Definition, panicked string) {
	at := "Call"
	defer func() {
		if recover() != nil {
			countAdapterPanic()
			panicked = at
		}
	}()
	call = a.Call(c)
	call.foreign = nil // see unfitCall
	at = "Tools"
	return call, a.Tools.Lookup(call.Name), ""
}

// finish sets how the call ended, from what the function returned. A function of the adapter
// that panics has set what it had set until then.
func (o *observedFunc[C, R]) finish(ctx context.Context, r *run, c C, res R, err error) (panicked string) {
	a, e, at := &o.adapter, &r.ended, "Result"
	defer func() {
		if recover() != nil {
			countAdapterPanic()
			panicked = at
		}
	}()
	e.ResultBytes = -1
	if err != nil { // stays if Result panics
		e.fail(EndingFailed, err, string(ErrTool))
	}
	var view Result
	if a.Result != nil {
		view = a.Result(res, err)
	}
	read := a.read(ctx, e.Call.Name, &view, err)
	e.Result.Suspended = view.Suspended
	switch {
	case view.Suspended:
		e.Ending, e.Err, e.ErrorType = EndingReturned, nil, ""
	case read.failure != nil:
		if err == nil {
			e.Ending = EndingReturned
		}
		e.Err, e.ErrorType, e.Result.Fault = read.failure, read.errorType, read.failure
	}
	at = "Report"
	a.report(r.record, &r.reported, read.refused, c, res, err)
	wants := r.wants()
	at = "Content"
	if wants || e.Err != nil {
		a.content(e, view, wants, res)
	}
	switch {
	case wants:
		e.ResultBytes = e.Result.Size()
	case a.Content == nil && a.Result != nil:
		e.ResultBytes = view.Size()
	}
	at = "Size"
	if a.Size != nil {
		e.ResultBytes = a.Size(res)
	}
	return ""
}

// content sets what a call's result shows: to observers that want it, and the reason of a failure
// that names its kind only. view is what Result made of res.
func (a *Adapter[C, R]) content(e *Ended, view Result, wants bool, res R) {
	fault := e.Result.Fault
	e.Result = view
	e.Result.Fault = fault
	if a.Content != nil && (wants || namesKindOnly(e.Err)) {
		a.Content(res, &e.Result)
	}
	e.Err = withReason(e.Err, &e.Result)
	if e.Content = wants; !wants {
		e.Result = Result{Fault: e.Result.Fault, Suspended: e.Result.Suspended}
	}
}

// report notes the outcome that follows from a refusal, and what Report says. d is scratch
// memory; nil allocates it.
func (a *Adapter[C, R]) report(record Record, d *Disposition, refused bool, c C, res R, err error) {
	if !refused && a.Report == nil {
		return
	}
	if d == nil {
		d = new(Disposition)
	}
	if refused {
		d.Outcome = OutcomeRefused
	}
	defer func() { *d = Disposition{} }() // d is used again
	if a.Report != nil {
		defer record.addDisposition(d) // also if it panics
		a.Report(c, res, err, d)
		return
	}
	record.addDisposition(d)
}

// addDisposition adds what a fork's record, or an adapter, says of the call.
func (r Record) addDisposition(d *Disposition) { r.Note(func(s *Disposition) { s.addDisposition(d) }) }

// panicked records that a function of an adapter panicked; "" records nothing.
func (r Record) panicked(function string) {
	if function != "" {
		r.Tag("adapter.panic", function)
	}
}

// beginStream is [Begin] for [Observe], which sets the call's record.
func beginStream(ctx context.Context, call *Call, tool *Definition, observers []Observer) (context.Context, *Running) {
	ctx, s := BeginAt(ctx, time.Now(), *call, tool, observers...)
	call.Record = s.Record()
	return ctx, s
}
