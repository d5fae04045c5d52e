// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table lockTable
		var mu sync.Mutex
		var order []string
		hold := func(name, path string, write bool, after time.Duration) {
			go func() {
				time.Sleep(after)
				unlock, err := table.lock(t.Context(), path, write)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(time.Second)
				unlock()
			}()
		}
		hold("reader 1", "a", false, 0)
		hold("reader 2", "a", false, 100*time.Millisecond)
		hold("writer", "a", true, 200*time.Millisecond)
		hold("reader 3", "a", false, 300*time.Millisecond) // waits behind the writer
		hold("other file", "b", true, 400*time.Millisecond)
		start := time.Now()

		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if got := len(order); got != 3 || len(table.paths) != 2 {
			t.Errorf("got %q and %d paths, want the readers of a and the writer of b", order, len(table.paths))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := table.lock(ctx, "a", true); !errors.Is(err, toolkit.ErrTimeout) ||
			time.Since(start) != 600*time.Millisecond {
			t.Errorf("got %v after %v, want a timeout after 600ms", err, time.Since(start))
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(order) != 5 || order[3] != "writer" || order[4] != "reader 3" {
			t.Errorf("got %q, want the writer before reader 3", order)
		}
		if len(table.paths) != 0 {
			t.Errorf("%d paths are kept, want none", len(table.paths))
		}
	})
}

// TestHold checks that calls with several paths, in any order, and with whole trees
// never wait for each other in a circle, and that the table is empty afterwards.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := &Toolset{}
		r1, r2 := &root{Root: Root{Name: "r"}}, &root{Root: Root{Name: "s"}}
		a, b, c := place{root: r1, path: "a"}, place{root: r1, path: "b"}, place{root: r2, path: "a"}
		sets := [][]claim{
			{{a, true, false}, {b, true, false}}, {{b, true, false}, {a, true, false}}, {{a, false, false}},
			{{b, true, true}}, {{c, true, true}, {a, true, true}},
			{{a, false, false}, {a, true, false}}, {{c, false, false}, {b, false, false}},
		}
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				release, err := tools.hold(t.Context(), sets[i%len(sets)]...)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
				release()
			})
		}
		all.Wait()
		if n := len(tools.locks.paths); n != 0 {
			t.Errorf("%d paths are kept, want none", n)
		}

		release, err := tools.hold(t.Context(), claim{a, true, true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := tools.hold(ctx, claim{place: c}, claim{place: b}); !errors.Is(err, toolkit.ErrTimeout) {
			t.Errorf("got %v, want to wait for the tree of r until the time is over", err)
		}
		if release, err := tools.hold(t.Context(), claim{place: c}); err != nil {
			t.Error(err)
		} else {
			release()
		}
		release()
		if n := len(tools.locks.paths); n != 0 {
			t.Errorf("%d paths are kept after a timeout, want none", n)
		}
	})
}

// TestSeenIsBounded checks that what is remembered does not grow without end.
func TestSeenIsBounded(t *testing.T) {
	var table seenTable
	r := &root{Root: Root{Name: "r"}}
	for i := range maxSeen + 100 {
		table.remember(t.Context(), place{root: r, path: string(rune('a'+i%26)) + time.Duration(i).String()}, nil)
	}
	if len(table.files) != maxSeen || table.order.Len() != maxSeen {
		t.Errorf("got %d and %d, want %d", len(table.files), table.order.Len(), maxSeen)
	}
}
