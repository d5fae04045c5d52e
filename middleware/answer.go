// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import "github.com/toolscope/toolscope/toolkit"

// An Answerer is a policy that may have a call's answer at hand.
type Answerer interface {
	Policy
	// Answer gives the answer and tells the call's record so, at once and without running
	// anything; false if there is none. The policy's own handler is then asked as ever.
	Answer(call toolkit.Call) (toolkit.Result, bool)
}

// An AnswererWrapper is a policy that has work to do only for calls without an answer at hand. Where
// an Answerer stands directly inside it, [Wrap] and [Middlewares] call WrapAnswerer in
// place of Wrap.
type AnswererWrapper interface {
	Policy
	WrapAnswerer(inner Answerer, next toolkit.Handler) toolkit.Handler
}

// wrap is the middleware of sorted[i].
func wrap(sorted []Policy, i int) toolkit.Middleware {
	if outer, ok := sorted[i].(AnswererWrapper); ok && i+1 < len(sorted) {
		if inner, ok := sorted[i+1].(Answerer); ok {
			return func(next toolkit.Handler) toolkit.Handler { return outer.WrapAnswerer(inner, next) }
		}
	}
	return sorted[i].Wrap
}
