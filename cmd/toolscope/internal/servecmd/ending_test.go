// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/shield"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/workflow"
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

// TestEndingBoundsUndos: undos that go on, such as one that waits for approval, are cancelled in time to say so. The runs are
// named, kept for the next start, and the server fails.
func TestEndingBoundsUndos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, ask := context.WithCancel(t.Context())
		var stderr strings.Builder
		e, stop := newEnding(ctx, &stderr)
		defer stop()
		var kept []string
		e.remember = func(run *stats.WorkflowRun) error {
			kept = append(kept, run.ID)
			return nil
		}
		handle := e.middleware(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
			<-ctx.Done()
			undos := shield.Context(ctx)
			<-undos.Done()
			if cause := context.Cause(undos); cause != errNoTime {
				t.Errorf("got %v, want why undos end", cause)
			}
			return &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{workflow.MetaKey: map[string]any{
				"id": "abc", "workflow": "w", "failed_step": "rest", "not_undone": []string{"draft"},
				"log": []any{map[string]any{"step": "draft", "kind": "undo", "tool": "file_delete", "error_type": "canceled"}},
			}}}, nil
		})
		go func() { _, _ = handle(t.Context(), "tools/call", nil) }()
		synctest.Wait()
		ask()
		start := time.Now()
		err := e.serve(func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		})
		if took := time.Since(start); took != lastUndos+lastAnswers || err == nil ||
			!strings.Contains(err.Error(), "workflows that were not undone: 1") {
			t.Errorf("got %v after %v, want an error after %v", err, took, lastUndos)
		}
		const want = "cancelled the workflow w, run abc, at rest; could not be undone: draft (file_delete: canceled)"
		if len(kept) != 1 || kept[0] != "abc" || !strings.Contains(stderr.String(), want) {
			t.Errorf("got %q kept and %q", kept, stderr.String())
		}
	})
}

// TestRunsNotUndoneAreReported: each later start with the same configuration names them.
func TestRunsNotUndoneAreReported(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	said := func(config string) string {
		var stderr strings.Builder
		reportUnfinished(config, &stderr)
		return stderr.String()
	}
	if got := said("a.yaml"); got != "" {
		t.Errorf("got %q before there was a run", got)
	}
	keep := rememberRun("a.yaml")
	for i := range shownUnfinished + 1 {
		run := &stats.WorkflowRun{ID: fmt.Sprintf("run%d", i), Workflow: "w\x1b[2J", NotUndone: []string{"draft"},
			Log: []stats.WorkflowStep{{Step: "draft", Kind: "undo", Tool: "file_delete", ErrorType: "canceled"}}}
		if err := keep(run); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "toolscope", unfinishedFile)
	for range 2 {
		got := said("a.yaml")
		if !strings.Contains(got, "run run20: draft (file_delete: canceled)\n") || strings.Contains(got, "run0:") ||
			!strings.Contains(got, "21 runs to undo by hand; remove their lines from "+path) || strings.Contains(got, "\x1b") {
			t.Errorf("got %q", got)
		}
	}
	if got := said("b.yaml"); got != "" {
		t.Errorf("got %q with another configuration", got)
	}
	if err := os.Truncate(path, maxUnfinished+1); err != nil {
		t.Fatal(err)
	}
	if err := keep(&stats.WorkflowRun{ID: "more"}); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got %v, want the bound", err)
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
