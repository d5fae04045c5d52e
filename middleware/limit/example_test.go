// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// What a definition says holds by default; a refusal says when to try again.
func Example() {
	search := tooltest.Echo(toolkit.Definition{Name: "search", RateLimit: toolkit.RateLimit{MaxCalls: 2, Window: time.Hour}})
	registry := new(toolkit.Registry)
	if err := registry.Register(search); err != nil {
		fmt.Println(err)
		return
	}
	policy, err := limit.New(limit.Options{Lookup: registry.Lookup})
	if err != nil {
		fmt.Println(err)
		return
	}
	handle := policy.Wrap(registry.Handle)

	for range 3 {
		_, err = handle(context.Background(), toolkit.Call{Name: "search"})
		fmt.Println(toolkit.TypeOf(err))
	}
	var refused *limit.Error
	fmt.Println(errors.As(err, &refused), refused.Scope, refused.Rate, refused.RetryAfter() > 59*time.Minute)
	// Output:
	//
	//
	// rate_limited
	// true tool {2 1h0m0s} true
}

// One call at a time of each session; the next one waits, and its wait is recorded.
func Example_concurrency() {
	policy, err := limit.New(limit.Options{Concurrency: limit.Concurrency{PerKey: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var seen tooltest.Recorder
	var once sync.Once
	slow := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		once.Do(func() { // the first takes until the other one waits
			for waiting := 0.0; waiting == 0; time.Sleep(time.Millisecond) {
				policy.(middleware.Reporter).Figures(func(name string, value float64) {
					if name == "waiting" {
						waiting = value
					}
				})
			}
		})
		return toolkit.Result{}, nil
	}
	handle := toolkit.Chain(slow, toolkit.Observe(nil, &seen), policy.Wrap)

	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	executor := toolkit.Executor{Handler: handle}
	executor.Execute(ctx, toolkit.Call{ID: "1", Name: "build"}, toolkit.Call{ID: "2", Name: "build"})
	for _, e := range seen.All() {
		fmt.Println("waited:", e.Disposition.Queue > 0, e.Disposition.Tags)
	}
	// Unordered output:
	// waited: false []
	// waited: true [{limit concurrency} {limit.scope key}]
}

func ExampleNew_badOptions() {
	_, err := limit.New(limit.Options{Concurrency: limit.Concurrency{Global: -1}})
	fmt.Println(err)
	// Output:
	// limit: Options.Concurrency.Global: got -1, want 0 or more
}
