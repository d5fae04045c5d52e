// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/shield"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

const (
	// lastCalls is how long the calls in flight may take to end once the server is asked to end.
	lastCalls = 30 * time.Second
	// lastUndos is how long the undos of workflows may take then. It leaves time to report what was not undone.
	lastUndos = 25 * time.Second
	// lastAnswers is how long the connection stays open after the last call has ended: the SDK drops answers that are not
	// written when it closes.
	lastAnswers = 100 * time.Millisecond
)

// errAskedToEnd is why calls are cancelled then.
var errAskedToEnd error = &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "toolscope serve was asked to end"}

// errNoTime is why undos are cancelled.
var errNoTime error = &toolkit.Error{Kind: toolkit.ErrCanceled,
	Message: fmt.Sprintf("toolscope serve was asked to end %v ago", lastUndos)}

// An ending cancels the calls in flight when the server is asked to end, and waits for them, so that workflows are undone and
// clients get an answer. Make one with [newEnding].
type ending struct {
	asked  context.Context // over when the server is asked to end
	closed context.Context // over when it is to close its connections
	late   chan struct{}   // closed, before closed is over, if calls have not ended in time
	undos  context.Context // over when undos must end
	stderr io.Writer
	// remember keeps for the next start that a run was not undone; nil keeps nothing.
	remember func(*stats.WorkflowRun) error

	mu        sync.Mutex
	calls     int           // in flight
	cut       bool          // whether a call has ended after the server was asked to end
	notUndone int           // runs
	idle      chan struct{} // closed when the last call ends; nil until it is waited for
}

// newEnding returns an ending for a server that is asked to end when ctx is over. The function returned ends it before.
func newEnding(ctx context.Context, stderr io.Writer) (*ending, func()) {
	e := &ending{asked: ctx, late: make(chan struct{}), stderr: stderr}
	closed, closeNow := context.WithCancel(context.WithoutCancel(ctx))
	e.closed = closed
	undos, releaseUndos := shield.After(ctx, lastUndos, errNoTime)
	e.undos = undos
	stop := context.AfterFunc(ctx, func() {
		defer closeNow()
		e.wait()
	})
	return e, func() {
		stop()
		releaseUndos()
		closeNow()
	}
}

// wait waits until the calls in flight have ended, and their answers are written.
func (e *ending) wait() {
	e.mu.Lock()
	if e.calls == 0 && !e.cut {
		e.mu.Unlock()
		return
	}
	e.idle = make(chan struct{})
	if e.calls == 0 {
		close(e.idle)
	}
	e.mu.Unlock()
	timer := time.NewTimer(lastCalls)
	defer timer.Stop()
	select {
	case <-e.idle:
		timer.Reset(lastAnswers)
		<-timer.C
	case <-timer.C:
		close(e.late)
	case <-e.closed.Done(): // the client has closed
	}
}

// begin notes a call; false once the server is asked to end.
func (e *ending) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked.Err() != nil {
		return false
	}
	e.calls++
	return true
}

func (e *ending) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cut = e.asked.Err() != nil
	if e.calls--; e.calls == 0 && e.idle != nil {
		close(e.idle)
	}
}

// middleware is to be around all others of a server.
func (e *ending) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		if !e.begin() {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: errAskedToEnd.Error()}}}, nil
		}
		defer e.end()
		ctx, cancel := context.WithCancelCause(shield.Until(ctx, e.undos))
		defer cancel(nil)
		defer context.AfterFunc(e.asked, func() { cancel(errAskedToEnd) })()
		result, err := next(ctx, method, req)
		if err == nil && context.Cause(ctx) == errAskedToEnd {
			e.reportRun(result)
		}
		return result, err
	}
}

// serve runs a server until it ends. It returns without it if calls have not ended in time.
func (e *ending) serve(run func(ctx context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- run(e.closed) }()
	select {
	case err := <-ended:
		select {
		case <-e.late:
		default:
			return errors.Join(err, e.unfinished())
		}
	case <-e.late:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Errorf("calls that had not ended %v after the server was asked to end: %d", lastCalls, e.calls)
}

// unfinished is the error of runs that were not undone.
func (e *ending) unfinished() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.notUndone == 0 {
		return nil
	}
	return fmt.Errorf("workflows that were not undone: %d", e.notUndone)
}

// reportRun writes how a workflow ended that was cancelled when the server was asked to end, since its client may be gone. The
// run in the result has names of steps only.
func (e *ending) reportRun(result mcp.Result) {
	res, ok := result.(*mcp.CallToolResult)
	if !ok || res == nil || res.Meta[workflow.MetaKey] == nil {
		return
	}
	var run stats.WorkflowRun
	text, err := json.Marshal(res.Meta[workflow.MetaKey])
	if err != nil || json.Unmarshal(text, &run) != nil || run.Success {
		return
	}
	line := fmt.Sprintf("toolscope serve: cancelled the workflow %s, run %s, at %s", run.Workflow, run.ID, run.FailedStep)
	if len(run.Undone) > 0 {
		line += "; undone: " + strings.Join(run.Undone, ", ")
	}
	if len(run.NotUndone) > 0 {
		line += "; could not be undone: " + strings.Join(leftOf(&run), ", ")
	}
	fmt.Fprintln(e.stderr, display.Plain(line))
	if len(run.NotUndone) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notUndone++
	if e.remember != nil {
		if err := e.remember(&run); err != nil {
			cli.Complain(e.stderr, "toolscope serve", fmt.Errorf("the next start cannot report it: %w", err))
		}
	}
}
