// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package tooltest has what tests of tools, policies and observers need: a
// [Recorder] that remembers how calls ended, and tools that answer by a script,
// fail, panic, wait or echo.
//
//	var seen tooltest.Recorder
//	execute := toolkit.Observe(registry.Lookup, &seen)(registry.Handle)
//	…
//	if seen.Len() != 1 { … }
//
// Everything here is safe for concurrent use and takes its time from package time,
// so that it works inside a testing/synctest bubble. No function takes a
// *testing.T, and nothing imports package testing.
package tooltest
