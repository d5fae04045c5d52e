// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

// A write that a time limit abandoned may take effect until its tool has ended: what was stored before
// is not given until then, and what is read meanwhile is not given after.
func TestAWriteAbandonedIsAWriteUntilItsToolEnds(t *testing.T) {
	put := toolkit.Definition{Name: "put", Idempotent: toolkit.Yes}
	for _, write := range []string{"write", "put"} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, cache.Options{}, reads, writes, put)
			limit, err := timeout.New(timeout.Options{Default: time.Second, Abandon: []string{write}})
			if err != nil {
				t.Fatal(err)
			}
			duplicates, err := dedupe.New(dedupe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			value, release := "before", make(chan struct{})
			tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
				if call.Name == write {
					<-release
					value = "after"
				}
				return toolkit.Result{Output: value}, nil
			}
			b.handle = toolkit.Observe(func(name string) *toolkit.Definition { return b.tools[name] },
				&b.seen)(middleware.Wrap(tool, limit, b.cache, duplicates))
			ctx := in(toolkit.Session{Tenant: "t", ID: "a", Batch: "b"})
			b.want(t, ctx, call("1", "read", `{}`), "before", executed)
			if _, e := b.do(t, ctx, call("2", write, `{}`)); e.ErrorType != "timeout" {
				t.Fatalf("the write: got %q, want a timeout", e.ErrorType)
			}
			b.want(t, ctx, call("3", "read", `{}`), "before", executed)
			b.want(t, ctx, call("4", "read", `{}`), "before", executed)
			close(release)
			synctest.Wait()
			b.want(t, ctx, call("5", "read", `{}`), "after", executed)
			if got, e := b.do(t, ctx, call("6", "read", `{}`)); got != "after" || e.Disposition.Outcome == executed {
				t.Errorf("%s: got %q, %v, want what is stored by now", write, got, e.Disposition.Outcome)
			}
		})
	}
}
