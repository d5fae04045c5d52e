// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package peers puts other projects' instrumentation around the call of module bench, in
// one binary with ours, so that ratios are of one run. It is a module of its own: what it
// brings in is no other module's. `make bench-peers` runs it.
//
// What each of them records differs; docs/performance.md says what. None redacts.
package peers
