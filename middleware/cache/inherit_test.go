// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
)

// Policies that take the place of others while a write runs do not keep what is read meanwhile.
func TestAWriteThatRunsUnderTheOldPoliciesIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		value, release := "before", make(chan struct{})
		tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == "write" {
				<-release
				value = "after"
			}
			return toolkit.Result{Output: value}, nil
		}
		tools := map[string]*toolkit.Definition{"read": &reads, "write": &writes}
		var answers *cache.Policy
		var duplicates middleware.Policy
		next := func() toolkit.Handler {
			c, err := cache.New(cache.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d, err := dedupe.New(dedupe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if answers != nil {
				c.Inherit(answers)
				d.(interface{ Inherit(old middleware.Policy) }).Inherit(duplicates)
			}
			answers, duplicates = c, d
			return toolkit.Observe(func(name string) *toolkit.Definition { return tools[name] }, spans{})(middleware.Wrap(tool, c, d))
		}
		ctx := in(toolkit.Session{Tenant: "t", ID: "a", Batch: "b"})
		old := next()
		go func() { _, _ = old(ctx, call("1", "write", "{}")) }()
		synctest.Wait()
		handle := next()
		for range 2 {
			if res, _ := handle(ctx, call("2", "read", "{}")); res.Output != "before" {
				t.Errorf("while it runs: got %q", res.Output)
			}
		}
		close(release)
		synctest.Wait()
		if res, _ := handle(ctx, call("3", "read", "{}")); res.Output != "after" {
			t.Errorf("after it: got %q, want what is there now", res.Output)
		}
		if s := answers.Stats(); s.Fills != 1 {
			t.Errorf("got %d answers stored, want the last one alone", s.Fills)
		}
	})
}
