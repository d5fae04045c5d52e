// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

var (
	length = flag.Duration("for", 0, "how long calls are made, 20s or more")
	rate   = flag.Int("rate", 2000, "calls a second")
	seed   = flag.Uint64("seed", 1, "of what is random")
)

// TestSoak runs the load for 20 seconds, for one minute with TOOLSCOPE_E2E=1, and for
// as long as -for says.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 seconds or more")
	}
	if *length == 0 {
		*length = 20 * time.Second
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			*length = time.Minute
		}
	}
	if *length < 20*time.Second || *rate < 1 {
		t.Fatal("want -for 20s or more and -rate 1 or more")
	}
	if err := soak(t.Context(), *length, *rate, *seed, t.TempDir()); err != nil {
		t.Error(err)
	}
}

// soak runs the load and judges it: the calls, the spans, which go through a spool to a collector that
// stalls, and what grows.
func soak(ctx context.Context, length time.Duration, rate int, seed uint64, dir string) error {
	before := runtime.NumGoroutine()
	to, err := newCollector()
	if err != nil {
		return err
	}
	// So small that they are full in the first third, before growth is judged: a hundred sessions are in use, and a
	// new one comes with each hundredth call. The default of 10,000 would take a million calls to fill.
	h, err := newHost(ctx, bounds{duplicates: 1 << 20, answers: 2 << 20, spans: 256, sessions: 300, spool: dir,
		ended: &to.ended})
	if err != nil {
		return err
	}
	stalling, endStalls := context.WithCancel(ctx)
	stalled := make(chan struct{})
	go func() { defer close(stalled); to.stallAtTimes(stalling) }()
	stopReaders := h.read()
	samples := make(chan []sample)
	measured, stopMeasuring := context.WithCancel(ctx)
	go func() { samples <- measure(measured, max(time.Second, length/120), h.made.Load) }()
	fmt.Printf("%d calls a second at most, evenly, for %v, %d tools, every policy, %d readers\n", rate, length, len(tools), readers)
	made := h.load(ctx, length, rate, seed)
	stopMeasuring()
	taken := <-samples
	stopReaders()
	endStalls()
	<-stalled

	problems := []error{h.judge(made)}
	problems = append(problems, h.close(ctx), to.judge(h.providers.Ledger()[0]))
	to.close()
	if left := goroutinesAbove(before); left > 0 {
		problems = append(problems, fmt.Errorf("%d goroutines are left after the shutdown", left))
	}
	return errors.Join(append(problems, report(taken, length))...)
}
