// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Command agentload measures a whole program: agents that ask a model over HTTP, get a
// batch of calls, run the tools of the batch at once, and ask again with the results. The
// tools read 4 KiB over HTTP from another process, which takes 1 to 50 ms to answer; so does
// the model. It does so in turns in two kinds of processes: bare, and wrapped by toolscope
// with everything it does by default, exporting to a real Jaeger.
//
//	go run ./cmd/agentload -runs 10
//
// Output is in Go's benchmark format, a line for each run: wall time and processor time for each call,
// the p99 of how long tools took beyond what they were asked to wait, of the process the peak of
// memory, and the part of its processor time that went into collecting garbage.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "agentload:", err)
		os.Exit(1)
	}
}

// settings are those of one run; the parent passes them on to its children.
type settings struct {
	mode     string
	server   string
	duration time.Duration
	agents   int
	batch    int
	profile  string
}

func run(ctx context.Context) error {
	var s settings
	runs := flag.Int("runs", 10, "how many runs of each kind")
	flag.DurationVar(&s.duration, "duration", 5*time.Second, "how long one run takes")
	flag.IntVar(&s.agents, "agents", 16, "how many agents there are at once")
	flag.IntVar(&s.batch, "batch", 4, "how many calls the model proposes at once")
	flag.StringVar(&s.mode, "mode", "", "run once, bare or wrapped, in this process; needs -server")
	flag.StringVar(&s.server, "server", "", "where the tools' and the model's server is")
	flag.StringVar(&s.profile, "cpuprofile", "", "with -mode, write a CPU profile into this `file`")
	serving := flag.Bool("serve", false, "be the server, until the standard input ends")
	flag.Parse()
	switch {
	case *serving:
		return serve(os.Stdin, os.Stdout)
	case s.mode == "":
		return compare(ctx, s, *runs)
	case s.mode != "bare" && s.mode != "wrapped":
		return fmt.Errorf("-mode: got %q, want bare or wrapped", s.mode)
	}
	return measure(ctx, s)
}
