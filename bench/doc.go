// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package bench measures what observing a tool call costs: one tool and one call, through
// nothing, through the OpenTelemetry SDK by hand, and through toolscope in each of its
// modes. The benchmarks are in its tests; `make bench` runs them in several interleaved
// passes and compares the medians with the goals ([github.com/toolscope/toolscope/bench/cmd/suite]).
// The module beside it, peers, puts other libraries around the same call.
//
// Only ratios of one run mean something: absolute times are those of a machine and of its
// other load. Every process holds 64 MiB of heap without pointers ([Ballast]), so that the
// collector's share does not depend on what a binary links.
package bench
