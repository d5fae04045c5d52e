// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stripes

import "unsafe"

const (
	// Count is how many places writers are spread over.
	Count = 1 << countBits

	countBits = 3
	// golden is 2^64 divided by the golden ratio: an odd number whose bits are well mixed.
	golden = 0x9E3779B97F4A7C15
)

// A Spread decides which goroutine writes where. Different spreads put different
// goroutines together.
type Spread uint64

// NewSpread is the spread of a number. That of 0 is the one of [Own].
func NewSpread(n uint32) Spread { return Spread(golden*uint64(n+1) | 1) }

// Own is the place of the calling goroutine, below [Count].
func (s Spread) Own() uint64 { return goroutine() * uint64(s) >> (64 - countBits) }

// Own is the place of the calling goroutine, below [Count].
func Own() uint64 { return Spread(golden).Own() }

// goroutine is a number that differs between goroutines which run at the same time:
// the address of their stack without its lower bits. It may change as a stack grows. No
// pointer is ever made of it. The standard library's way, a sync.Pool per processor, takes
// three times as long as all of the recording of a call.
func goroutine() uint64 {
	var here byte
	return uint64(uintptr(unsafe.Pointer(&here)) >> 11)
}
