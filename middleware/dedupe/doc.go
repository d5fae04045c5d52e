// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package dedupe is the policy that runs identical calls once.
//
//	once, err := dedupe.New(dedupe.Options{})
//	handle := middleware.Wrap(registry.Handle, once)
//
// Two calls of one session are duplicates if they are of one tool and their arguments have one
// identity (package identity). A duplicate of a call that is running waits for it and gets a copy of its answer:
// outcome coalesced. A duplicate of a call of the same batch that has finished gets a copy at
// once: outcome repeated; so does, with [Options.History], a duplicate of any call of the
// session. Both tell the span of the call that ran. Duplicates are looked for among calls of tools that
// say they are read-only or idempotent, and of those that the options name; a batch with
// two identical writes writes twice. A call without a session goes on alone, with the tag
// dedupe=unscoped.
//
// An answer is shared only as long as nothing has been written that it may have been
// read from ([toolkit.Definition].Resources): a duplicate that comes after a write runs again.
//
// The shared run belongs to none of its callers. It has the first one's context values,
// but no caller's cancellation and no deadline: who gives up leaves at once, with a
// timeout or a cancellation, while others wait; the last one to leave cancels the run
// and stays until it has ended, as if it had called the tool itself. So no run outlives its
// callers. It has a goroutine of its own for that, unless the first caller's context cannot end: then that
// caller runs the tool itself. A panic goes on in the first caller with the same value;
// the others get a failed result of the type panic. A suspended result is the first
// caller's alone: the others run by themselves. A call that a tool makes while it runs waits for no
// duplicate that runs, which may wait for that very tool: it runs by itself.
package dedupe
