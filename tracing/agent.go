// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// An Agent describes one invocation of an agent for [Observer.StartAgent]. All
// fields are optional.
type Agent struct {
	Name         string // gen_ai.agent.name; low cardinality
	Description  string
	Model        string // gen_ai.request.model, if the agent uses one only
	Conversation string // gen_ai.conversation.id; "" keeps the session's
	Session      string // session.id; "" keeps the context's
	// Turn is the number of the invocation in its conversation, from 1, for
	// toolscope.turn; 0 keeps the session's.
	Turn int
	// Prompt is what the agent was asked, in gen_ai.input.messages: redacted,
	// truncated as arguments are ([Limits]), and only if content goes onto spans.
	Prompt string
}

// An AgentRun is an invocation that has begun. All methods are safe for concurrent
// use and work on nil.
type AgentRun struct {
	observer       *Observer
	ctx            context.Context
	span           trace.Span
	labels         []attribute.KeyValue
	start          time.Time
	toolCalls      atomic.Int64
	inferenceCalls atomic.Int64
	counted        atomic.Bool // whether tokens were counted
	input, output  atomic.Int64
	ended          atomic.Bool
}

type agentKey struct{}

// agents tells whether any agent's run was started in this process: where none was, contexts
// are not searched for one.
var agents atomic.Bool

func agentFrom(ctx context.Context) *AgentRun {
	if !agents.Load() {
		return nil
	}
	run, _ := ctx.Value(agentKey{}).(*AgentRun)
	return run
}

// InSession is the session of the agent's calls: parent's, which may be nil, with
// what the agent says of itself, outside any batch.
func (a Agent) InSession(parent *toolkit.Session) toolkit.Session {
	var s toolkit.Session
	if parent != nil {
		s = *parent
	}
	s.Agent, s.Batch = a.Name, ""
	if a.Conversation != "" {
		s.Conversation = a.Conversation
	}
	if a.Session != "" {
		s.ID = a.Session
	}
	if a.Turn > 0 {
		s.Turn = a.Turn
	}
	return s
}

// StartAgent opens a span `invoke_agent {name}` of kind INTERNAL. Calls made with
// the context returned appear under it, carry the agent's name and conversation, and
// are counted in gen_ai.invoke_agent.tool_calls; those of a sub-agent count for
// the sub-agent. End the run with [AgentRun.End].
func (o *Observer) StartAgent(ctx context.Context, a Agent) (context.Context, *AgentRun) {
	agents.Store(true)
	session := a.InSession(toolkit.SessionFrom(ctx))
	run := &AgentRun{observer: o, start: time.Now()}
	name := "invoke_agent"
	attrs := []attribute.KeyValue{keyOperation.String("invoke_agent")}
	if a.Name != "" {
		name += " " + o.identifier(a.Name)
		run.labels = append(run.labels, keyAgentName.String(o.identifier(a.Name)))
	}
	if a.Model != "" {
		run.labels = append(run.labels, keyRequestModel.String(o.identifier(a.Model)))
	}
	attrs = append(attrs, run.labels...)
	if a.Description != "" {
		attrs = append(attrs, keyAgentDesc.String(o.text(a.Description, o.limits.Error)))
	}
	for _, id := range []struct {
		key attribute.Key
		id  string
	}{{keyConversation, session.Conversation}, {keySession, session.ID}, {keyTenant, session.Tenant}} {
		if id.id != "" {
			attrs = append(attrs, id.key.String(o.identifier(id.id)))
		}
	}
	if session.Turn > 0 {
		attrs = append(attrs, keyTurn.Int(session.Turn))
	}
	ctx, run.span = o.tracer.Start(
		ctx, name, trace.WithTimestamp(run.start), trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithAttributes(attrs...),
	)
	if a.Prompt != "" && o.Content() && run.span.IsRecording() {
		run.span.SetAttributes(keyInput.String(o.userMessage(a.Prompt)))
	}
	run.ctx = context.WithValue(toolkit.WithSession(ctx, session), agentKey{}, run)
	return run.ctx, run
}

// InferenceCall counts a call of the model in gen_ai.invoke_agent.inference_calls.
func (r *AgentRun) InferenceCall() {
	if r != nil {
		r.inferenceCalls.Add(1)
	}
}

// userMessage is a prompt in the conventions' form of messages, redacted and truncated.
func (o *Observer) userMessage(prompt string) string {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	// Redacted as the text that it is, before it becomes a string of JSON, where fewer rules apply.
	prompt = o.text(prompt, o.limits.Arguments)
	text, err := json.Marshal([]message{{"user", []part{{"text", prompt}}}})
	if err != nil { // of strings only: cannot happen
		return ""
	}
	out, _ := o.redactor.JSONCopyMax(text, o.limits.Arguments) // escapes have made it longer
	return valid(out)
}

// AddUsage adds tokens that a call of the model took, for gen_ai.usage.input_tokens and
// gen_ai.usage.output_tokens of the span; those below 0 count as 0. Without it the span has neither.
func (r *AgentRun) AddUsage(inputTokens, outputTokens int64) {
	if r != nil {
		r.input.Add(max(0, inputTokens))
		r.output.Add(max(0, outputTokens))
		r.counted.Store(true)
	}
}

// End ends the span and records the invocation's metrics; err says how it failed,
// nil that it did not. Only the first End counts.
func (r *AgentRun) End(err error) {
	if r == nil || r.ended.Swap(true) {
		return
	}
	o, end := r.observer, time.Now()
	if r.counted.Load() {
		r.span.SetAttributes(keyInputTokens.Int64(r.input.Load()), keyOutputTokens.Int64(r.output.Load()))
	}
	labels := r.labels
	if err != nil {
		kind := o.types.Export(errorType(err))
		labels = append(labels[:len(labels):len(labels)], keyErrorType.String(kind))
		r.span.SetAttributes(keyErrorType.String(kind))
		o.setFailed(r.span, "", err)
	}
	r.span.End(trace.WithTimestamp(end))
	o.metrics.agentDuration.Record(r.ctx, end.Sub(r.start).Seconds(), metric.WithAttributes(labels...))
	counted := metric.WithAttributes(r.labels[:min(1, len(r.labels))]...)
	o.metrics.toolCalls.Record(r.ctx, r.toolCalls.Load(), counted)
	if n := r.inferenceCalls.Load(); n > 0 {
		o.metrics.inferenceCalls.Record(r.ctx, n, counted)
	}
}

// errorType is error.type for an agent's own error, which is no tool's. Its own methods may panic:
// then it is an unknown one.
func errorType(err error) (kind string) {
	defer func() {
		if recover() != nil {
			kind = toolkit.TypeOther
		}
	}()
	if t := toolkit.TypeOf(err); t != string(toolkit.ErrTool) || errors.Is(err, toolkit.ErrTool) {
		return t
	}
	return toolkit.TypeOther
}
