// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
)

// maxCalls is how many calls of one reply are made; further ones are refused.
const maxCalls = 32

// task is one sub-agent's work and how it went.
type task struct {
	*delegate
	text string
	name string
	only *[]string // the tools that it may use; nil is all

	answer                         string // what the model said last
	turns, calls, failures, tokens int
	err                            error // why it failed; nil if it did not
}

// runTask does the task. It never panics.
func (t *task) runTask(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.options.Timeout,
		&toolkit.Error{Kind: toolkit.ErrTimeout, Message: fmt.Sprintf("the task took longer than %v", t.options.Timeout)})
	defer cancel()
	var run Run
	returned, told := false, false
	defer func() { t.caught(recover(), told) }()
	defer func() {
		t.caught(recover(), returned)
		if run != nil {
			run.End(t.err)
		}
		told = true
	}()
	ctx, run = t.start(context.WithValue(ctx, insideKey{}, t.name))
	t.err = t.converse(context.WithValue(ctx, insideKey{}, t.name), run)
	returned = true
}

// usageCounter is a [Run] that counts tokens.
type usageCounter interface {
	AddUsage(inputTokens, outputTokens int64)
}

// caught makes a panic, or the end of the goroutine, why the task failed.
func (t *task) caught(v any, returned bool) {
	if v != nil {
		t.err = &toolkit.PanicError{Value: v, Stack: debug.Stack()}
	} else if !returned && t.err == nil { // runtime.Goexit
		t.err = &toolkit.Error{Kind: toolkit.ErrTool, Message: "the model ended its goroutine"}
	}
}

// start begins the run in the session of its own agent.
func (t *task) start(ctx context.Context) (context.Context, Run) {
	if t.options.Start != nil {
		return t.options.Start(ctx, t.options.Name)
	}
	if s := toolkit.SessionFrom(ctx); s != nil {
		own := *s
		own.Agent, own.Batch = t.options.Name, ""
		ctx = toolkit.WithSession(ctx, own)
	}
	return ctx, nil
}

// converse goes through the turns until the model answers without calls.
func (t *task) converse(ctx context.Context, run Run) error {
	tools := slices.DeleteFunc(t.tools(), func(d toolkit.Definition) bool { return !t.may(d.Name) })
	executor := &toolkit.Executor{Handler: t.handle, Timeout: -1} // what is above governs
	if t.options.Handler == nil {
		executor.Handler = nil
	}
	if t.options.Tools != nil {
		executor.Tools = t.options.Tools.Lookup
	}
	messages := []Message{{Role: RoleUser, Text: t.text}}
	for t.turns < t.options.MaxTurns {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.turns++
		if run != nil {
			run.InferenceCall()
		}
		reply, err := t.model(ctx, Request{
			System: t.options.Instructions, Messages: slices.Clone(messages), Tools: tools,
			Final: t.turns == t.options.MaxTurns, MaxTokens: t.options.MaxReply,
		})
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("the model: %w", err)
		}
		t.tokens += reply.Usage.Input + reply.Usage.Output
		if counter, ok := run.(usageCounter); ok && reply.Usage != (Usage{}) {
			counter.AddUsage(int64(reply.Usage.Input), int64(reply.Usage.Output))
		}
		if text := strings.TrimSpace(reply.Text); text != "" {
			t.answer = text
		}
		switch {
		case len(reply.Calls) == 0 && t.answer == "":
			return &toolkit.Error{Kind: toolkit.ErrTool, Message: "the model answered nothing"}
		case len(reply.Calls) == 0:
			return nil
		case t.tokens > t.options.MaxTokens:
			return &toolkit.Error{Kind: toolkit.ErrBudgetExceeded,
				Message: fmt.Sprintf("it took %d tokens, of at most %d", t.tokens, t.options.MaxTokens)}
		case t.turns == t.options.MaxTurns:
			continue // its calls would lead to nothing
		}
		messages = append(messages, Message{Role: RoleAssistant, Text: reply.Text, Calls: reply.Calls})
		messages = append(messages, t.call(ctx, executor, reply.Calls)...)
	}
	return &toolkit.Error{Kind: toolkit.ErrBudgetExceeded, Message: fmt.Sprintf("it came to no answer in %d turns", t.turns)}
}

// may reports whether the task may use a tool.
func (t *task) may(tool string) bool { return t.only == nil || slices.Contains(*t.only, tool) }

// handle is the parent's handler, for the tools that the task may use.
func (t *task) handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	if !t.may(call.Name) {
		err := &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: call.Name,
			Message: "the task may not use this tool: use those that are shown"}
		return toolkit.Failure(err), err
	}
	return t.options.Handler(ctx, call)
}

// tools are those that sub-agents are shown.
func (d *delegate) tools() []toolkit.Definition {
	if d.options.Handler == nil || d.options.Tools == nil {
		return nil
	}
	return slices.DeleteFunc(d.options.Tools.Definitions(), func(d toolkit.Definition) bool { return d.Category == category })
}

// call makes the calls of one reply, all at once, and gives what they gave.
func (t *task) call(ctx context.Context, executor *toolkit.Executor, calls []toolkit.Call) []Message {
	if s := toolkit.SessionFrom(ctx); s != nil {
		own := *s
		own.Turn = t.turns
		ctx = toolkit.WithSession(ctx, own)
	}
	made := make([]toolkit.Call, 0, len(calls))
	for _, c := range calls[:min(len(calls), maxCalls)] {
		made = append(made, toolkit.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	answers := executor.Execute(ctx, made...)
	for _, c := range calls[len(made):] {
		answers = append(answers, toolkit.Answer{CallID: c.ID, Name: c.Name, Result: toolkit.Failure(&toolkit.Error{
			Kind: toolkit.ErrOverloaded, Tool: c.Name,
			Message: fmt.Sprintf("more than %d calls at once: make fewer", maxCalls)})})
	}
	messages := make([]Message, len(answers))
	for i, a := range answers {
		t.calls++
		text := a.Result.Output
		if n := len(a.Result.Parts); n > 0 {
			text += fmt.Sprintf("\n[%d parts that are no text are not shown]", n)
		}
		if a.Result.Fault != nil {
			t.failures++
		}
		messages[i] = Message{Role: RoleTool, Text: text, CallID: a.CallID, Failed: a.Result.Fault != nil}
	}
	return messages
}

// category is that of the tools that a sub-agent is not shown.
const category = "agents"

// delegate is the tool.
type delegate struct {
	model   Model
	options Options
}

type insideKey struct{}
