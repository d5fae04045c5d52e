// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package memo

import (
	"fmt"
	"sync"
	"testing"
)

func TestTable(t *testing.T) {
	table := NewTable[string, int](16)
	if _, ok := table.Load(String("a"), "a"); ok {
		t.Error("an empty table has a value")
	}
	table.Store(String("a"), "a", 1)
	if v, ok := table.Load(String("a"), "a"); v != 1 || !ok {
		t.Errorf("got %d, %v, want 1", v, ok)
	}
	if _, ok := table.Load(String("a"), "b"); ok {
		t.Error("a key in the same slot has another's value")
	}
	table.Store(String("a"), "b", 2)
	if _, ok := table.Load(String("a"), "a"); ok {
		t.Error("a key is still there after another one took its slot")
	}
}

func TestTableOfOne(t *testing.T) {
	table := NewTable[string, int](1)
	table.Store(^uint64(0), "a", 1)
	if v, ok := table.Load(1, "a"); v != 1 || !ok {
		t.Errorf("got %d, %v, want 1: there is one slot", v, ok)
	}
}

func TestYieldsSeldom(t *testing.T) {
	table := NewTable[int, int](1)
	if !table.Yields(0) {
		t.Error("a slot that no key has: got false")
	}
	table.Store(0, 1, 1)
	stays, yields := 0, 0
	for range 10_000 {
		if table.Yields(0) {
			yields++
		} else {
			stays++
		}
	}
	if yields == 0 || stays < 9*yields {
		t.Errorf("a slot that another key has: true %d times of %d, want some and few", yields, stays+yields)
	}
}

func TestNewTableWantsAPowerOfTwo(t *testing.T) {
	for _, n := range []int{-1, 0, 3, 100} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d slots: no panic", n)
				}
			}()
			NewTable[int, int](n)
		}()
	}
}

// TestTableIsShared: what is found for a key is always what was stored for it.
func TestTableIsShared(t *testing.T) {
	table := NewTable[string, string](8)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint((i + g) % 50)
				if v, ok := table.Load(String(key), key); ok && v != "value of "+key {
					t.Errorf("%s: got %q", key, v)
					return
				}
				table.Store(String(key), key, "value of "+key)
			}
		})
	}
	all.Wait()
}

func TestLocal(t *testing.T) {
	var l Local[[2]uint64, int]
	if _, ok := l.Load(0, new([2]uint64)); ok {
		t.Error("the zero key is there, and nothing was stored")
	}
	for i := range uint64(1000) {
		key := &[2]uint64{i, i}
		l.Store(Mix(0, i), key, int(i))
		if v, ok := l.Load(Mix(0, i), key); v != int(i) || !ok {
			t.Errorf("got %d, %v, want %d", v, ok, i)
		}
		if _, ok := l.Load(Mix(0, i), &[2]uint64{i, i + 1}); ok {
			t.Error("a key in the same slot has another's value")
		}
	}
}

func TestFindingAllocatesNothing(t *testing.T) {
	table := NewTable[string, int](64)
	table.Store(String("name"), "name", 1)
	var l Local[string, int]
	name := "name"
	if n := testing.AllocsPerRun(100, func() {
		table.Load(String("name"), "name")
		l.Store(String(name), &name, 1)
		l.Load(String(name), &name)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestPointerSpreads: addresses in a row, as an allocator gives them, have slots of their own.
func TestPointerSpreads(t *testing.T) {
	objects := make([][8]uint64, 128)
	slots := make(map[uint64]bool)
	for i := range objects {
		slots[Pointer(&objects[i])>>(64-8)] = true
	}
	if len(slots) < 64 {
		t.Errorf("128 addresses in a row have %d of 256 slots, want 64 or more", len(slots))
	}
}

func BenchmarkTableLoad(b *testing.B) {
	type thing struct{ name string }
	table := NewTable[*thing, int](256)
	key := &thing{"a"}
	table.Store(Pointer(key), key, 1)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, ok := table.Load(Pointer(key), key); !ok {
				b.Fail()
			}
		}
	})
}

func BenchmarkTableLoadString(b *testing.B) {
	table := NewTable[string, int](256)
	table.Store(String("session-4711"), "session-4711", 1)
	b.ReportAllocs()
	for b.Loop() {
		table.Load(String("session-4711"), "session-4711")
	}
}

func BenchmarkLocalLoad(b *testing.B) {
	var l Local[[3]uint64, int]
	key := &[3]uint64{1, 2, 3}
	l.Store(Mix(0, 1), key, 1)
	b.ReportAllocs()
	for b.Loop() {
		l.Load(Mix(0, 1), key)
	}
}
