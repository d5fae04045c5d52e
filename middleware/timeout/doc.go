// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package timeout is the policy that limits how long one attempt of a tool may run.
//
//	limits, err := timeout.New(timeout.Options{Default: 30 * time.Second})
//	handle := middleware.Wrap(registry.Handle, limits)
//
// [Options].Max is a ceiling for all tools, whatever their definitions say; [Options] has the order of
// precedence.
//
// It is the innermost policy, so only running time counts: not the wait for a slot, a person
// or the next attempt. The limit is passed to the tool by its context, whose
// cause says which limit it was; no goroutine is started. What the tool then does decides
// how the call ends:
//
//   - it answers all the same: the answer is kept, since one in hand is better than
//     none (tags timeout.limit and timeout.result=kept);
//   - it fails, with whatever error: the call fails with kind timeout and a text that
//     says how long it ran and how long it may, and keeps what the tool said;
//   - it never returns: the call waits with it, unless the tool is named in
//     [Options].Abandon. Then it runs in a goroutine of its own that is abandoned
//     (tag timeout.abandoned=true); their number is bounded, and policies further out
//     that hold something for the tool hold it until it ends.
//
// A caller's own deadline or cancellation is recorded apart: no tag timeout.limit, and
// the caller's context.Cause is in the error. A toolkit.Executor has a time limit
// too, which counts the waits inside its handler as well: the limit that ends first is
// reported, once. To count running time only, give the executor a Timeout below 0.
package timeout
