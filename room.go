// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

// roomBytes is how much of a stack observing a call takes, about. TestRoom of tests/scope measures it.
const roomBytes = 5 << 10

// makeRoom sees to it that the goroutine's stack has room for observing a call. Calls are often
// made on goroutines of their own, whose stacks begin with 2 KiB and are copied, frame by frame,
// each time they are full: twice, and where a call ends there are many frames. Here it is once,
// and there are few, which saves a quarter of such a call's cost and more. Where there is room
// it is a comparison. A call that waits in a tool then has the stack that it would end with
// otherwise: 8 KiB where it may have had 4.
func makeRoom() { takeRoom(false) }

// takeRoom has a frame of roomBytes, for which the runtime makes room when it is called,
// and writes to it only if asked to.
//
//go:noinline
func takeRoom(write bool) {
	if write {
		var room [roomBytes]byte
		writeTo(&room)
	}
}

//go:noinline
func writeTo(room *[roomBytes]byte) { room[0] = 1 }
