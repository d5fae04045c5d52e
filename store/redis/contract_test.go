// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/approve/approvetest"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/breaker/breakertest"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/budget/budgettest"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/cache/cachetest"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/dedupe/dedupetest"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/limit/limittest"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/loop/looptest"
	"github.com/toolscope/toolscope/store/redis"
	"github.com/toolscope/toolscope/toolkit"
)

// TestContracts runs the tests that the stores of one process pass: on one server; with two secrets; and on a node of a
// cluster, which refuses scripts whose keys are not on one node.
func TestContracts(t *testing.T) {
	t.Run("one server", func(t *testing.T) {
		t.Parallel()
		contracts(t, startServer(t))
	})
	t.Run("two secrets", func(t *testing.T) {
		t.Parallel()
		contracts(t, startServer(t), func(o *redis.Options) { o.Secrets = append(o.Secrets, secret()) })
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		// Without a port of its own the bus has the server's plus 10,000, and a server above 55,535 does not start.
		_, bus := freePort(t)
		s := startServer(t, "--cluster-enabled", "yes", "--cluster-port", bus)
		ctx := context.Background()
		if err := s.admin(t).Do(ctx, "CLUSTER", "ADDSLOTSRANGE", 0, 16383).Err(); err != nil {
			t.Fatal(err)
		}
		until(t, "the cluster is up", func() bool { return s.admin(t).Set(ctx, "x", 1, time.Second).Err() == nil })
		contracts(t, s, func(o *redis.Options) { o.Cluster = true })
	})
}

func contracts(t *testing.T, s *server, change ...func(*redis.Options)) {
	fresh := func(t *testing.T) *redis.Store {
		s.flush(t)
		return open(t, s, change...)
	}
	allContracts(t, fresh)
}

func allContracts(t *testing.T, fresh func(*testing.T) *redis.Store) {
	t.Run("cache", func(t *testing.T) { cachetest.Run(t, func() cache.Store { return fresh(t).Cache() }) })
	t.Run("rates", func(t *testing.T) { limittest.Run(t, func() limit.Rates { return fresh(t).Rates() }) })
	t.Run("peers", func(t *testing.T) { breakertest.Run(t, func() breaker.Peers { return fresh(t).Peers() }) })
	t.Run("requests", func(t *testing.T) { approvetest.Run(t, func() approve.Requests { return fresh(t).Requests() }) })
	t.Run("histories", func(t *testing.T) { looptest.Run(t, func() loop.Histories { return fresh(t).Histories() }) })
	t.Run("flights", func(t *testing.T) { dedupetest.Run(t, func() dedupe.Flights { return fresh(t).Flights() }) })
	t.Run("ledger", func(t *testing.T) { budgettest.Run(t, func() budget.Ledger { return fresh(t).Ledger() }) })
}

// TestSecretsCanBeChanged goes through the steps of a change while processes of two steps run at once.
func TestSecretsCanBeChanged(t *testing.T) {
	s := startServer(t)
	older, newer := secret(), secret()
	with := func(secrets ...[]byte) *redis.Store {
		return open(t, s, func(o *redis.Options) { o.Secrets = secrets })
	}
	steps := []*redis.Store{with(older), with(older, newer), with(newer, older), with(newer)}
	account := []budget.Account{{Name: "a", Limits: budget.Limits{Calls: 7}, Idle: time.Minute}}
	granted := 0
	for i := range len(steps) - 1 {
		for n := range 4 {
			short, err := steps[i+n%2].Ledger().Reserve(t.Context(), string(rune('a'+4*i+n)), account, 0)
			if err != nil {
				t.Fatal(err)
			}
			if short == nil {
				granted++
			}
		}
	}
	if granted != 7 {
		t.Errorf("got %d calls granted while the secret was changed, want 7", granted)
	}
	for i, store := range steps {
		if p := store.Problems(); len(p) != 0 {
			t.Errorf("step %d: got the problems %q, want none while the secret is changed", i, p)
		}
	}
	asks := []limit.Ask{{Scope: limit.ScopeGlobal, Limit: toolkit.RateLimit{MaxCalls: 1, Window: time.Minute}}}
	for n, i := range []int{1, 2, 1, 2, 3} {
		if blocked, _, err := steps[i].Rates().Take(t.Context(), asks); err != nil || (blocked == -1) != (n == 0) {
			t.Errorf("question %d: got blocked by %d, %v, want the first one admitted alone", n, blocked, err)
		}
	}
}

// TestAShortWindowShortensNoLongOne: the times of a long window outlive calls of processes that ask for a short one.
func TestAShortWindowShortensNoLongOne(t *testing.T) {
	s := startServer(t)
	rates := open(t, s).Rates()
	for _, window := range []time.Duration{time.Hour, time.Microsecond} {
		asks := []limit.Ask{{Scope: limit.ScopeGlobal, Limit: toolkit.RateLimit{MaxCalls: 5, Window: window}}}
		if blocked, _, err := rates.Take(t.Context(), asks); err != nil || blocked != -1 {
			t.Fatalf("%v: got blocked by %d, %v", window, blocked, err)
		}
	}
	keys, err := s.admin(t).Keys(t.Context(), "*:r:*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("got the keys %q, %v, want one of both windows", keys, err)
	}
	if ttl, err := s.admin(t).PTTL(t.Context(), keys[0]).Result(); err != nil || ttl < 50*time.Minute {
		t.Errorf("got %v, %v to live, want an hour", ttl, err)
	}
}

// TestAnotherSecretIsNoticed opens stores of two secrets on one server: each of them says so, and without its secret
// nothing is readable.
func TestAnotherSecretIsNoticed(t *testing.T) {
	s := startServer(t)
	ours, theirs := secret(), secret()
	var log bytes.Buffer
	with := func(secret []byte, namespace string) *redis.Store {
		return open(t, s, func(o *redis.Options) {
			o.Secrets, o.Namespace = [][]byte{secret}, namespace
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
	}
	first := with(ours, "")
	with(ours, "")
	with(theirs, "other")
	if p := first.Problems(); len(p) != 0 || log.Len() != 0 {
		t.Fatalf("got the problems %q and the log %q of processes with one secret, want none", p, &log)
	}
	second := with(theirs, "")
	if p := second.Problems(); len(p) != 1 || !strings.Contains(p[0], "another secret") ||
		strings.Count(log.String(), "another secret") != 1 {
		t.Errorf("got the problems %q and the log %q, want them to name another secret", p, &log)
	}
	if first.AskAgain(); len(first.Problems()) == 0 {
		until(t, "the first process notices it as well", func() bool { return len(first.Problems()) == 1 })
	}
	if dump := s.dump(t); strings.Contains(dump, string(theirs)) || strings.Contains(dump, hex.EncodeToString(theirs)) {
		t.Error("the server holds the secret")
	}
	s.flush(t) // as if the others had ended
	second.AskAgain()
	until(t, "all is well", func() bool { return len(second.Problems()) == 0 })
}
