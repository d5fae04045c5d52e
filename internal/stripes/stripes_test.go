// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stripes_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/internal/stripes"
)

// TestWritersAreSpread: goroutines that run at the same time write to several places, and
// each place is one that exists.
func TestWritersAreSpread(t *testing.T) {
	var used [stripes.Count]atomic.Int64
	var started, all sync.WaitGroup
	started.Add(64)
	for range 64 {
		all.Go(func() {
			started.Done()
			started.Wait() // all stacks exist at once
			used[stripes.Own()].Add(1)
		})
	}
	all.Wait()
	places := 0
	for i := range used {
		if used[i].Load() > 0 {
			places++
		}
	}
	if places < stripes.Count/2 {
		t.Errorf("64 goroutines use %d of %d places, want at least half", places, stripes.Count)
	}
}

func TestOwnAllocatesNothing(t *testing.T) {
	if got := testing.AllocsPerRun(100, func() { stripes.NewSpread(3).Own() }); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

type place struct {
	n atomic.Uint64
	_ [56]byte
}

// BenchmarkAdd compares one shared counter with striped ones, from as many goroutines as
// there are processors.
func BenchmarkAdd(b *testing.B) {
	b.Run("shared", func(b *testing.B) {
		var shared place
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				shared.n.Add(1)
			}
		})
	})
	b.Run("striped", func(b *testing.B) {
		var each [stripes.Count]place
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				each[stripes.Own()].n.Add(1)
			}
		})
	})
}
