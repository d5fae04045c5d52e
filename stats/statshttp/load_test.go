// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// BenchmarkRecordBesideReaders tells how long recording a call takes at 10,000 calls
// a second, alone and beside 20 readers of the dashboard and the API.
func BenchmarkRecordBesideReaders(b *testing.B) {
	for _, readers := range []int{0, 20} {
		b.Run(strconv.Itoa(readers)+" readers", func(b *testing.B) {
			r := newRecorder(b)
			h := handlerOf(b, r)
			stop := make(chan struct{})
			var all sync.WaitGroup
			for i := range readers {
				target := []string{"/api/v1/view", "/api/v1/summary", "/api/v1/tools", "/api/v1/snapshot", "/api/v1/calls"}[i%5]
				all.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							ask(h, target)
						}
					}
				})
			}
			tool := &toolkit.Definition{Name: "search"}
			var took []time.Duration
			next := time.Now()
			for b.Loop() {
				next = next.Add(100 * time.Microsecond)
				for time.Now().Before(next) {
					runtime.Gosched()
				}
				e := call(tool, time.Millisecond, in("s", 1))
				begun := time.Now()
				record(r, e)
				took = append(took, time.Since(begun))
			}
			close(stop)
			all.Wait()
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				b.ReportMetric(float64(took[int(q*float64(len(took)-1))]), "ns-p"+strconv.Itoa(int(q*100)))
			}
		})
	}
}
