// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
	"time"
)

// TestSoak runs the load for 20 seconds, for three minutes with TOOLSCOPE_E2E=1, and for
// as long as TOOLSCOPE_SOAK says.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 seconds or more")
	}
	length := 20 * time.Second
	if os.Getenv("TOOLSCOPE_E2E") == "1" {
		length = 3 * time.Minute
	}
	if v := os.Getenv("TOOLSCOPE_SOAK"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 20*time.Second {
			t.Fatalf("TOOLSCOPE_SOAK: got %q, want a duration of 20s or more", v)
		}
		length = d
	}
	if err := soak(t.Context(), length, 2000, 1); err != nil {
		t.Error(err)
	}
}
