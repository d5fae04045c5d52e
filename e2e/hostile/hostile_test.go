// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"
)

// TestHostile runs each case for a moment. How long calls take is judged by make chaos, on a quiet
// machine; here a call counts as held up if it took a second.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	problems, err := hostile(t.Context(), 500*time.Millisecond, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
