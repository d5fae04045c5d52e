// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Hostile makes calls whose spans go to destinations, and through disks, that misbehave in
// every way we could think of, and prints what that did: to the calls, to memory, and whether
// toolscope said so and recovered without a restart. It leaves with 1 if a call waited,
// memory grew, nothing was said or nothing came after the destination was well again.
//
//	go run ./hostile -for 5s
//	go run ./hostile -for 5s -outages 10
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/otel"
)

func main() {
	length := flag.Duration("for", 3*time.Second, "how long each destination is called, 500ms or more")
	limit := flag.Duration("limit", time.Millisecond, "what the 99.9th percentile may be above that of the healthy destination")
	runs := flag.Int(
		"outages", 0,
		"compare the 99th percentile with and without the destination instead, in so many interleaved runs",
	)
	flag.Parse()
	if *runs > 0 {
		ratio, err := outages(context.Background(), *runs, *length)
		if err != nil || ratio > 1.05 {
			fmt.Fprintf(os.Stderr, "hostile: got %.3f times, want at most 1.05 (%v)\n", ratio, err)
			os.Exit(1)
		}
		return
	}
	if *length < 500*time.Millisecond || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "hostile: want -for 500ms or more and no other words")
		os.Exit(2)
	}
	problems, err := hostile(context.Background(), *length, *limit)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "hostile:", p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
	}
	if err != nil || len(problems) > 0 {
		os.Exit(1)
	}
}

// hostile runs all cases. Each is measured next to a healthy destination, alternately, so that what else the
// machine does spoils both alike.
func hostile(ctx context.Context, length, limit time.Duration) (problems []string, err error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // the table says it
	fmt.Printf(
		"%-38s %10s %10s %9s %6s %10s  %s\n", "destination", "p99.9", "healthy's", "heap MiB", "told",
		"recovered", "what was said",
	)
	for _, c := range cases() {
		r, err := c.run(ctx, length)
		if err == nil && r.p999 > r.healthy+limit { // what holds calls up does so again, and a machine that stood still does not
			r, err = c.run(ctx, length)
		}
		if err != nil {
			return problems, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf(
			"%-38s %10v %10v %9.1f %6v %10v  %.90s\n", c.name, r.p999.Round(time.Microsecond),
			r.healthy.Round(time.Microsecond), r.heapMiB, r.said != "", r.recovered, r.said,
		)
		if r.p999 > r.healthy+limit {
			problems = append(
				problems,
				fmt.Sprintf(
					"%s: the 99.9th percentile is %v, beside a healthy destination %v", c.name, r.p999,
					r.healthy,
				),
			)
		}
		if r.heapMiB > 24 {
			problems = append(problems, fmt.Sprintf("%s: the heap grew by %.1f MiB", c.name, r.heapMiB))
		}
		if !r.recovered {
			problems = append(problems, c.name+": no span came after the destination was well again")
		}
		if r.said == "" && !c.silent {
			problems = append(problems, c.name+": nothing was said of it")
		}
	}
	return problems, nil
}
