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
		if _, err := table.lock(ctx, "a", true); !errors.Is(err, toolkit.ErrTimeout) || time.Since(start) != 600*time.Millisecond {
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
