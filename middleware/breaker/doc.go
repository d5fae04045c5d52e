// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package breaker stops calling a tool that fails too often, and tries it again after a
// while.
//
//	p, err := breaker.New(breaker.Options{})
//
// There is a circuit for each tool, or for each key the host chooses: a server's name, say.
// It is closed as long as things go well. It opens when some calls in a row failed, or a
// share of those of the last minute; then calls are refused as circuit_open, with the
// time when another one may be tried. After that time it is half open: a few calls try, and
// close it, or open it again.
//
// What counts as a failure is how the call ended, by error.type ([DefaultOn]): timeouts,
// panics, an overloaded service, and errors of the transport that say no more. A failure
// that the tool tells the model of ("tool_error", "invalid_arguments") does not: the
// tool is well, and a model's bad arguments must not take it from everybody. A call that the
// caller cancelled, or that a policy further in refused, says nothing either way.
//
// Guarantees: a probe gives its place back however it ends, by panic and runtime.Goexit
// too; one that hangs keeps it for OpenFor at most; a call that began before the
// circuit changed has no say in what it is now. There are no goroutines or timers.
//
// What it leaves out: a circuit shared among processes.
package breaker
