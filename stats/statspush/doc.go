// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statspush sends the statistics of a process to a receiver, which adds up those of many: for
// jobs that end before anyone asks them, and for a fleet without a Collector.
//
// A process sends what it counted since its start, every ten seconds and when it ends:
//
//	push, err := statspush.New("https://stats.example.com", recorder, statspush.Options{Token: token})
//	defer push.Close(ctx)
//
// The receiver is the command `toolscope stats serve`, or a [Receiver] in a program of your own. It
// counts into a [stats.Recorder], so package statshttp serves the same pages and percentiles as of one process.
// A push that is lost, late or repeated changes nothing: the next one has everything. Sessions, loops and
// single calls are not sent.
//
// Pushing never holds up a call. While the receiver is away, nothing is lost as long as the process lives.
package statspush
