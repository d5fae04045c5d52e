// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
)

// TestWrapFuncStorm: a thousand callers reuse their buffers and change the results they get,
// while policies are reloaded and the scope is turned off and on. Every answer belongs to exactly
// its arguments.
func TestWrapFuncStorm(t *testing.T) {
	twins, errD := dedupe.New(dedupe.Options{History: time.Millisecond})
	answers, errC := cache.New(cache.Options{TTL: 2 * time.Millisecond, StaleFor: 50 * time.Millisecond})
	clock, errT := timeout.New(timeout.Options{Default: 3 * time.Millisecond, Abandon: []string{"read"}, MaxAbandoned: 100})
	recovers, errR := middleware.Recover()
	extra := must(t, recovers, errR)
	all := []middleware.Policy{must(t, twins, errD), must(t, answers, errC), must(t, clock, errT)}
	scope, err := toolscope.New(toolscope.Options{Policies: all})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(toolkit.ToolFunc(fileTool, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, nil
	})); err != nil {
		t.Fatal(err)
	}
	callers := map[string]func(ctx context.Context, buffer []byte) (string, error){
		"value":   storm(t, scope, registry, func(c worldCall) worldCall { return c }, func(c worldCall) worldCall { return c }),
		"pointer": storm(t, scope, registry, func(c *worldCall) worldCall { return *c }, func(c worldCall) *worldCall { return &c }),
	}
	stop, reloaded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reloaded)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(500 * time.Microsecond):
			}
			// A policy that a reload drops is closed, so all stay; a further one comes and goes.
			with := append([]middleware.Policy{extra}, all...)[i%2:]
			if err := scope.Apply(toolscope.Settings{Off: i%7 == 0, Policies: with}); err != nil {
				t.Error(err)
			}
		}
	}()
	var done sync.WaitGroup
	for name, call := range callers {
		for n := range 500 {
			done.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(n)))
				buffer := make([]byte, 0, 64)
				for range 10 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(6))*time.Millisecond)
					ctx = toolkit.WithSession(ctx, toolkit.Session{ID: "s"})
					buffer = fmt.Appendf(buffer[:0], `{"f":%d}`, r.IntN(20))
					want := "content of " + string(buffer)
					got, err := call(ctx, buffer)
					if scribble(buffer); err == nil && got != want {
						t.Errorf("%s: got %q, want %q", name, got, want)
					}
					cancel()
				}
			})
		}
	}
	done.Wait()
	close(stop)
	<-reloaded
	if err := scope.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// storm wraps a tool that looks at its arguments late, and returns a caller of it that overwrites
// what it got.
func storm[C any](t *testing.T, scope *toolscope.Scope, tools toolkit.Tools, read func(C) worldCall,
	form func(worldCall) C) func(context.Context, []byte) (string, error) {
	f, err := toolscope.WrapFunc(scope, func(ctx context.Context, c C) (*worldResult, error) {
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond) // longer than some callers wait
		args := string(read(c).Arguments)
		if rand.IntN(10) == 0 {
			return nil, errors.New("no luck")
		}
		return &worldResult{Output: "content of " + args, JSON: []byte(args)}, nil
	}, worldAdapter(tools, read, form, true))
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, buffer []byte) (string, error) {
		res, err := f(ctx, form(worldCall{Name: "read", Arguments: buffer, Meta: map[string]string{}}))
		if err != nil || res == nil {
			return "", fmt.Errorf("%w: no result", context.Canceled)
		}
		if res.Fault != nil {
			return "", res.Fault
		}
		if args := string(res.JSON); !strings.HasSuffix(res.Output, args) {
			t.Errorf("got %q with %q", res.Output, args)
		}
		scribble(res.JSON)
		out := res.Output
		res.Output = "overwritten"
		return out, nil
	}
}
