// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Soak makes calls at a steady rate for a long time, of all kinds, under every policy and
// beside readers, and says whether the process grows: resident memory, live heap,
// goroutines and file descriptors, each with its slope. At the end every count must be
// exact. It leaves with 1 if something grows or a count is wrong.
//
//	go run ./soak -for 30m -rate 2000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	length := flag.Duration("for", 3*time.Minute, "how long calls are made, 20s or more")
	rate := flag.Int("rate", 2000, "calls a second")
	seed := flag.Uint64("seed", 1, "of what is random")
	flag.Parse()
	if *length < 20*time.Second || *rate < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "soak: want -for 20s or more, -rate 1 or more and no other words")
		os.Exit(2)
	}
	if err := soak(context.Background(), *length, *rate, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak runs the load and judges it.
func soak(ctx context.Context, length time.Duration, rate int, seed uint64) error {
	before := runtime.NumGoroutine()
	h, err := newHost(ctx, bounds{duplicates: 1 << 20, answers: 2 << 20, spans: 256}) // so small that they are soon full
	if err != nil {
		return err
	}
	stopReaders := h.read()
	samples := make(chan []sample)
	measured, stopMeasuring := context.WithCancel(ctx)
	go func() { samples <- measure(measured, max(time.Second, length/120)) }()
	fmt.Printf("%d calls a second for %v, %d tools, every policy, %d readers\n", rate, length, len(tools), readers)
	made := h.load(ctx, length, rate, seed)
	stopMeasuring()
	taken := <-samples
	stopReaders()

	problems := []error{h.judge(made)}
	problems = append(problems, h.close(ctx))
	if left := goroutinesAbove(before); left > 0 {
		problems = append(problems, fmt.Errorf("%d goroutines are left after the shutdown", left))
	}
	return errors.Join(append(problems, report(taken, length))...)
}
