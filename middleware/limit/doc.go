// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package limit bounds how many calls run at once and how many begin in a time.
//
//	p, err := limit.New(limit.Options{
//		Concurrency: limit.Concurrency{Global: 16, PerKey: 4},
//		Rate:        limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 60, Window: time.Minute}},
//	})
//
// Guarantees, whatever the interleaving:
//
//   - Never more than N calls run, of all, of a tool, or of a key (a session,
//     unless told otherwise). A caller that leaves, by a return, a panic or
//     runtime.Goexit, leaves no slot behind; nor does a caller who gives up. A tool
//     that a time limit abandoned has its slot until it ends.
//   - Those that wait are bounded in number and in time, and served in turns, one key
//     after the other, first come first served within a key. The wait is recorded as
//     the call's Queue.
//   - Never more than MaxCalls calls begin in any window of a rate limit, wherever the
//     window is put. A token bucket would let twice as many in.
//   - A call that finds a slot and succeeds allocates nothing. There are no goroutines.
//
// A definition's RateLimit holds by default: the zero [Options] do just that.
//
// Rate limits can be shared among processes ([Rate].Store).
//
// What it leaves out: a concurrency limit shared among processes, and calls within calls. A tool
// that calls other tools through the same policy holds its slot while they wait for
// theirs, so that a few such tools could take all slots and wait for ever: set CallsTools in
// its definition, or put it on [Options].Exempt. (Concurrency.MaxWait ends such a wait.)
package limit
