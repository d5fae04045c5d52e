// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// recordedKey encrypted the histories of testdata. It protects nothing.
func recordedKey() string {
	return base64.StdEncoding.EncodeToString([]byte("the key of recorded histories..."))
}

// replay replays a history with the interpreter as it is now. change changes what it asks for.
func replay(t *testing.T, file string, change func(interpret.Engine) interpret.Engine) error {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	history := new(historypb.History)
	if err := protojson.Unmarshal(text, history); err != nil {
		t.Fatal(err)
	}
	keys, err := parseKeys(recordedKey())
	if err != nil {
		t.Fatal(err)
	}
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		DataConverter: newConverter(keys), DisableDeadlockDetection: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	engine := newBench(t, nil, nil).Engine
	if run := engine.set.Run; change != nil {
		engine.set.Run = func(e interpret.Engine, id string, job durable.Job) durable.End { return run(change(e), id, job) }
	}
	replayer.RegisterWorkflowWithOptions(engine.execute, workflow.RegisterOptions{Name: workflowName})
	id := history.Events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowId()
	return replayer.ReplayWorkflowHistoryWithOptions(quiet{}, history,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}})
}

// Runs that began with an earlier version of this package go on with this one: what it asks for is what the recorded
// histories have. A change that fails here needs interpret.Version and workflow.GetVersion.
func TestRecordedRunsReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) < 8 { // three of the frontend of these tests, and five of a real server: make e2e-temporal RECORD=1
		t.Fatalf("got %q, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			if err := replay(t, file, nil); err != nil {
				t.Error(err)
			}
			// The test would notice another order or another id.
			if err := replay(t, file, func(e interpret.Engine) interpret.Engine { return renaming{e} }); err == nil {
				t.Error("an interpreter that asks for other calls replays as well")
			}
		})
	}
}

// renaming is an engine that asks for calls with other ids.
type renaming struct{ interpret.Engine }

func (r renaming) Call(q interpret.Request) interpret.Answer {
	q.ID += "x"
	return r.Engine.Call(q)
}

func (r renaming) Limit(d time.Duration) (interpret.Engine, func()) {
	e, release := r.Engine.Limit(d)
	return renaming{e}, release
}

func (r renaming) Fan(n, limit int, do func(e interpret.Engine, i int), done func(i int) interpret.Next) {
	r.Engine.Fan(n, limit, func(e interpret.Engine, i int) { do(renaming{e}, i) }, done)
}
