// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/store/redis"
)

// One failure does not open the circuit: what it concerned must be made up for all the same.
func TestBudgetsAfterOneFailure(t *testing.T) {
	s := startServer(t)
	store := open(t, s, func(o *redis.Options) { o.Timeout = 100 * time.Millisecond })
	ledger, ctx := store.Ledger(), context.Background()
	accounts := []budget.Account{{Name: "tenant acme", Limits: budget.Limits{Calls: 10, Cost: 1}, Idle: time.Hour}}
	until(t, "a call is charged", func() bool {
		short, err := ledger.Reserve(ctx, "one", accounts, 5)
		return err == nil && short == nil
	})
	s.signal(t, syscall.SIGSTOP)
	if err := ledger.Settle(ctx, "one", accounts, budget.Used{Attempts: 1, Time: 3 * time.Second}); err == nil {
		t.Error("got a stopped server that settled a call")
	}
	if _, err := ledger.Reserve(ctx, "two", accounts, 5); err == nil {
		t.Error("got a stopped server that charged a call")
	}
	s.signal(t, syscall.SIGCONT)
	want := map[string]string{"calls": "1", "cost": "5", "ran": "3000000"}
	got := func() map[string]string {
		admin := s.admin(t)
		keys := admin.Keys(ctx, "*:b:*").Val()
		if len(keys) != 1 {
			t.Fatalf("got the accounts %v, want one", keys)
		}
		return admin.HGetAll(ctx, keys[0]).Val()
	}
	until(t, "the account has what the call used, and not the call that was refused", func() bool {
		return maps.Equal(got(), want)
	})
}

// What fails once more, as the server is away again, and what comes after it, is done at the next check; what never
// succeeds is given up.
func TestLaterIsNotForgotten(t *testing.T) {
	s := startServer(t)
	store := open(t, s)
	var first, second, never atomic.Int32
	store.DoLater(func(context.Context) error {
		if first.Add(1) == 1 {
			return errors.New("away again")
		}
		return nil
	})
	store.DoLater(func(context.Context) error { never.Add(1); return errors.New("refused") })
	store.DoLater(func(context.Context) error { second.Add(1); return nil })
	until(t, "all is done or given up", func() bool {
		return first.Load() == 2 && second.Load() == 1 && never.Load() == 5
	})
}

// lockedBuffer is safe for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A change of the policy of a server in use, so that it evicts keys, is noticed: once in the log for each change, and in health.
// Calls go on asking it.
func TestEvictionIsNoticedLater(t *testing.T) {
	s := startServer(t, "--maxmemory", "100mb", "--maxmemory-policy", "noeviction")
	var out lockedBuffer
	store := open(t, s, func(o *redis.Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	use := func() {
		if _, err := store.Peers().Openings(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for change := 1; change <= 2; change++ {
		configure(t, s, "maxmemory-policy", "allkeys-lru")
		store.AskAgain() // within the minute nothing is asked about it
		use()
		store.LookAgain()
		use()
		until(t, "health says why", func() bool { return strings.Contains(strings.Join(store.Problems(), " "), "allkeys-lru") })
		for range 3 {
			store.LookAgain()
			use()
			store.CheckNow()
		}
		if got := strings.Count(out.String(), "may lose counts"); got != change || strings.Contains(out.String(), "not used now") {
			t.Errorf("got %d warnings after %d changes:\n%s", got, change, out.String())
		}
		configure(t, s, "maxmemory-policy", "noeviction")
		until(t, "health recovers", func() bool { return len(store.Problems()) == 0 })
		until(t, "the log says so", func() bool {
			return strings.Count(out.String(), "does not evict keys any more") == change
		})
	}
}

// A server whose memory is full answers: calls go on asking, and reads succeed. The log and health report it.
func TestFullMemoryIsReported(t *testing.T) {
	s := startServer(t, "--maxmemory-policy", "noeviction")
	var out lockedBuffer
	store := open(t, s, func(o *redis.Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	ledger, ctx := store.Ledger(), context.Background()
	accounts := []budget.Account{{Name: "a", Limits: budget.Limits{Calls: 100}, Idle: time.Hour}}
	n := 0
	reserve := func() error {
		n++
		_, err := ledger.Reserve(ctx, fmt.Sprint(n), accounts, 0)
		return err
	}
	if err := reserve(); err != nil {
		t.Fatal(err)
	}
	configure(t, s, "maxmemory", "1")
	if err := reserve(); err == nil {
		t.Fatal("got a call charged by a server whose memory is full")
	}
	if _, err := store.Peers().Openings(ctx); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(store.Problems(), " "); !strings.Contains(got, "memory is full") {
		t.Errorf("got the problems %q after a read, want that the memory is full", got)
	}
	until(t, "the log says why", func() bool {
		return strings.Count(out.String(), "is not used now") == 1 && strings.Contains(out.String(), "memory is full")
	})
	configure(t, s, "maxmemory", "0")
	until(t, "the log says that the server is used again", func() bool {
		return strings.Count(out.String(), "is used again") == 1 && len(store.Problems()) == 0
	})
	if err := reserve(); err != nil {
		t.Error(err)
	}
}
