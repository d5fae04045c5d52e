// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/shell"
)

// bench is a registry with the tools of jobs.
type bench struct {
	t        *testing.T
	jobs     *shell.Jobs
	registry *toolkit.Registry
}

func newBench(t *testing.T, o shell.JobOptions) bench {
	t.Helper()
	jobs, err := shell.NewJobs(o)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{t, jobs, new(toolkit.Registry)}
	if err := b.registry.Register(jobs.Tools()...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = jobs.Close() })
	return b
}

func (b bench) call(ctx context.Context, tool string, args map[string]any) toolkit.Result {
	text, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.registry.Execute(ctx, toolkit.Call{Name: tool, Arguments: text}).Result
}

// start starts a job and gives its id.
func (b bench) start(ctx context.Context, command string) string {
	b.t.Helper()
	res := b.call(ctx, "shell_start", map[string]any{"command": command})
	id, _, ok := strings.Cut(res.Output, " started")
	if res.Fault != nil || !ok {
		b.t.Fatalf("got %s", res.Output)
	}
	return id
}

func TestJobs(t *testing.T) {
	b := newBench(t, shell.JobOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	more := filepath.Join(t.TempDir(), "more")
	id := b.start(ctx, "echo first; until [ -e "+more+" ]; do sleep 0.01; done; echo second >&2; exit 3")
	cancel() // the job outlives the call that started it
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(b.call(t.Context(), "shell_poll", map[string]any{"id": id}).Output, "first") {
			break
		}
	}
	if out := b.call(t.Context(), "shell_poll", map[string]any{"id": id}).Output; !strings.Contains(out,
		id+": running for ") || !strings.HasSuffix(out, "stdout:\nfirst\n") {
		t.Errorf("while it runs: got %q", out)
	}
	if err := os.WriteFile(more, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it can be asked again
		out := b.call(t.Context(), "shell_poll", map[string]any{"id": id, "wait_seconds": 20}).Output
		if !strings.Contains(out, id+": exit code 3 after ") || !strings.HasSuffix(out, "stdout:\nfirst\nstderr:\nsecond\n") {
			t.Errorf("at its end: got %q", out)
		}
	}
	id = b.start(t.Context(), "trap '' TERM; echo on; sleep 300")
	out := b.call(t.Context(), "shell_stop", map[string]any{"id": id}).Output
	if !strings.Contains(out, "killed after ") || !strings.Contains(out, "because it was stopped") {
		t.Errorf("stopped: got %q", out)
	}
	if again := b.call(t.Context(), "shell_stop", map[string]any{"id": id}).Output; again != out {
		t.Errorf("stopped again: got %q, want %q", again, out)
	}
}

func TestJobLimits(t *testing.T) {
	b := newBench(t, shell.JobOptions{MaxJobs: 2})
	first := b.start(t.Context(), "sleep 300")
	b.start(t.Context(), "sleep 300")
	if res := b.call(t.Context(), "shell_start", map[string]any{"command": "true"}); !errors.Is(res.Fault,
		toolkit.ErrOverloaded) {
		t.Errorf("a third job: got %s", res.Output)
	}
	if res := b.call(t.Context(), "shell_stop", map[string]any{"id": first}); res.Fault != nil {
		t.Errorf("got %s", res.Output)
	}
	atLast(t, func(limit time.Duration) bool {
		b := newBench(t, shell.JobOptions{Options: shell.Options{Timeout: limit}})
		id := b.start(t.Context(), "echo on; sleep 300")
		out := b.call(t.Context(), "shell_poll", map[string]any{"id": id, "wait_seconds": 30}).Output
		if !strings.Contains(out, fmt.Sprintf("because its time limit of %v was over", limit)) {
			t.Errorf("after its time: got %q", out)
		}
		return strings.Contains(out, "stdout:\non\n")
	})
	for _, args := range []map[string]any{{"id": "job-x"}, {}, {"id": first, "wait_seconds": 31},
		{"id": first, "wait_seconds": -1}} {
		if res := b.call(t.Context(), "shell_poll", args); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%v: got %s", args, res.Output)
		}
	}
	other := toolkit.WithSession(t.Context(), toolkit.Session{ID: "other"})
	if res := b.call(other, "shell_stop", map[string]any{"id": first}); !strings.Contains(res.Output, "there are none") {
		t.Errorf("another session's job: got %s", res.Output)
	}
}

// TestJobsAreForgotten checks that ended jobs do not pile up.
func TestJobsAreForgotten(t *testing.T) {
	b := newBench(t, shell.JobOptions{MaxJobs: 1})
	var ids []string
	for i := range 40 {
		id := b.start(t.Context(), fmt.Sprintf("echo %d", i))
		b.call(t.Context(), "shell_poll", map[string]any{"id": id, "wait_seconds": 20})
		ids = append(ids, id)
	}
	if res := b.call(t.Context(), "shell_poll", map[string]any{"id": ids[0]}); !errors.Is(res.Fault,
		toolkit.ErrInvalidArguments) {
		t.Errorf("the first of 40: got %s, want it forgotten", res.Output)
	}
	if res := b.call(t.Context(), "shell_poll", map[string]any{"id": ids[39]}); !strings.Contains(res.Output, "39") {
		t.Errorf("the last: got %s", res.Output)
	}
}

// TestJobsClose checks that no process and no goroutine is left (see TestMain).
func TestJobsClose(t *testing.T) {
	b := newBench(t, shell.JobOptions{})
	for range 4 {
		b.start(t.Context(), "(trap '' TERM; sleep 300) & sleep 300")
	}
	start := time.Now()
	for range 2 {
		if err := b.jobs.Close(); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
	if res := b.call(t.Context(), "shell_start", map[string]any{"command": "true"}); !errors.Is(res.Fault, toolkit.ErrCanceled) {
		t.Errorf("after Close: got %s", res.Output)
	}
	var none *shell.Jobs
	if none.Close() != nil || none.Tools() != nil {
		t.Error("nil jobs have something")
	}
	for _, o := range []shell.JobOptions{{MaxJobs: -1}, {Options: shell.Options{Timeout: -1}}} {
		if _, err := shell.NewJobs(o); err == nil || !strings.Contains(err.Error(), "Options.") {
			t.Errorf("got %v, want an error that names the field", err)
		}
	}
	for _, tool := range b.jobs.Tools() {
		def := tool.Definition()
		if err := def.Validate(); err != nil || def.Title == "" || def.Timeout <= 0 {
			t.Errorf("%s: got %v, title %q, timeout %v", def.Name, err, def.Title, def.Timeout)
		}
	}
}
