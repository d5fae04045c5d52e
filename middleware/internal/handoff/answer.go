// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff

import "github.com/toolscope/toolscope/toolkit"

// An Answerer is a policy that may have the answer to a call at hand.
type Answerer interface {
	// Answer returns the answer and records it, at once and without running anything; false if there is
	// none. The policy's own handler is then called as usual.
	Answer(call toolkit.Call) (toolkit.Result, bool)
}

// An AnswererWrapper is a policy that has work to do only for calls without an answer at hand. If an
// Answerer is directly inside it, middleware.Wrap calls WrapAnswerer in place of Wrap.
type AnswererWrapper interface {
	WrapAnswerer(inner Answerer, next toolkit.Handler) toolkit.Handler
}
