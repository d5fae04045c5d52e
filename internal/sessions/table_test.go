// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sessions_test

import (
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/sessions"
)

func TestTableKeepsAValueForEachKey(t *testing.T) {
	made := 0
	table := sessions.New[string](0, 0, func() *int { made++; return new(int) })
	now := time.Unix(1000, 0)
	a := table.Get("a", now)
	*a = 7
	if b := table.Get("b", now); b == a || *b != 0 {
		t.Error("two keys share a value")
	}
	if got := table.Get("a", now.Add(-time.Hour)); got != a || made != 2 {
		t.Errorf("the value was made again (%d made)", made)
	}
	table.Drop("a")
	table.Drop("never there")
	if got := table.Get("a", now); *got != 0 || table.Forgotten() != 1 || table.Len() != 2 {
		t.Errorf("after Drop: got %d, %d forgotten, %d kept, want 0, 1, 2", *got, table.Forgotten(), table.Len())
	}
}

func TestTableForgetsIdleKeys(t *testing.T) {
	table := sessions.New[int](0, time.Minute, func() *int { return new(int) })
	start := time.Unix(1000, 0)
	for i := range 1000 {
		*table.Get(i, start) = 1
	}
	*table.Get(3, start.Add(50*time.Second))++
	later := start.Add(61 * time.Second)
	for i := range 1000 {
		want := 0
		if i == 3 {
			want = 2
		}
		if got := *table.Get(i, later); got != want {
			t.Fatalf("key %d has %d, want %d", i, got, want)
		}
	}
	if table.Len() != 1000 {
		t.Errorf("%d keys, want 1000", table.Len())
	}
}

func TestTableIsBoundedAndDropsTheLongestUnused(t *testing.T) {
	table := sessions.New[int](160, 0, func() *int { return new(int) })
	now := time.Unix(1000, 0)
	kept := table.Get(-1, now)
	*kept = 1
	for i := range 100_000 {
		now = now.Add(time.Microsecond)
		table.Get(i, now)
		if table.Get(-1, now) != kept {
			t.Fatal("a key in use was forgotten")
		}
	}
	if n := table.Len(); n > 160 {
		t.Errorf("%d keys, want at most 160", n)
	}
}

func TestTableIsSafeForConcurrentUse(t *testing.T) {
	table := sessions.New[int](64, 0, func() *sync.Mutex { return new(sync.Mutex) })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				if m := table.Get((i*g)%200, time.Unix(int64(i), 0)); m.TryLock() {
					m.Unlock()
				}
				if i%7 == 0 {
					table.Drop(i % 200)
				}
			}
		})
	}
	wg.Wait()
	if n := table.Len(); n > 64 {
		t.Errorf("%d keys, want at most 64", n)
	}
}

func BenchmarkGet(b *testing.B) {
	table := sessions.New[string](0, 0, func() *int { return new(int) })
	now := time.Unix(1000, 0)
	table.Get("session", now)
	b.ReportAllocs()
	for b.Loop() {
		table.Get("session", now)
	}
}

func TestInheritTakesTheLastUsed(t *testing.T) {
	made := 0
	make := func() *int { made++; return new(int) }
	old, next := sessions.New[int](3200, 0, make), sessions.New[int](160, time.Minute, make)
	start := time.Unix(1000, 0)
	at := func(i int) time.Time { return start.Add(time.Duration(i) * time.Second) }
	for i := range 1000 {
		*old.Get(i, at(i)) = i
	}
	seen := 0
	next.Inherit(old, func(*int) { seen++ })
	if n := next.Len(); seen != 1000 || made != 1000 || n > 160 || n < 140 || old.Len() != 1000 {
		t.Errorf("saw %d of 1000, made %d, kept %d of 160, left %d in the old one", seen, made, n, old.Len())
	}
	if a, b := next.Get(999, at(999)), old.Get(999, at(999)); a != b {
		t.Error("the two do not have the same value")
	}
	if *next.Get(0, at(999)) != 0 || made != 1001 {
		t.Error("the longest unused did not leave first")
	}
	if *next.Get(998, at(10_000)) != 0 {
		t.Error("what was idle for too long is not forgotten")
	}
}
