// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/internal/funcs"
)

// Func is the shape of an execute function of another registry; named function types work.
type Func[C, R any] interface {
	~func(context.Context, C) R | ~func(context.Context, C) (R, error)
}

// An Adapter connects another registry's call type C and result type R to [Call] and [Result].
// All functions must be safe for concurrent use, must not change or keep their arguments, and must
// not call [runtime.Goexit], which cannot be contained: the caller's goroutine would end.
//
// Everything that tells two calls apart for the tool must be in the Arguments that Call returns or
// in the [Session]: policies that store or share answers know nothing else of a call.
//
// A panic of one of them is contained. It is counted, and recorded as the tag adapter.panic with
// the function's name. Before the tool ran, a panic of Call or With under policies refuses the
// call; while only observing, the call runs. After the tool ran, the caller gets the tool's
// result.
type Adapter[C, R any] struct {
	// Tools are the registered tools; [NoTools] if they are not known. Required.
	Tools Tools
	// Call reads name, id and arguments of a call. Required.
	Call func(C) Call
	// Result reads what the function returned, once per run. A nil Fault means err, which is nil
	// for functions without one. Suspended means neither success nor failure, whatever err is.
	// Required for functions without an error; without it, err says whether the call failed.
	Result func(res R, err error) Result
	// With returns a deep copy of c with these arguments. It shares no memory that the caller may
	// write to; handles, such as a connection, may be shared. Required by policies.
	With func(c C, args json.RawMessage) C
	// Answer makes a result of a policy's answer to c. err is what the call ends with, nil for a
	// success. res.Fault is set whenever the call failed. Required by policies.
	Answer func(c C, res Result, err error) R

	// Copy returns a deep copy of a stored or shared result for call c, with c's id. Without it,
	// Answer rebuilds such results: what Result and Content omit is lost.
	Copy func(res R, c C) R
	// Report sets what the registry knows of the ending: outcome, waits, running time, attempts,
	// tags. d already holds the outcome that follows from the error.
	Report func(c C, res R, err error, d *Disposition)
	// Content adds content that is costly to build. It is called only if an observer wants
	// content, under policies, and for the text of a failure whose error only names its kind.
	Content func(res R, r *Result)
	// Size is the result's size in bytes, for calls whose content was not built.
	Size func(res R) int
	// Stream is for an R that is a stream: it returns one that reports to s, and the call ends
	// with s. It is called for results without a failure that are not nil. Policies that look at results have no
	// effect on a stream: see [toolscope.WrapFunc].
	Stream func(res R, s *Running) R

	needsError   bool  // a policy's refusal has no form in R
	copiesShared bool  // a result that Copy cannot copy must not be shared
	err          error // of the constructor
	ungovernable error // why policies cannot apply; nil if they can
	// check is why policies cannot judge a call with these arguments; nil for no check.
	check func(c C, args json.RawMessage) error
}

// missing lists the fields that the adapter lacks: those that are always needed, and those that
// policies need, if governed. hasError says that the function returns an error.
func (a *Adapter[C, R]) missing(hasError, governed bool) (always, byPolicies []string) {
	for _, f := range []struct {
		name             string
		absent, policies bool
	}{
		{"Adapter.Tools", a.Tools == nil, false}, {"Adapter.Call", a.Call == nil, false},
		{"Adapter.Result", a.Result == nil, hasError}, {"Adapter.With", a.With == nil, true}, {"Adapter.Answer", a.Answer == nil, true},
	} {
		switch {
		case !f.absent:
		case !f.policies:
			always = append(always, f.name)
		case governed:
			byPolicies = append(byPolicies, f.name)
		}
	}
	return always, byPolicies
}

// checkAdapter returns an error that names what is missing to wrap a function of type F.
func checkAdapter[F Func[C, R], C, R any](operation string, isNil, governed bool, a *Adapter[C, R]) error {
	hasError := funcs.HasError[F, C, R]()
	wrong := func(what string) error {
		return &funcs.Error{Operation: "toolkit: " + operation, Func: funcs.Describe[F](), What: what}
	}
	if isNil {
		return wrong("got a nil function, want one to wrap")
	}
	if a.err != nil {
		return wrong(a.err.Error())
	}
	if governed && a.ungovernable != nil {
		return wrong(a.ungovernable.Error())
	}
	always, byPolicies := a.missing(hasError, governed)
	if len(always) > 0 {
		return wrong(strings.Join(always, ", ") + ": got nil, want a value")
	}
	if len(byPolicies) > 0 {
		return wrong(strings.Join(byPolicies, ", ") + ": got nil, want a function, which policies and disabled tools need")
	}
	if governed && a.needsError && !hasError {
		return wrong("got a function without an error, want one with an error: the adapter cannot express a refusal in its result")
	}
	return nil
}

// contain is deferred around an adapter's function: a panic is counted and its name kept.
func contain(function string, panicked *string) {
	if recover() != nil {
		countAdapterPanic()
		*panicked = function
	}
}

// countAdapterPanic counts a panic of an adapter's function.
func countAdapterPanic() { counters.AdapterPanics.Add(1) }

// reading is what an adapter's Result and Report say of a function that returned.
type reading struct {
	failure   error // what the call failed with; nil for a success and for a suspended call
	errorType string
	refused   bool
}

// read classifies the ending of a function that returned err, from view, which Result made of
// it. name is the tool's.
func (a *Adapter[C, R]) read(ctx context.Context, name string, view *Result, err error) (r reading) {
	if view.Suspended {
		return r
	}
	if r.failure = view.Fault; r.failure == nil {
		r.failure = err
	}
	if r.failure == nil {
		return r
	}
	r.errorType = classify(r.failure, string(ErrTool))
	if r.errorType == string(ErrTool) {
		switch {
		case !unlisted(a.Tools) && a.Tools.Lookup(name) == nil:
			r.errorType = string(ErrUnknownTool)
		case err == nil && ctx != nil && ctx.Err() != nil:
			if r.errorType = classify(context.Cause(ctx), TypeOther); r.errorType == TypeOther {
				r.errorType = classify(ctx.Err(), TypeOther)
			}
		}
	}
	r.refused = Kind(r.errorType).Refusal() && !ofAnotherTool(r.failure, name)
	return r
}

// unlisted reports whether tools are [NoTools].
func unlisted(tools Tools) bool {
	l, ok := tools.(Lookup)
	return ok && l == nil
}

// ofAnotherTool reports whether err names another tool: that of a nested call.
func ofAnotherTool(err error, name string) bool {
	defer func() { _ = recover() }() // an error's own methods may panic
	var named *Error
	return errors.As(err, &named) && named != nil && named.Tool != "" && named.Tool != name
}
