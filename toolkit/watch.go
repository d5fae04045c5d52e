// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "context"

// Watch wraps an execute function of another registry so that observers are told
// of every call, and gives back the same signature. The identical result, error
// and panic come out. Nil observers are left out; without observers, and for a
// nil function, the function itself is returned.
//
// For a function without an error the cause of a failure is read from the
// caller's context where the failure says no more of itself: deadline and
// cancellation.
func Watch[F Func[C, R], C, R any](next F, lens Lens[C, R], observers ...Observer) F {
	observers = withoutNil(observers)
	w := &watcher[C, R]{lens: lens, observers: observers}
	var wrapped any
	switch f := any(next).(type) {
	case func(context.Context, C) R:
		if f == nil || len(observers) == 0 {
			return next
		}
		wrapped = func(ctx context.Context, c C) R {
			res, _ := w.watch(ctx, c, func(ctx context.Context) (R, error) { return f(ctx, c), nil }, true)
			return res
		}
	case func(context.Context, C) (R, error):
		if f == nil || len(observers) == 0 {
			return next
		}
		wrapped = func(ctx context.Context, c C) (R, error) {
			return w.watch(ctx, c, func(ctx context.Context) (R, error) { return f(ctx, c) }, false)
		}
	}
	return wrapped.(F)
}

type watcher[C, R any] struct {
	lens      Lens[C, R]
	observers []Observer
}

// watch runs one call. byContext says that the function has no error of its own, so
// that the context is asked why it failed.
func (w *watcher[C, R]) watch(ctx context.Context, c C, next func(context.Context) (R, error), byContext bool) (res R, err error) {
	call, tool := w.see(c)
	r, inner := begin(ctx, &call, tool, w.observers)
	returned := false
	defer func() {
		if !returned {
			r.unwind(recover())
		}
	}()
	res, err = next(inner)
	returned = true
	w.close(ctx, r, res, err, byContext)
	return res, err
}

// see looks at a call through the lens; a lens that panics sees nothing.
func (w *watcher[C, R]) see(c C) (call Call, tool *Definition) {
	var failed bool
	defer swallow(&failed)
	call = w.lens.call(c)
	return call, w.lens.Tool.find(call.Name)
}

// close ends the run of a call that returned. A lens that panics has shown what it
// had shown until then.
func (w *watcher[C, R]) close(ctx context.Context, r *run, res R, err error, byContext bool) {
	w.look(ctx, r, res, err, byContext)
	r.end()
}

func (w *watcher[C, R]) look(ctx context.Context, r *run, res R, err error, byContext bool) {
	var failed bool
	defer swallow(&failed)
	e := &r.ended
	e.ResultBytes = -1
	if err != nil {
		e.fail(EndingFailed, err, string(ErrTool))
	} else if fault := w.lens.failed(res); fault != nil {
		e.fail(EndingReturned, fault, string(ErrTool))
		e.Result.Fault = fault
	}
	if e.ErrorType == string(ErrTool) {
		switch {
		case w.lens.Tool != nil && r.cell.facts.Tool == nil:
			e.ErrorType = string(ErrUnknownTool)
			r.record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
		case byContext && ctx.Err() != nil:
			e.ErrorType = classify(context.Cause(ctx), TypeOther)
			if e.ErrorType == TypeOther {
				e.ErrorType = classify(ctx.Err(), TypeOther)
			}
		}
	}
	if w.lens.Size != nil {
		e.ResultBytes = w.lens.Size(res)
	}
	content := w.lens.View != nil && r.wants()
	if content || w.lens.View != nil && namesKindOnly(e.Err) {
		view := w.lens.View(res)
		e.Err = withReason(e.Err, &view)
		if !content {
			return
		}
		if view.Fault == nil {
			view.Fault = e.Result.Fault
		}
		e.Result, e.Content = view, true
		if e.ResultBytes < 0 {
			e.ResultBytes = view.Size()
		}
	}
}
