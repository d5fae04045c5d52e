// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"testing"

	"github.com/toolscope/toolscope/bench"
)

// BenchmarkFresh is the call on a goroutine of its own, as servers and executors of batches
// make it: its stack is small and has to grow, which a tight loop hides.
func BenchmarkFresh(b *testing.B) {
	for _, name := range []string{"nothing", "hand", "no-provider", "sampled-off", "sampled"} {
		b.Run("mode="+name, func(b *testing.B) {
			w := wrap(b, bench.Find(name), bench.Tool)
			try(b, w, bench.Call)
			done := make(chan struct{})
			bench.Measure(b, 1, func() {
				go func() {
					_, _ = w.Handler(w.Context, bench.Call)
					done <- struct{}{}
				}()
				<-done
			})
		})
	}
}
