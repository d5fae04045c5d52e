// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A frontend is as much of a Temporal server as one run at a time needs, so that clients and workers of the SDK run
// here. e2e/temporal has the real one.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	address string

	mu      sync.Mutex
	changed *sync.Cond
	runs    map[string]*execution
}

// An execution is a run on a frontend.
type execution struct {
	id         string
	events     []*historypb.HistoryEvent
	buffered   []*historypb.HistoryEvent // came during a workflow task
	scheduled  bool                      // a workflow task waits for a worker
	inTask     bool
	started    int64 // the last workflow task's
	activities map[string]*task
	timers     map[string]*time.Timer
	query      *workflowservice.QueryWorkflowRequest
	answer     *commonpb.Payloads
	closed     bool
}

// A task is an activity.
type task struct {
	scheduled int64
	input     *historypb.ActivityTaskScheduledEventAttributes
	taken     bool
	canceled  bool
}

func newFrontend(t *testing.T) *frontend {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &frontend{address: listener.Addr().String(), runs: map[string]*execution{}}
	f.changed = sync.NewCond(&f.mu)
	server := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return f
}

// await waits until ready returns true, which is called under the lock.
func (f *frontend) await(ctx context.Context, ready func() bool) bool {
	stop := context.AfterFunc(ctx, func() { f.mu.Lock(); defer f.mu.Unlock(); f.changed.Broadcast() })
	defer stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for !ready() {
		if ctx.Err() != nil {
			return false
		}
		f.changed.Wait()
	}
	return true
}

// locked calls do under the lock, and wakes up what waits.
func (f *frontend) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.changed.Broadcast()
}

// event makes an event with attributes, whose type follows from them.
func event(kind enumspb.EventType, set func(e *historypb.HistoryEvent)) *historypb.HistoryEvent {
	e := &historypb.HistoryEvent{EventType: kind}
	set(e)
	return e
}

func (x *execution) append(e *historypb.HistoryEvent) int64 {
	e.EventId, e.EventTime = int64(len(x.events)+1), timestamppb.Now()
	x.events = append(x.events, e)
	return e.EventId
}

// happen adds an event that a workflow task has to see.
func (x *execution) happen(e *historypb.HistoryEvent) {
	if x.closed {
		return
	}
	if x.inTask {
		x.buffered = append(x.buffered, e)
		return
	}
	x.append(e)
	if !x.scheduled {
		x.scheduled = true
		x.append(event(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{
				WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{}}
		}))
	}
}

func (f *frontend) GetSystemInfo(
	context.Context, *workflowservice.GetSystemInfoRequest,
) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{ServerVersion: "1.32.0", Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{
		SignalAndQueryHeader: true, EncodedFailureAttributes: true, SdkMetadata: true,
	}}, nil
}

func (f *frontend) DescribeNamespace(
	context.Context, *workflowservice.DescribeNamespaceRequest,
) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

func (f *frontend) StartWorkflowExecution(
	_ context.Context, r *workflowservice.StartWorkflowExecutionRequest,
) (*workflowservice.StartWorkflowExecutionResponse, error) {
	f.locked(func() {
		if f.runs[r.WorkflowId] != nil {
			return
		}
		x := &execution{id: r.WorkflowId, activities: map[string]*task{}, timers: map[string]*time.Timer{}}
		f.runs[r.WorkflowId] = x
		x.happen(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
				WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
					WorkflowType: r.WorkflowType, WorkflowId: r.WorkflowId, Input: r.Input, TaskQueue: r.TaskQueue, Attempt: 1,
					OriginalExecutionRunId: "run", FirstExecutionRunId: "run"}}
		}))
	})
	return &workflowservice.StartWorkflowExecutionResponse{RunId: "run", Started: true}, nil
}

func (f *frontend) PollWorkflowTaskQueue(
	ctx context.Context, r *workflowservice.PollWorkflowTaskQueueRequest,
) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	answer := &workflowservice.PollWorkflowTaskQueueResponse{}
	f.await(ctx, func() bool {
		if r.TaskQueue.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
			return false // every task has the whole history
		}
		for _, x := range f.runs {
			switch {
			case x.scheduled && !x.closed:
				x.scheduled, x.inTask = false, true
				answer.PreviousStartedEventId = x.started
				x.started = x.append(event(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED, func(e *historypb.HistoryEvent) {
					e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{
						WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{
							ScheduledEventId: int64(len(x.events))}}
				}))
				answer.StartedEventId = x.started
			case x.query != nil && !x.inTask:
				answer.Query = x.query.Query
				answer.PreviousStartedEventId, answer.StartedEventId = x.started, 0
				x.query = nil
			default:
				continue
			}
			answer.TaskToken = []byte(x.id)
			answer.WorkflowExecution = &commonpb.WorkflowExecution{WorkflowId: x.id, RunId: "run"}
			answer.WorkflowType = &commonpb.WorkflowType{Name: workflowName}
			answer.Attempt = 1
			answer.History = &historypb.History{Events: append([]*historypb.HistoryEvent(nil), x.events...)}
			return true
		}
		return false
	})
	return answer, nil
}

func (f *frontend) RespondWorkflowTaskCompleted(
	_ context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest,
) (*workflowservice.RespondWorkflowTaskCompletedResponse, error) {
	f.locked(func() {
		x := f.runs[string(r.TaskToken)]
		x.inTask = false
		completed := x.append(event(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{
				WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{
					ScheduledEventId: x.started - 1, StartedEventId: x.started, SdkMetadata: r.SdkMetadata}}
		}))
		for _, c := range r.Commands {
			f.command(x, c, completed)
		}
		buffered := x.buffered
		x.buffered = nil
		for _, e := range buffered {
			x.happen(e)
		}
	})
	return &workflowservice.RespondWorkflowTaskCompletedResponse{}, nil
}

// command does what a workflow task asks for.
func (f *frontend) command(x *execution, c *commandpb.Command, completed int64) {
	if a := c.GetScheduleActivityTaskCommandAttributes(); a != nil {
		in := &historypb.ActivityTaskScheduledEventAttributes{ActivityId: a.ActivityId, ActivityType: a.ActivityType,
			TaskQueue: a.TaskQueue, Input: a.Input, HeartbeatTimeout: a.HeartbeatTimeout, RetryPolicy: a.RetryPolicy,
			StartToCloseTimeout: a.StartToCloseTimeout, WorkflowTaskCompletedEventId: completed}
		id := x.append(event(enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{ActivityTaskScheduledEventAttributes: in}
		}))
		x.activities[a.ActivityId] = &task{scheduled: id, input: in}
	}
	if a := c.GetRequestCancelActivityTaskCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskCancelRequestedEventAttributes{
				ActivityTaskCancelRequestedEventAttributes: &historypb.ActivityTaskCancelRequestedEventAttributes{
					ScheduledEventId: a.ScheduledEventId, WorkflowTaskCompletedEventId: completed}}
		}))
		for _, running := range x.activities {
			running.canceled = running.canceled || running.scheduled == a.ScheduledEventId
		}
	}
	if a := c.GetStartTimerCommandAttributes(); a != nil {
		id := x.append(event(enumspb.EVENT_TYPE_TIMER_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{
				TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{TimerId: a.TimerId,
					StartToFireTimeout: a.StartToFireTimeout, WorkflowTaskCompletedEventId: completed}}
		}))
		x.timers[a.TimerId] = time.AfterFunc(a.StartToFireTimeout.AsDuration(), func() {
			f.locked(func() {
				x.happen(event(enumspb.EVENT_TYPE_TIMER_FIRED, func(e *historypb.HistoryEvent) {
					e.Attributes = &historypb.HistoryEvent_TimerFiredEventAttributes{
						TimerFiredEventAttributes: &historypb.TimerFiredEventAttributes{TimerId: a.TimerId, StartedEventId: id}}
				}))
			})
		})
	}
	if a := c.GetCancelTimerCommandAttributes(); a != nil {
		x.timers[a.TimerId].Stop()
		x.append(event(enumspb.EVENT_TYPE_TIMER_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerCanceledEventAttributes{
				TimerCanceledEventAttributes: &historypb.TimerCanceledEventAttributes{TimerId: a.TimerId,
					WorkflowTaskCompletedEventId: completed}}
		}))
	}
	if a := c.GetRecordMarkerCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_MARKER_RECORDED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_MarkerRecordedEventAttributes{
				MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{MarkerName: a.MarkerName, Details: a.Details,
					WorkflowTaskCompletedEventId: completed}}
		}))
	}
	if a := c.GetUpsertWorkflowSearchAttributesCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_UpsertWorkflowSearchAttributesEventAttributes{
				UpsertWorkflowSearchAttributesEventAttributes: &historypb.UpsertWorkflowSearchAttributesEventAttributes{
					SearchAttributes: a.SearchAttributes, WorkflowTaskCompletedEventId: completed}}
		}))
	}
	x.finish(c, completed)
}

// finish ends a run if the command does.
func (x *execution) finish(c *commandpb.Command, completed int64) {
	last := len(x.events)
	if a := c.GetCompleteWorkflowExecutionCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
				WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{
					Result: a.Result, WorkflowTaskCompletedEventId: completed}}
		}))
	}
	if a := c.GetFailWorkflowExecutionCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
				WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{
					Failure: a.Failure, WorkflowTaskCompletedEventId: completed}}
		}))
	}
	if a := c.GetCancelWorkflowExecutionCommandAttributes(); a != nil {
		x.append(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCanceledEventAttributes{
				WorkflowExecutionCanceledEventAttributes: &historypb.WorkflowExecutionCanceledEventAttributes{
					Details: a.Details, WorkflowTaskCompletedEventId: completed}}
		}))
	}
	if len(x.events) > last {
		x.closed = true
		for _, timer := range x.timers {
			timer.Stop()
		}
	}
}

func (f *frontend) PollActivityTaskQueue(
	ctx context.Context, _ *workflowservice.PollActivityTaskQueueRequest,
) (*workflowservice.PollActivityTaskQueueResponse, error) {
	answer := &workflowservice.PollActivityTaskQueueResponse{}
	f.await(ctx, func() bool {
		for _, x := range f.runs {
			for id, a := range x.activities {
				if a.taken {
					continue
				}
				a.taken = true
				answer.TaskToken = []byte(x.id + " " + id)
				answer.WorkflowExecution = &commonpb.WorkflowExecution{WorkflowId: x.id, RunId: "run"}
				answer.WorkflowType = &commonpb.WorkflowType{Name: workflowName}
				answer.ActivityId, answer.ActivityType, answer.Input, answer.Attempt = id, a.input.ActivityType, a.input.Input, 1
				answer.HeartbeatTimeout, answer.StartToCloseTimeout = a.input.HeartbeatTimeout, a.input.StartToCloseTimeout
				answer.ScheduledTime, answer.StartedTime = timestamppb.Now(), timestamppb.Now()
				answer.CurrentAttemptScheduledTime = timestamppb.Now()
				return true
			}
		}
		return false
	})
	return answer, nil
}

// end ends an activity: its token is "RUN ID".
func (f *frontend) end(token string, kind enumspb.EventType, set func(e *historypb.HistoryEvent, scheduled, started int64)) {
	f.locked(func() {
		for _, x := range f.runs {
			for id, a := range x.activities {
				if x.id+" "+id != token {
					continue
				}
				delete(x.activities, id)
				// A server adds the event of the begin together with that of the end, as well.
				started := event(enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, func(e *historypb.HistoryEvent) {
					e.Attributes = &historypb.HistoryEvent_ActivityTaskStartedEventAttributes{
						ActivityTaskStartedEventAttributes: &historypb.ActivityTaskStartedEventAttributes{ScheduledEventId: a.scheduled}}
				})
				if x.inTask {
					x.buffered = append(x.buffered, started)
				} else {
					x.append(started)
				}
				x.happen(event(kind, func(e *historypb.HistoryEvent) { set(e, a.scheduled, a.scheduled+1) }))
				return
			}
		}
	})
}

func (f *frontend) RespondActivityTaskCompleted(
	_ context.Context, r *workflowservice.RespondActivityTaskCompletedRequest,
) (*workflowservice.RespondActivityTaskCompletedResponse, error) {
	f.end(string(r.TaskToken), enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, func(e *historypb.HistoryEvent, scheduled, started int64) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskCompletedEventAttributes{
			ActivityTaskCompletedEventAttributes: &historypb.ActivityTaskCompletedEventAttributes{
				ScheduledEventId: scheduled, StartedEventId: started, Result: r.Result}}
	})
	return &workflowservice.RespondActivityTaskCompletedResponse{}, nil
}

func (f *frontend) RespondActivityTaskFailed(
	_ context.Context, r *workflowservice.RespondActivityTaskFailedRequest,
) (*workflowservice.RespondActivityTaskFailedResponse, error) {
	f.end(string(r.TaskToken), enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED, func(e *historypb.HistoryEvent, scheduled, started int64) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskFailedEventAttributes{
			ActivityTaskFailedEventAttributes: &historypb.ActivityTaskFailedEventAttributes{
				ScheduledEventId: scheduled, StartedEventId: started, Failure: r.Failure}}
	})
	return &workflowservice.RespondActivityTaskFailedResponse{}, nil
}

// lose ends an activity as the loss of its worker does.
func (f *frontend) lose(token string) {
	f.end(token, enumspb.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT, func(e *historypb.HistoryEvent, scheduled, started int64) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskTimedOutEventAttributes{
			ActivityTaskTimedOutEventAttributes: &historypb.ActivityTaskTimedOutEventAttributes{
				ScheduledEventId: scheduled, StartedEventId: started, Failure: &failurepb.Failure{Message: "activity timeout",
					FailureInfo: &failurepb.Failure_TimeoutFailureInfo{TimeoutFailureInfo: &failurepb.TimeoutFailureInfo{
						TimeoutType: enumspb.TIMEOUT_TYPE_HEARTBEAT}}}}}
	})
}

func (f *frontend) RecordActivityTaskHeartbeat(
	_ context.Context, r *workflowservice.RecordActivityTaskHeartbeatRequest,
) (*workflowservice.RecordActivityTaskHeartbeatResponse, error) {
	answer := &workflowservice.RecordActivityTaskHeartbeatResponse{}
	f.locked(func() {
		for _, x := range f.runs {
			for id, a := range x.activities {
				answer.CancelRequested = answer.CancelRequested || x.id+" "+id == string(r.TaskToken) && a.canceled
			}
		}
	})
	return answer, nil
}

func (f *frontend) SignalWorkflowExecution(
	_ context.Context, r *workflowservice.SignalWorkflowExecutionRequest,
) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	f.locked(func() {
		f.runs[r.WorkflowExecution.WorkflowId].happen(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
				WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{
					SignalName: r.SignalName, Input: r.Input}}
		}))
	})
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

func (f *frontend) RequestCancelWorkflowExecution(
	_ context.Context, r *workflowservice.RequestCancelWorkflowExecutionRequest,
) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	f.locked(func() {
		f.runs[r.WorkflowExecution.WorkflowId].happen(event(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes{
				WorkflowExecutionCancelRequestedEventAttributes: &historypb.WorkflowExecutionCancelRequestedEventAttributes{}}
		}))
	})
	return &workflowservice.RequestCancelWorkflowExecutionResponse{}, nil
}

func (f *frontend) QueryWorkflow(
	ctx context.Context, r *workflowservice.QueryWorkflowRequest,
) (*workflowservice.QueryWorkflowResponse, error) {
	x := (*execution)(nil)
	f.locked(func() {
		x = f.runs[r.Execution.WorkflowId]
		x.query, x.answer = r, nil
	})
	answer := &workflowservice.QueryWorkflowResponse{}
	f.await(ctx, func() bool { answer.QueryResult = x.answer; return x.answer != nil })
	return answer, ctx.Err()
}

func (f *frontend) RespondQueryTaskCompleted(
	_ context.Context, r *workflowservice.RespondQueryTaskCompletedRequest,
) (*workflowservice.RespondQueryTaskCompletedResponse, error) {
	f.locked(func() { f.runs[string(r.TaskToken)].answer = r.QueryResult })
	return &workflowservice.RespondQueryTaskCompletedResponse{}, nil
}

func (f *frontend) GetWorkflowExecutionHistory(
	ctx context.Context, r *workflowservice.GetWorkflowExecutionHistoryRequest,
) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	answer := &workflowservice.GetWorkflowExecutionHistoryResponse{}
	f.await(ctx, func() bool {
		x := f.runs[r.Execution.WorkflowId]
		answer.History = &historypb.History{Events: append([]*historypb.HistoryEvent(nil), x.events...)}
		if r.HistoryEventFilterType == enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT {
			answer.History.Events = answer.History.Events[len(x.events)-1:]
		}
		return x.closed || !r.WaitNewEvent
	})
	return answer, ctx.Err()
}
