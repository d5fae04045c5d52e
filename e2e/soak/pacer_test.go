// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"testing"
	"time"
)

// Calls come at the rate also after the machine was busy: what was missed is not made up for.
func TestPacer(t *testing.T) {
	now := time.Unix(0, 0)
	p := pacer{rate: 1000, last: now}
	second := func() (calls int) {
		for range 200 {
			now = now.Add(5 * time.Millisecond)
			calls += p.due(now)
		}
		return calls
	}
	if n := second(); n < 999 || n > 1000 {
		t.Errorf("got %d calls in a second, want 1000", n)
	}
	now = now.Add(time.Minute)
	if n := second(); n > 1100 {
		t.Errorf("got %d calls in the second after a busy minute, want at most 1100", n)
	}
}
