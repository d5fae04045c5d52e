// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/toolscope/toolscope/internal/funcs"
)

// GovernFunc returns next with the same type, wrapped in middlewares. A result that no middleware
// changed is the identical value; what a policy answers is made by the adapter's Answer, and a
// stored or shared result by its Copy. An error names what the adapter lacks.
//
// A function without an error gets a policy's error through Answer; one with an error also
// returns it.
//
// A call with a nil context runs with [context.Background].
//
// If the adapter has Stream, middlewares that look at results see a suspended one.
func GovernFunc[F Func[C, R], C, R any](next F, a Adapter[C, R], middlewares ...Middleware) (F, error) {
	g := &governedFunc[C, R]{adapter: a, hasError: funcs.HasError[F, C, R](), next: funcs.Split[F, C, R](next)}
	if err := checkAdapter[F]("GovernFunc", g.next == nil, true, &a); err != nil {
		var none F
		return none, err
	}
	if a.check != nil && len(middlewares) > 1 { // the first one observes: see Identity for others
		middlewares = append([]Middleware{middlewares[0], refusesUnfit}, middlewares[1:]...)
	}
	g.handler = Chain(g.handle, middlewares...)
	return funcs.Join[F](g.execute), nil
}

type governedFunc[C, R any] struct {
	adapter  Adapter[C, R]
	hasError bool
	next     funcs.Uniform[C, R]
	handler  Handler
	closed   funcResult[C, R] // see funcCall.last
}

// handle is the function as a handler, inside the middlewares.
func (g *governedFunc[C, R]) handle(ctx context.Context, call Call) (Result, error) {
	f, ok := call.foreign.(*funcCall[C, R])
	if !ok || f.owner != g {
		return g.refuse(call, "", "a middleware made a call of its own: want one made of the call it was given")
	}
	if f.broken != (broken{}) {
		return g.refuseBroken(call, f.broken)
	}
	c := f.call
	if !sameSlice(f.arguments, call.Arguments) {
		var b broken
		if c, b = g.adapter.with(c, call.Arguments); b != (broken{}) {
			return g.refuseBroken(call, b)
		}
	}
	res, err := g.next(ctx, c)
	return g.finish(ctx, f, call, c, res, err)
}

// refuse ends a call that must not run.
func (g *governedFunc[C, R]) refuse(call Call, panicked, why string) (Result, error) {
	call.Record.panicked(panicked)
	call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
	return Result{}, &Error{Kind: ErrPanic, Tool: call.Name, Message: "the call was not run: " + why}
}

// refuseBroken ends a call that must not run because of b.
func (g *governedFunc[C, R]) refuseBroken(call Call, b broken) (Result, error) {
	if b.err != nil {
		return refuseUnfit(call, b.err)
	}
	return g.refuse(call, b.function, "the adapter's "+b.function+" panicked")
}

// refuseUnfit ends a call that policies cannot judge.
func refuseUnfit(call Call, why error) (Result, error) {
	call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
	return Result{}, &Error{Kind: ErrInvalidArguments, Tool: call.Name, Message: "the call was not run: " + why.Error(), Cause: why}
}

// refusesUnfit keeps calls that cannot be judged from the policies that follow.
func refusesUnfit(next Handler) Handler {
	return func(ctx context.Context, call Call) (Result, error) {
		if call.foreign != nil {
			if why := call.foreign.unfit(); why != nil {
				return refuseUnfit(call, why)
			}
		}
		return next(ctx, call)
	}
}

// finish is the result of a run as middlewares see it.
func (g *governedFunc[C, R]) finish(ctx context.Context, f *funcCall[C, R], call Call, c C, res R, err error) (Result, error) {
	r := f.result()
	r.result, r.err = res, err
	var read reading
	panicked := g.look(ctx, r, call, c, &read)
	switch {
	case panicked == "Report": // ignored
		call.Record.panicked(panicked)
	case panicked != "":
		call.Record.panicked(panicked)
		r.view, read = Result{Suspended: true}, reading{}
	}
	if failure := read.failure; failure != nil {
		if kind := Kind(read.errorType); read.errorType != TypeOf(failure) {
			failure = &Error{Kind: kind, Tool: call.Name, Cause: failure}
		}
		r.view.Fault = failure
	} else if g.adapter.Stream != nil && !r.view.Suspended {
		r.stream, r.view.Suspended = true, true
	}
	if f.shared { // others may get it: nothing of it may be the memory of res
		r.share()
		r.view = r.view.cloneContent()
	}
	r.view.foreign = r
	f.returns(r)
	return r.view, nil
}

// look reads a run into its view. It returns the name of the adapter's function that panicked.
func (g *governedFunc[C, R]) look(ctx context.Context, r *funcResult[C, R], call Call, c C, read *reading) (panicked string) {
	a, at := &g.adapter, "Result"
	defer func() {
		if recover() != nil {
			countAdapterPanic()
			panicked = at
		}
	}()
	if r.view = a.Result(r.result, r.err); r.view.Suspended {
		r.view.Fault = nil
	}
	*read = a.read(ctx, call.Name, &r.view, r.err)
	if at = "Content"; a.Content != nil {
		a.Content(r.result, &r.view)
	}
	at = "Report"
	a.report(call.Record, nil, read.refused, c, r.result, r.err)
	return ""
}

// execute runs one call through the middlewares.
func (g *governedFunc[C, R]) execute(ctx context.Context, c C) (R, error) {
	if ctx == nil {
		ctx = context.Background() // middlewares and the contexts they make need one
	}
	call, panicked := g.adapter.see(c)
	f := &funcCall[C, R]{owner: g, call: c}
	f.broken.function = panicked
	if unfit, ok := call.foreign.(*unfitCall); ok {
		f.broken.err = unfit
	} else if g.adapter.check != nil && panicked == "" {
		if err := g.adapter.check(c, call.Arguments); err != nil {
			f.broken.err, call.Arguments = &unfitCall{err}, nil // which are another call's, perhaps
		}
	}
	f.arguments = call.Arguments
	f.root, call.foreign = f, f
	view, err := g.handler(ctx, call)
	return g.answer(c, f, f.last.Swap(f.closed()), view, err)
}

// answer is what the caller gets. last is the last run of its call; nil if none returned.
func (g *governedFunc[C, R]) answer(c C, f *funcCall[C, R], last *funcResult[C, R], view Result, err error) (R, error) {
	own, shared := f.source(&view, last)
	var then *Result // what the middlewares saw
	var functions error
	switch {
	case own != nil:
		then, functions = &own.view, own.err
	case shared != nil:
		then, functions = &shared.view, shared.err
	}
	if then != nil && err == nil && sameError(view.Fault, then.Fault) {
		if sameContent(&view, then) {
			if own != nil {
				return own.result, own.err
			}
			if shared.copied {
				if res, ok := g.adapter.copy(shared.result, c); ok {
					return res, shared.err
				}
			}
		}
		return g.make(c, view, functions, own)
	}
	if err == nil {
		err = view.Fault
	} else if view.Fault == nil && view.Output == "" && len(view.Parts) == 0 {
		view.Output = Failure(err).Output
	}
	return g.make(c, view, err, own)
}

// make is the adapter's form of a policy's answer. If Answer panics, the caller gets what its own
// run returned, if there is one; else the error; without one the panic goes on, since a zero
// result would look like a success.
func (g *governedFunc[C, R]) make(c C, view Result, err error, own *funcResult[C, R]) (res R, end error) {
	view.foreign = nil
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		countAdapterPanic()
		switch {
		case own != nil:
			res, end = own.result, own.err
		case g.hasError && err != nil:
			end = err
		default:
			panic(v)
		}
	}()
	if view.Fault == nil {
		view.Fault = err
	}
	return g.adapter.Answer(c, view, err), err
}

// sameContent reports whether the middlewares left a result's content as it was.
func sameContent(now, then *Result) bool {
	return now.Output == then.Output && slices.EqualFunc(now.Parts, then.Parts, Part.equal) &&
		maps.EqualFunc(now.Meta, then.Meta, func(a, b json.RawMessage) bool { return sameBytes(a, b) }) &&
		now.Suspended == then.Suspended
}

// sameError reports whether two errors are the same value. Of errors that cannot be
// compared, such as slices, those of one type count as the same.
func sameError(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	if v := reflect.ValueOf(a); !v.Comparable() {
		return v.Type() == reflect.TypeOf(b)
	}
	return a == b
}

// sameBytes reports whether two slices hold the same.
func sameBytes(a, b []byte) bool { return sameSlice(a, b) || bytes.Equal(a, b) }
