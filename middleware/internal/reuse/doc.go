// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package reuse is what the Cache and Dedupe policies share: which calls may be answered with the answer of another one
// ([Scope], [Key]), and whether a tool has written what an answer was read from since.
//
// Each resource of each owner has a counter. A write adds [Begin] to its counters before it runs and [End] after; an
// answer remembers the sum of its own counters from before it was read, its stamp, and is right as long as the sum is
// the same. The low bits of a stamp count the writes under way: while there are any, nothing read is kept or given.
package reuse
