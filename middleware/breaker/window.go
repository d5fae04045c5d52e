// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import "time"

// parts is how many parts a window has. The oldest one leaves at once, so that it covers
// between nine tenths of its length and all of it.
const parts = 10

// A window counts the calls of the last while, without keeping each. The zero value is
// empty and works.
type window struct {
	last [parts]part
}

type part struct {
	number          int64 // since the beginning of time, counted from 1
	calls, failures int
}

// number is the part that a time belongs to.
func number(now, length time.Duration) int64 { return int64(now/(length/parts)) + 1 }

func (w *window) addResult(now, length time.Duration, failed bool) {
	n := number(now, length)
	p := &w.last[n%parts]
	if p.number != n {
		*p = part{number: n}
	}
	p.calls++
	if failed {
		p.failures++
	}
}

func (w *window) sum(now, length time.Duration) (calls, failures int) {
	n := number(now, length)
	for _, p := range w.last {
		if p.number > n-parts && p.number > 0 {
			calls += p.calls
			failures += p.failures
		}
	}
	return calls, failures
}
