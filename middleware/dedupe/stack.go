// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

// room makes the stack of a new goroutine as large as policies and a tool usually need, at once. Else
// it grows by doubling while they run, and is copied each time: a sixth of what all policies take.
//
//go:noinline
func room(at int) byte {
	var frame [6 << 10]byte
	frame[at] = 1
	return frame[at/2]
}
