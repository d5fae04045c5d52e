// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveUntil serves one call that runs do, is asked to end, and returns how the server and the call ended, and after what time.
func serveUntil(t *testing.T, do func(ctx context.Context)) (took time.Duration, served error) {
	t.Helper()
	ctx, ask := context.WithCancel(t.Context())
	e, stop := newEnding(ctx, io.Discard)
	defer stop()
	handle := e.middleware(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
		do(ctx)
		return &mcp.CallToolResult{}, nil
	})
	go func() { _, _ = handle(t.Context(), "tools/call", nil) }()
	synctest.Wait()
	ask()
	start := time.Now()
	err := e.serve(func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
	took = time.Since(start)
	res, _ := handle(t.Context(), "tools/call", nil)
	if answer, ok := res.(*mcp.CallToolResult); !ok || !answer.IsError {
		t.Errorf("a call after it was asked to end: got %+v, want an error", res)
	}
	return took, err
}

// bubbled takes a time of a synctest bubble.
func bubbled(d time.Duration) {
	time.Sleep(d) // the bubble's clock does not wait
}

// TestEnding: a server that is asked to end cancels its calls, and waits for them as long as it says.
func TestEnding(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(ctx context.Context)
		took  time.Duration
		fails bool
	}{
		"no call":      {func(context.Context) {}, 0, false},
		"heeds it":     {func(ctx context.Context) { <-ctx.Done() }, lastAnswers, false},
		"takes a time": {func(context.Context) { bubbled(lastCalls - time.Second) }, lastCalls - time.Second + lastAnswers, false},
		"is too slow":  {func(context.Context) { bubbled(lastCalls + time.Second) }, lastCalls, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := serveUntil(t, c.do)
				if took != c.took || (err != nil) != c.fails {
					t.Errorf("got %v after %v, want %v", err, took, c.took)
				}
				if c.fails && !strings.Contains(err.Error(), "after the server was asked to end: 1") {
					t.Errorf("got %v, want the number of calls", err)
				}
				time.Sleep(2 * time.Second) // for the call that is too slow
			})
		})
	}
}

// TestEndingNamesTheCause: a call in flight learns why it is cancelled.
func TestEndingNamesTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		_, _ = serveUntil(t, func(ctx context.Context) {
			<-ctx.Done()
			cause = context.Cause(ctx)
		})
		if !errors.Is(cause, errAskedToEnd) {
			t.Errorf("got %v, want %v", cause, errAskedToEnd)
		}
	})
}
