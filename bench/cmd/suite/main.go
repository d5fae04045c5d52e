// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command suite runs the benchmarks of this module in several passes and compares the
// medians with the goals:
//
//	go run ./cmd/suite                  a quick run of toolscope's own benchmarks, about three minutes
//	go run ./cmd/suite -full -peers     everything, about forty minutes
//	go run ./cmd/suite -agent 10        the whole-program measure beside Jaeger, ten times each
//	go run ./cmd/suite -only 'Call|Miss' -passes 10
//	go run ./cmd/suite -read -dir DIR   the tables of an earlier run
//	go run ./cmd/suite -peers -agent 10 -passes 8 -into ../docs/performance.md
//
// Each pass runs every benchmark once, so that a burst of other load spoils one sample of
// each and not all of one; a ratio is taken within each pass, and of those the median with
// its 95 % interval, by the arithmetic of benchstat. What the benchmarks print is kept in
// the directory, in Go's format, which benchstat reads as well.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var p plan
	flag.StringVar(&p.dir, "dir", "", "where outputs are kept (default a new temporary directory)")
	flag.BoolVar(&p.full, "full", false, "all goroutines, sizes and scales, instead of those that goals speak of")
	flag.BoolVar(&p.peers, "peers", false, "the peers as well (module peers)")
	flag.IntVar(&p.agent, "agent", 0, "interleaved `runs` of the whole-program measure; builds Jaeger the first time")
	flag.StringVar(&p.only, "only", "", "run only benchmarks whose name matches the `pattern`")
	flag.IntVar(&p.passes, "passes", 6, "how often each benchmark is run; an interval needs 6")
	flag.StringVar(&p.time, "benchtime", "100ms", "how long each benchmark runs in a pass")
	read := flag.Bool("read", false, "run nothing, and print the tables of what -dir holds")
	processor := flag.Bool("cpu", false, "compare processor time where it is known, on a machine that others use as well")
	into := flag.String("into", "", "write the tables into this `file`, between its marks")
	plots := flag.String("plots", "", "write plots of how costs grow into this `directory`")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("got argument %q, want flags only", flag.Arg(0))
	}
	if p.passes < 1 {
		return fmt.Errorf("-passes: got %d, want 1 or more", p.passes)
	}
	if *read && p.dir == "" {
		return fmt.Errorf("-read: got no -dir, want the directory of an earlier run")
	}
	if !*read {
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	s, err := load(filepath.Join(p.dir, "*.txt"))
	if err != nil {
		return err
	}
	s.processor = *processor
	s.writeGoals(os.Stdout)
	fmt.Println()
	s.writeAll(os.Stdout)
	if *into != "" {
		if err := s.writeInto(*into); err != nil {
			return err
		}
	}
	if *plots != "" {
		return s.writePlots(*plots)
	}
	return nil
}
