// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package loop is the policy that notices a model going round in circles.
//
//	loops, err := loop.New(loop.Options{Default: loop.Thresholds{Stop: 8}})
//	handle := middleware.Wrap(registry.Handle, loops)
//
// It knows four kinds:
//
//   - repeat: the very same call again. Calls in between do not matter as long as
//     the same comes of it; calls in a row count whatever comes of them. A model
//     that reads a file after each edit is in no loop.
//   - cycle: the same 2 to 8 calls in turn, each with the same result as the time
//     before.
//   - error: a tool fails again and again in the same way, whatever the arguments.
//     Words of the message that stand in the arguments, or are not made of letters, do
//     not count.
//   - no_progress: a tool gives different arguments the same answer. Writing tools do
//     that when all is well ("ok"), so it is looked for in tools that are read-only or
//     named in [Options].Tools; of tools that say nothing it is a signal only.
//
// At thresholds, for all or by tool, a loop is a signal (tags loop.kind, loop.count,
// loop.action, loop.length of cycles, and a callback), advice (a line for the model
// after the result), or a stop (the call is refused with kind loop_detected). Without a
// word, the third time is a signal, the fifth is advice, and nothing is stopped.
//
// The policy stands before all that refuse, so a model that repeats a refused or
// invalid call is noticed. A call's Disposition.Repeat says how often the agent made it before.
// What is remembered belongs to one agent of one session: fingerprints of its last
// calls, for a bounded number of sessions, and none that was idle for long. A call
// outside any session is let through with the tag loop=unscoped. Calls of one batch
// count in the order in which they arrive. What was suspended, or cancelled by its
// caller, is part of no loop.
package loop
