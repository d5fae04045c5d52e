// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

var update = flag.Bool("update", false, "write the histories of testdata")

// A house is an engine with a worker, and a frontend between them.
type house struct {
	*bench
	*frontend
	engine *Engine
	client *Client
	worker worker.Worker
}

func newHouse(t *testing.T, definitions map[string]workflow.Definition, o *approve.Options) *house {
	t.Helper()
	h := &house{bench: newBench(t, definitions, o), frontend: newFrontend(t)}
	text := newKeyText()
	if *update {
		text = recordedKey()
	}
	t.Setenv("TOOLSCOPE_TEST_KEYS", text)
	var err error
	h.client, err = Dial(t.Context(), DialOptions{
		Options: client.Options{HostPort: h.address, Logger: quiet{}}, KeyVariable: "TOOLSCOPE_TEST_KEYS",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.client.Close)
	if h.engine, err = New(Options{Client: h.client, Set: h.set,
		Worker: worker.Options{DeadlockDetectionTimeout: time.Minute, WorkerStopTimeout: 50 * time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	h.worker = h.work(t)
	return h
}

// work starts a worker.
func (h *house) work(t *testing.T) worker.Worker {
	t.Helper()
	w := h.engine.NewWorker()
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// start starts a run with a secret in its input, and returns the check of its history, which must not have that.
func (h *house) start(t *testing.T, name string) (run string, check func(file string)) {
	t.Helper()
	secret := newKeyText()
	run, err := h.engine.Start(t.Context(), name, []byte(`{"secret": "`+secret+`"}`), name+"-1")
	if err != nil {
		t.Fatal(err)
	}
	return run, func(file string) {
		t.Helper()
		h.frontend.mu.Lock()
		defer h.frontend.mu.Unlock()
		history := &historypb.History{Events: h.runs[run].events}
		raw, err := proto.Marshal(history)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{secret, secret[:20], "may or may not", "kim"} {
			if strings.Contains(string(raw), text) {
				t.Errorf("the history contains %q", text)
			}
		}
		if !*update {
			return
		}
		text, err := protojson.MarshalOptions{Indent: " "}.Marshal(history)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata", file+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits until f returns true.
func until(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) { // the SDK's goroutines reach it
		if time.Now().After(end) {
			t.Fatal("it did not happen within a minute")
		}
	}
}

func secretStep(id, tool string) workflow.Step { return step(id, tool, "$input.secret") }

// A client, a worker and what is between them: a person approves the second of three calls, and nothing is readable.
func TestAWorkerRunsAWorkflow(t *testing.T) {
	h := newHouse(t, map[string]workflow.Definition{"order": {Timeout: 72 * time.Hour, Steps: []workflow.Step{
		secretStep("a", "echo"), secretStep("b", "pay"), {ID: "c", Each: &workflow.Each{In: []any{1, 2, 3}, Parallel: 2,
			Do: &workflow.Step{Call: "echo", With: map[string]any{"v": "$item"}}}},
	}, Output: "$input.secret"}}, external())
	run, check := h.start(t, "order")
	waiting := []Waiting{}
	until(t, func() bool {
		list, err := h.engine.Waiting(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		waiting = list
		return len(list) > 0
	})
	d := Decision{Call: waiting[0].Call, Digest: waiting[0].Digest, Approved: true, By: "kim"}
	wrong := d
	wrong.Digest = strings.Repeat("0", 64)
	if err := h.engine.Decide(t.Context(), run, wrong); !errors.Is(err, ErrNotWaiting) {
		t.Errorf("got %v", err)
	}
	// Signals that are not encrypted are dropped: the key is what lets one approve.
	plain, err := client.NewLazyClient(client.Options{HostPort: h.address, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := plain.SignalWorkflow(t.Context(), run, "", decisionSignal, signal{d.Call, approval.Answer{Digest: d.Digest, Approved: true, By: []string{"eve"}}}); err != nil {
		t.Fatal(err)
	}
	if list, err := h.engine.Waiting(t.Context(), run); err != nil || len(list) != 1 {
		t.Errorf("after a plain signal: got %+v, %v", list, err)
	}
	if err := h.engine.Decide(t.Context(), run, d); err != nil {
		t.Fatal(err)
	}
	r := h.engine.Wait(t.Context(), run)
	if text, ok := r.Output.(string); r.Err != nil || !ok || len(text) < keySize || r.Run.Calls != 5 {
		t.Errorf("got %+v", r)
	}
	if len(h.calls) != 5 {
		t.Errorf("calls: got %q", h.calls)
	}
	check("approved")
}

// An answer at the Approve policy of the worker that asked reaches the run as a signal.
func TestAnAnswerInTheWorker(t *testing.T) {
	h := newHouse(t, map[string]workflow.Definition{"order": {Steps: []workflow.Step{secretStep("b", "pay")}}}, external())
	run, _ := h.start(t, "order")
	until(t, func() bool { return len(h.policy.Pending()) > 0 })
	q := h.policy.Pending()[0]
	if err := h.policy.Decide(q.ID, q.Digest, approve.Answer{Approved: true, By: "kim"}); err != nil {
		t.Fatal(err)
	}
	if r := h.engine.Wait(t.Context(), run); r.Err != nil || len(h.calls) != 1 || len(h.policy.Pending()) != 0 {
		t.Errorf("got %+v, calls %q", r, h.calls)
	}
}

// A call that may write whose worker is lost: the run fails and says so, and undoes what was done before.
func TestALostWrite(t *testing.T) {
	h := newHouse(t, map[string]workflow.Definition{"lost": {Steps: []workflow.Step{
		undoable("a"), {ID: "b", Call: "stuck", With: map[string]any{"v": "$input.secret"}},
	}}}, nil)
	run, check := h.start(t, "lost")
	until(t, func() bool { return h.stuck.Load() > 0 })
	h.lose(run + " " + run + "/b")
	r := h.engine.Wait(t.Context(), run)
	if !errors.Is(r.Err, toolkit.ErrTimeout) || !contains(r.Err, unclear+"; undone: a") || h.stuck.Load() != 1 {
		t.Errorf("got %v after %d calls", r.Err, h.stuck.Load())
	}
	check("lost_write")
	close(h.release)
}

// A worker that is stopped ends its calls after a while, and another one goes on with the run.
func TestAWorkerThatIsStopped(t *testing.T) {
	h := newHouse(t, map[string]workflow.Definition{"stopped": {Steps: []workflow.Step{
		undoable("a"), {ID: "b", Call: "stuck", With: map[string]any{"v": "$input.secret"}},
	}}}, nil)
	run, _ := h.start(t, "stopped")
	until(t, func() bool { return h.stuck.Load() > 0 })
	h.worker.Stop()
	h.work(t)
	r := h.engine.Wait(t.Context(), run)
	if !contains(r.Err, ": "+unclear+"; undone: a") || !contains(r.Err, "the worker failed") || h.stuck.Load() != 1 {
		t.Errorf("got %s after %d calls", r.Err.Error(), h.stuck.Load())
	}
}

// A run that is cancelled waits for a call that may write, and then undoes what was done.
func TestACancelledRun(t *testing.T) {
	h := newHouse(t, map[string]workflow.Definition{"stop": {Steps: []workflow.Step{
		undoable("a"), {ID: "b", Call: "stuck", With: map[string]any{"v": "$input.secret"}},
	}}}, nil)
	run, check := h.start(t, "stop")
	until(t, func() bool { return h.stuck.Load() > 0 })
	if err := h.client.CancelWorkflow(t.Context(), run, ""); err != nil {
		t.Fatal(err)
	}
	r := h.engine.Wait(t.Context(), run)
	if !errors.Is(r.Err, toolkit.ErrCanceled) || !contains(r.Err, "; undone: a") {
		t.Errorf("got %v", r.Err)
	}
	check("canceled")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := h.engine.Wait(ctx, run); r.Err == nil {
		t.Error("a wait without time succeeded")
	}
}
