// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// TestACallIsOneToolCall: backends take each span with gen_ai.tool.name for a tool call, so of a call that was
// retried and of an answer that was renewed in the background only the call's own span has keys under gen_ai.
func TestACallIsOneToolCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Attempts: 3})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := cache.New(cache.Options{StaleFor: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		scope, spans := newScope(t, toolscope.Options{Policies: []middleware.Policy{again, stored}})
		tool := &toolkit.Definition{Name: "fetch", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, CacheTTL: time.Minute}
		var runs atomic.Int64
		execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			if runs.Add(1) == 1 {
				return toolkit.Result{}, toolkit.ErrTimeout
			}
			return toolkit.Result{Output: "ok"}, nil
		}, toolkit.Lookup(func(string) *toolkit.Definition { return tool }))
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Tenant: "t", Agent: "a", Conversation: "c"})
		for range 2 {
			if res, err := execute(ctx, toolkit.Call{Name: "fetch"}); err != nil || res.Output != "ok" {
				t.Fatalf("got %v and %v", res, err)
			}
			time.Sleep(2 * time.Minute) // the answer is stale
			synctest.Wait()
		}
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		count := map[string]int{}
		for _, s := range spans.Ended() {
			count[s.Name()]++
			if strings.HasPrefix(s.Name(), "execute_tool ") {
				continue
			}
			for _, kv := range s.Attributes() {
				if strings.HasPrefix(string(kv.Key), "gen_ai.") {
					t.Errorf("%s: got %s=%s, want no key of the conventions", s.Name(), kv.Key, kv.Value.String())
				}
			}
			if got := valueOf(s, "toolscope.tool.name"); got != "fetch" {
				t.Errorf("%s: got the tool %q, want fetch", s.Name(), got)
			}
		}
		if count["execute_tool fetch"] != 2 || count["toolscope.attempt"] < 2 || count["toolscope.renewal"] != 1 {
			t.Errorf("got spans %v, want two calls, at least two attempts and a renewal", count)
		}
	})
}
