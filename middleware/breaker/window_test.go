// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"testing"
	"time"
)

// Calls leave between nine tenths of the window and all of it after they were made.
func TestCallsLeaveTheWindow(t *testing.T) {
	const length = 100
	for at := range time.Duration(length) {
		var w window
		w.addResult(at, length, true)
		for age := range time.Duration(2 * length) {
			calls, failures := w.sum(at+age, length)
			if calls != failures || age <= length*9/10 && calls != 1 || age >= length && calls != 0 {
				t.Fatalf("a call at %d is %d times in the window at %d", at, calls, at+age)
			}
		}
	}
}
