// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	flows "github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

var update = flag.Bool("update", false, "write the histories of testdata that are made without a server")

// recordedKey encrypted the histories of testdata. It protects nothing.
func recordedKey(t testing.TB) converter.DataConverter {
	t.Helper()
	keys, err := parseKeys(base64.StdEncoding.EncodeToString([]byte("the key of recorded histories...")))
	if err != nil {
		t.Fatal(err)
	}
	return newConverter(keys)
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
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: recordedKey(t)})
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
	if *update {
		writeHistories(t)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) < 2 {
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

// A scribe writes the history of a run as a server would.
type scribe struct {
	t       *testing.T
	dc      converter.DataConverter
	history historypb.History
	task    int64 // the last workflow task that completed
}

func (s *scribe) event(kind enumspb.EventType, attributes func(e *historypb.HistoryEvent)) int64 {
	id := int64(len(s.history.Events) + 1)
	e := &historypb.HistoryEvent{EventId: id, EventType: kind, EventTime: timestamppb.New(time.Unix(1_790_000_000+id, 0))}
	attributes(e)
	s.history.Events = append(s.history.Events, e)
	return id
}

func (s *scribe) payloads(v any) *commonpb.Payloads {
	p, err := s.dc.ToPayloads(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *scribe) workflowTask() {
	scheduled := s.event(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{
			WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{}}
	})
	started := s.event(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{
			WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{ScheduledEventId: scheduled}}
	})
	s.task = s.event(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{
			WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{
				ScheduledEventId: scheduled, StartedEventId: started}}
	})
}

// start is the begin of a run, up to its first workflow task and what the interpreter's version adds.
func (s *scribe) start(in runInput) {
	s.event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
			WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
				WorkflowType: &commonpb.WorkflowType{Name: workflowName}, WorkflowId: in.ID, Input: s.payloads(in), Attempt: 1,
				OriginalExecutionRunId: "run", FirstExecutionRunId: "run", TaskQueue: &taskqueuepb.TaskQueue{Name: DefaultTaskQueue}}}
	})
	s.workflowTask()
	plain := func(v any) *commonpb.Payload { // the SDK does not encrypt them: they are for the server
		p, err := converter.GetDefaultDataConverter().ToPayload(v)
		if err != nil {
			s.t.Fatal(err)
		}
		return p
	}
	s.event(enumspb.EVENT_TYPE_MARKER_RECORDED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_MarkerRecordedEventAttributes{
			MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{MarkerName: "Version",
				WorkflowTaskCompletedEventId: s.task, Details: map[string]*commonpb.Payloads{
					"change-id": s.payloads(versionOf), "version": s.payloads(1)}}}
	})
	s.event(enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_UpsertWorkflowSearchAttributesEventAttributes{
			UpsertWorkflowSearchAttributesEventAttributes: &historypb.UpsertWorkflowSearchAttributesEventAttributes{
				WorkflowTaskCompletedEventId: s.task, SearchAttributes: &commonpb.SearchAttributes{
					IndexedFields: map[string]*commonpb.Payload{"TemporalChangeVersion": plain([]string{versionOf + "-1"})}}}}
	})
}

// timer starts a timer, and returns what cancels it.
func (s *scribe) timer(id string, d time.Duration) (cancel func()) {
	started := s.event(enumspb.EVENT_TYPE_TIMER_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{
			TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{TimerId: id,
				StartToFireTimeout: durationpb.New(d), WorkflowTaskCompletedEventId: s.task}}
	})
	return func() {
		s.event(enumspb.EVENT_TYPE_TIMER_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerCanceledEventAttributes{
				TimerCanceledEventAttributes: &historypb.TimerCanceledEventAttributes{TimerId: id, StartedEventId: started,
					WorkflowTaskCompletedEventId: s.task}}
		})
	}
}

// schedule schedules the activity of a call, and returns what ends it: with a value, or by the loss of its worker.
func (s *scribe) schedule(in callInput) (end func(value json.RawMessage)) {
	scheduled := s.event(enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{
			ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
				ActivityId: in.ID, ActivityType: &commonpb.ActivityType{Name: activityName}, Input: s.payloads(in),
				TaskQueue: &taskqueuepb.TaskQueue{Name: DefaultTaskQueue}, WorkflowTaskCompletedEventId: s.task}}
	})
	return func(value json.RawMessage) {
		started := s.event(enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskStartedEventAttributes{
				ActivityTaskStartedEventAttributes: &historypb.ActivityTaskStartedEventAttributes{ScheduledEventId: scheduled}}
		})
		if value == nil {
			s.event(enumspb.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_ActivityTaskTimedOutEventAttributes{
					ActivityTaskTimedOutEventAttributes: &historypb.ActivityTaskTimedOutEventAttributes{
						ScheduledEventId: scheduled, StartedEventId: started, Failure: &failurepb.Failure{Message: "activity timeout",
							FailureInfo: &failurepb.Failure_TimeoutFailureInfo{TimeoutFailureInfo: &failurepb.TimeoutFailureInfo{
								TimeoutType: enumspb.TIMEOUT_TYPE_HEARTBEAT}}}}}
			})
			return
		}
		s.event(enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskCompletedEventAttributes{
				ActivityTaskCompletedEventAttributes: &historypb.ActivityTaskCompletedEventAttributes{
					ScheduledEventId: scheduled, StartedEventId: started, Result: s.payloads(callOutput{ID: in.ID, Value: value})}}
		})
	}
}

// writeHistories writes histories of runs of the workflow saga in the form that a server records them.
func writeHistories(t *testing.T) {
	t.Helper()
	b := newBench(t, map[string]flows.Definition{"saga": {Steps: []flows.Step{undoable("a"), step("b", "write", "$a.result")}}}, nil)
	for name, lost := range map[string]bool{"saga": false, "saga_lost": true} {
		job, err := b.Engine.set.NewJob(t.Context(), "saga", nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := inputOf(t.Context(), job, "order-1")
		if err != nil {
			t.Fatal(err)
		}
		s := &scribe{t: t, dc: recordedKey(t)}
		call := func(id, arguments string) callInput {
			return callInput{ID: "order-1/" + id, Tool: "write", Arguments: json.RawMessage(arguments)}
		}
		s.start(in)
		end := s.schedule(call("a", `{"v":"a"}`))
		cancel := s.timer("8", 30*time.Minute)
		end(json.RawMessage(`{"v":"a"}`))
		s.workflowTask()
		end = s.schedule(call("b", `{"v":{"v":"a"}}`))
		if lost {
			end(nil)
			s.workflowTask()
			cancel()
			end = s.schedule(call("a/undo", `{"undo":"a"}`))
			cancel = s.timer("22", 10*time.Minute)
			end(json.RawMessage(`{}`))
			s.workflowTask()
			cancel()
			s.event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
					WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{
						WorkflowTaskCompletedEventId: s.task}}
			})
		} else {
			end(json.RawMessage(`{}`))
			s.workflowTask()
			cancel()
			s.event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
					WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{
						WorkflowTaskCompletedEventId: s.task, Result: s.payloads(durable.End{})}}
			})
		}
		text, err := protojson.MarshalOptions{Indent: " "}.Marshal(&s.history)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata", name+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
