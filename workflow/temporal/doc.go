// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package temporal runs workflows of package workflow on Temporal, so that a run outlives the process that started it: when a
// worker dies, another one goes on with the next step.
//
// Each step is an activity: one call of the worker's governed handler. A call of a tool that may write is made at most
// once. If its worker is lost, the step fails and says that the call may or may not have taken effect. Calls of tools
// that only read or are idempotent are tried up to three times.
//
// A call that needs an approval does not occupy a worker while it waits: see [Engine.Waiting] and [Engine.Decide].
//
// Arguments, results and error messages are encrypted before they reach the server.
//
// docs/workflow.md describes workflows, and has a complete worker.
package temporal
