// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

// backgrounds receives runs in the background.
type backgrounds struct {
	spans
	mu   sync.Mutex
	told []string
}

type inRenewal struct{}

func (b *backgrounds) BeginBackground(ctx context.Context, call toolkit.Call, what string) (context.Context,
	func(toolkit.Result, error)) {
	cause := call.Record.Info().Span == span(call.ID)
	return context.WithValue(ctx, inRenewal{}, true), func(res toolkit.Result, err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.told = append(b.told, fmt.Sprint(what, " of ", call.Name, ", caused by its call: ", cause, ", ", res.Output, err))
	}
}

// A renewal is recorded apart from calls, however it ends, and those that fail are counted.
func TestRenewalsAreTold(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func() (toolkit.Result, error)
		told string
		fail uint64
	}{
		{"an answer", func() (toolkit.Result, error) { return toolkit.Result{Output: "new "}, nil }, "new <nil>", 0},
		{"a failure", func() (toolkit.Result, error) { return toolkit.Failure(errors.New("down")), nil }, "down<nil>", 1},
		{"an error", func() (toolkit.Result, error) { return toolkit.Result{}, errors.New("down") }, "down", 1},
		{"a panic", func() (toolkit.Result, error) { panic("boom") }, (&toolkit.PanicError{Value: "boom"}).Error(), 1},
		{"an exit", func() (toolkit.Result, error) { runtime.Goexit(); return toolkit.Result{}, nil },
			"cache: the tool ended its goroutine", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			policy, err := cache.New(cache.Options{TTL: time.Second, StaleFor: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer policy.Close()
			var seen backgrounds
			renewing := make(chan struct{})
			handle := toolkit.Observe(func(string) *toolkit.Definition { return &reads },
				&seen)(middleware.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				if call.ID == "1" {
					return toolkit.Result{Output: "old"}, nil
				}
				<-renewing
				if string(call.Arguments) != `{"of":"a"}` {
					t.Errorf("%s: the arguments are %s, the caller's memory", c.name, call.Arguments)
				}
				if ctx.Value(inRenewal{}) == nil {
					t.Errorf("%s: the tool does not run in the context of the renewal", c.name)
				}
				return c.end()
			}, policy))
			_, _ = handle(a, call("1", "read", `{"of":"a"}`))
			time.Sleep(2 * time.Second)
			again := call("2", "read", `{"of":"a"}`)
			if res, err := handle(a, again); res.Output != "old" || err != nil {
				t.Errorf("%s: got %q, %v, want the stale answer", c.name, res.Output, err)
			}
			clear(again.Arguments) // the call has ended: its memory may be used again
			close(renewing)
			synctest.Wait()
			if want := []string{"renewal of read, caused by its call: true, " + c.told}; !slices.Equal(seen.told, want) {
				t.Errorf("%s: told %q, want %q", c.name, seen.told, want)
			}
			if s := policy.Stats(); s.Refreshes != 1 || s.RefreshFailures != c.fail {
				t.Errorf("%s: got %d renewals, %d failed, want 1 and %d", c.name, s.Refreshes, s.RefreshFailures, c.fail)
			}
		})
	}
}
