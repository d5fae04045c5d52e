// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// outages compares the 99th percentile of calls while the destination is away, and spans are kept on
// disk, with that while it is there: alternately, runs of each, of which the median counts.
func outages(ctx context.Context, runs int, length time.Duration) (ratio float64, err error) {
	dir, err := os.MkdirTemp("", "outages")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	a, err := newAgent(ctx, filepath.Join(dir, "spool"))
	if err != nil {
		return 0, err
	}
	var ratios []float64
	fmt.Printf("%4s %12s %12s %8s\n", "run", "p99 there", "p99 away", "ratio")
	for run := range runs {
		there := a.p99(ctx, manner{}, length)
		away := a.p99(ctx, manner{refuse: true}, length)
		ratios = append(ratios, float64(away)/float64(there))
		fmt.Printf("%4d %12v %12v %8.3f\n", run+1, there, away, ratios[run])
	}
	slices.Sort(ratios)
	ratio = (ratios[(runs-1)/2] + ratios[runs/2]) / 2
	fmt.Printf("median of %d runs of %v: %.3f times\n", runs, length, ratio)
	return ratio, a.close(ctx)
}

// p99 is the 99th percentile of calls at 2,000 a second while the destination behaves so.
func (a *agent) p99(ctx context.Context, m manner, length time.Duration) time.Duration {
	a.to.be(m)
	time.Sleep(200 * time.Millisecond) // what the change itself does is over
	var all []time.Duration
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < length; <-tick.C {
		all = append(all, a.call(ctx, len(all)))
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}
