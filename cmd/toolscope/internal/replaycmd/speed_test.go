// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
)

// Between calls a replay waits as long as the session did, divided by the speed, and ends with its context.
func TestSpeed(t *testing.T) {
	began := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for speed, want := range map[float64]time.Duration{0: 0, 1: 30 * time.Second, 2: 15 * time.Second, 10: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			r := &replay{options: &options{speed: speed}}
			start := time.Now()
			for _, after := range []time.Duration{0, 10 * time.Second, 10 * time.Second, 30 * time.Second, 20 * time.Second} {
				if err := r.wait(t.Context(), &transcript.Batch{Notes: []transcript.Note{{Began: began.Add(after)}}}); err != nil {
					t.Fatal(err)
				}
			}
			if got := time.Since(start); got != want {
				t.Errorf("speed %v: got %v, want %v", speed, got, want)
			}
			if speed == 0 {
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			late := &transcript.Batch{Notes: []transcript.Note{{Began: began.Add(time.Hour)}}}
			if err := r.wait(ctx, late); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("speed %v: got %v, want the context's end", speed, err)
			}
		})
	}
}
