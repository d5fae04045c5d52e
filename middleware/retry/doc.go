// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package retry runs a call again that failed in a way the host has named.
//
//	p, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout, toolkit.ErrOverloaded}})
//
// Nothing is retried by default: your application names the error types, and only
// tools whose definitions say that they are read-only or idempotent, or that the host
// names, run twice. A result that is suspended is never retried, nor is runtime.Goexit; a panic
// only if "panic" is named.
//
// Between attempts the policy waits, exponentially longer each time and with full
// jitter, at least as long as the error asks for, never beyond the caller's deadline. A
// budget bounds the retries of all calls together, so that a tool in trouble does not
// get more traffic, but at most a tenth more. Each attempt asks the breaker, holds a slot
// and has its own clock, and is passed to the call's observers: tracing makes a span of each.
//
// What it leaves out: hedging (a second attempt while the first one runs), and retries of
// a part of a streamed answer. A model that reads the failure may well choose better: retry
// what is transient, and leave the rest to it.
package retry
