// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
)

var (
	length = flag.Duration("for", 0, "how long each destination is called, 500ms or more")
	limit  = flag.Duration("limit", time.Millisecond, "what the 99.9th percentile may be above that of the healthy destination")
	runs   = flag.Int("outages", 0, "in how many interleaved runs TestOutages compares")
)

// TestHostile runs each case, for a moment by default. How long calls take is judged by make chaos, on a
// quiet machine; by default a call counts as held up if it took a second.
func TestHostile(t *testing.T) {
	if testing.Short() || *runs > 0 {
		t.Skip("it takes half a minute")
	}
	long, above := *length, *limit
	if long == 0 {
		long, above = 500*time.Millisecond, time.Second
	}
	if long < 500*time.Millisecond {
		t.Fatal("want -for 500ms or more")
	}
	problems, err := hostile(t.Context(), long, above)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestOutages compares calls with and without the destination.
func TestOutages(t *testing.T) {
	if *runs == 0 {
		t.Skip("want -outages N and a quiet machine")
	}
	ratio, err := outages(t.Context(), *runs, max(*length, 500*time.Millisecond))
	if err != nil || ratio > 1.05 {
		t.Errorf("got %.3f times, want at most 1.05 (%v)", ratio, err)
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
