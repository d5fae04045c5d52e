// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package stats is the operator's view of an agent's tool calls: how often, how
// long, how often wrong and why, per tool and overall, over any window, from
// every call whether its trace is sampled or not.
//
//	recorder, err := stats.New(stats.Options{})
//	execute := toolkit.Observe(registry.Lookup, recorder)(registry.Handle)
//	summary := recorder.Summary(stats.Window{Last: 5 * time.Minute})
//
// # The parts
//
//   - [Recorder] is a [toolkit.Observer]. Recording a call takes no lock and
//     allocates nothing: atomic counters are laid out as an HdrHistogram's
//     buckets are, and made where a value first falls.
//   - Every ten seconds the counters are sealed into an interval; intervals are
//     kept in HdrHistogram's V2 form, and rolled into minutes and tens of
//     minutes as they age.
//   - [Snapshot] is what was counted in a span of time, raw: what [Recorder.Snapshot]
//     makes of intervals, what processes exchange, what [Merge] adds and
//     [Snapshot.Sub] takes away. Its histograms are [Histogram]s.
//   - [Summary] is what people read: rates, percentiles, shares, compared with
//     the window before. It is computed from snapshots.
//   - [ErrorGroup], [RecentCall], [SessionStats], [Loop] and [Health] answer why
//     an agent is slow, stuck or expensive; [PolicyCount] what policies did about
//     it. [Recorder.Register] lists the tools there are, so that those never used
//     can be named.
//   - Package statshttp serves all of it over HTTP, with a dashboard.
//
// Reading: [Recorder.Snapshot], [Recorder.Intervals], [Recorder.Summary],
// [Recorder.Recent], [Recorder.Call], [Recorder.Sessions], [Recorder.Loops],
// [Recorder.Health], [Recorder.Limits]. All may be called at any time by any
// number of goroutines.
//
// # What is guaranteed
//
// Percentiles are of calls that ran ([toolkit.OutcomeExecuted]): hits, duplicates
// and refusals are excluded because they would skew them. They are within 0.1 % or 100 ns of the exact value
// at three digits, and a merge of snapshots answers as one histogram of all
// values does. Counts are exact. Readers do not delay calls. Memory is bounded
// whatever the traffic does ([Recorder.Limits]); what exceeds a bound is counted
// as such. Text of errors, and names of sessions and agents, pass the redactor
// before they are stored; arguments and results are never looked at.
//
// # What is left out
//
// The package knows no OpenTelemetry: trace ids come from [toolkit.CallInfo]. A time
// above one hour counts as one hour. The file `docs/stats.md` says what each
// figure means and how snapshots are encoded.
package stats
