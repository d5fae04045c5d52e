// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/spans"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// Operation is a request that waits for its answer: a call of a tool, which is a call of
// package toolkit as well, or another one.
type Operation struct {
	*Connection
	from        Side
	method      string
	name        string // of the tool or prompt, as the peer sent it
	uri, ID     string
	cursor      string
	revision    revision.Revision
	arguments   digest // of a watched call
	Began       time.Time
	asked       time.Time // when the latest round began
	Ctx         context.Context
	span, child trace.Span // span is nil for a call
	Running     *toolkit.Running
	Tool        *toolkit.Definition
	Extra       []attribute.KeyValue
	order       uint64
	held        int // bytes of arguments
	Rounds      int
	task        string // that a request is about
	stderr      int
	hung        atomic.Bool
	uncertain   bool         // its answer may have been lost
	status      status       // of an answer that is a JSON-RPC error
	Attempts    atomic.Int32 // to send it on, where it is governed
}

// outcome is how an operation ended: with an answer, or without one.
type outcome struct {
	message   *wire.Message
	answered  wire.Answer
	suspended bool
	err       error
}

// MaxArguments is how many bytes of arguments are kept of the calls that run, all together.
// What has no room is not shown.
const MaxArguments = 32 << 20

// call reports whether the operation is a call of a tool.
func (o *Operation) call() bool { return o.method == wire.MethodCallTool && o.from == FromClient }

// NewCall is a call of a tool that is to be governed.
func (s *Connection) NewCall(m *wire.Message, p *wire.Params, at time.Time) *Operation {
	return &Operation{
		Connection: s, from: FromClient, method: wire.MethodCallTool, name: p.Name, ID: m.IDText(),
		revision: s.versionOf(p), Began: at,
	}
}

// begin begins an operation; nil if the scope is off.
func (s *Connection) begin(from Side, m *wire.Message, p *wire.Params, at time.Time) *Operation {
	if s.Engine.Scope.Off() {
		return nil
	}
	o := &Operation{
		Connection: s, from: from, method: m.Method, name: p.Name, uri: p.URI, ID: m.IDText(), cursor: p.Cursor,
		revision: s.versionOf(p), Began: at, asked: at,
	}
	ctx := s.Engine.Extract(context.Background(), p.Meta)
	if o.call() {
		o.beginCall(ctx, m, p)
	} else {
		o.task = aboutTask(m.Method, p)
		o.beginOther(ctx)
	}
	return o
}

func (o *Operation) beginCall(ctx context.Context, m *wire.Message, p *wire.Params) {
	o.SetTool()
	o.arguments = quickDigest(p.Arguments)
	call := toolkit.Call{Name: p.Name}
	if n := len(p.Arguments); n > 0 && o.Engine.held+n <= MaxArguments {
		o.Engine.held += n
		o.held, call.Arguments = n, bytes.Clone(p.Arguments)
	}
	o.Ctx = o.CallContext(ctx)
	o.Ctx, o.Running = toolkit.BeginAt(o.Ctx, o.Began, call, o.Tool, o.Engine.Observers...)
	if o.Tool != nil && o.Tools.hasChanged(o.Tool.Name) {
		o.Running.Record().Tag("mcp.definition", "changed")
	}
	if m.Skim != nil {
		o.Extra = append(o.Extra, keys.FrameBytes.Int64(m.Size))
	}
	if o.Engine.ClientSpans {
		_, o.child = o.StartChild(o.Ctx, trace.WithTimestamp(o.Began))
	}
}

// SetTool finds the tool that is called, and notes a name that the server does not list.
func (o *Operation) SetTool() {
	o.Tool = o.Tools.Lookup(o.name)
	if listed, has := o.Tools.known(o.name); listed && !has {
		o.Engine.notes.record(Note{Kind: NoteUnknownTool, session: o.Called().ID, Text: o.name})
	}
}

// CallContext is what the call's observers and policies are given: its session, and what its span is to say.
func (o *Operation) CallContext(ctx context.Context) context.Context {
	ctx = toolkit.WithSession(ctx, toolkit.Session{ID: o.Called().ID, Tenant: o.Engine.Tenant})
	return spans.With(ctx, &spans.Spec{
		Operation: wire.MethodCallTool, Side: keys.SideProxy, Kind: trace.SpanKindServer,
		Attributes: o.attributes(), Start: o.Began, End: o.end,
	})
}

// StartChild starts the call's span of kind CLIENT.
func (o *Operation) StartChild(ctx context.Context, start ...trace.SpanStartOption) (context.Context, trace.Span) {
	attrs := append(o.attributes(), keys.Operation.String(executeTool), keys.ToolName.String(o.label()))
	start = append(start, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	return o.Engine.tracer.Start(ctx, wire.MethodCallTool+" "+o.label(), start...)
}

func (o *Operation) beginOther(ctx context.Context) {
	name := o.methodName()
	if label := o.label(); label != "" {
		name += " " + label
	}
	o.Ctx, o.span = o.Engine.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(o.Began),
		trace.WithAttributes(o.attributes()...), trace.WithLinks(o.Engine.Tasks.links(o.task)...))
}

// methodName is the method, if it is one of the protocol's: others are the peer's to make
// up.
func (o *Operation) methodName() string {
	if methods[o.method] {
		return o.method
	}
	return toolkit.TypeOther
}

// methods are those of the protocol.
var methods = map[string]bool{
	wire.MethodInitialize: true, wire.MethodCallTool: true, wire.MethodListTools: true, "ping": true, "prompts/list": true,
	"prompts/get":    true,
	"resources/list": true, "resources/read": true, "resources/templates/list": true, "resources/subscribe": true,
	"resources/unsubscribe": true,
	"completion/complete":   true, "logging/setLevel": true, "sampling/createMessage": true, "elicitation/create": true,
	"roots/list": true,
	"tasks/get":  true, "tasks/list": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true,
	"skills/list": true, "skills/get": true, "resources/directory/read": true,
	"server/discover": true, "subscriptions/listen": true,
}

// label is the name of the tool or prompt as it may stand in a span's name and a metric:
// one that a list or an answer has shown to be there.
func (o *Operation) label() string {
	switch {
	case o.call() && o.Tool != nil:
		return o.Engine.clean(o.Tool.Name)
	case o.call():
		return tracing.UnknownTool
	case o.method == "prompts/get" && o.Engine.prompts[o.name]:
		return o.Engine.clean(o.name)
	}
	return ""
}

// attributes are those that samplers see.
func (o *Operation) attributes() []attribute.KeyValue {
	attrs := append(networkOf(o.http), keys.Method.String(o.methodName()), keys.Server.String(o.Engine.clean(o.Engine.Server)))
	add := func(k attribute.Key, v string) {
		if v != "" {
			attrs = append(attrs, k.String(o.Engine.clean(v)))
		}
	}
	add(keys.RequestID, o.ID)
	if o.revision.HasSessions() && o.method != "server/discover" { // which is of a revision without sessions
		add(keys.SessionID, o.Named.Load().Protocol)
	}
	add(keys.ProtocolVersion, o.revision.String())
	add(keys.Task, o.task)
	add(keys.ResourceURI, o.uri)
	if o.method == "prompts/get" {
		add(keys.PromptName, o.name)
	}
	if o.from == FromServer {
		attrs = append(attrs, keys.From.String("server"))
	}
	return attrs
}

// finish ends the operation.
func (o *Operation) finish(at time.Time, out *outcome) {
	o.Engine.held -= o.held
	o.held = 0
	if out.message != nil && out.message.Error != nil {
		o.status = o.Engine.codes.statusOf(out.message.Error)
	}
	if o.call() {
		o.finishCall(at, out)
		return
	}
	st := o.status
	switch {
	case out.err != nil:
		st.errorType = o.Engine.Scope.Tracing().Protocol().ErrorType(toolkit.TypeOf(out.err))
	case o.method == "prompts/get" && out.message != nil && out.message.Error == nil && len(o.Engine.prompts) < maxPrompts:
		o.Engine.prompts[o.name] = true
	}
	if o.Engine.OnRequest != nil {
		o.Engine.OnRequest(Request{
			Method: o.method, Target: cmp.Or(o.uri, o.name), ID: o.ID, Session: o.Called().ID, Began: o.Began, Ended: at,
			ErrorType: st.errorType,
		})
	}
	o.Engine.metrics.record(o.Ctx, at.Sub(o.Began), labels{
		method: o.methodName(), name: o.label(), errorType: st.errorType, code: st.code, version: o.revision, http: o.http,
	})
	if label := o.label(); label != "" {
		o.span.SetName(o.methodName() + " " + label)
	}
	o.span.SetAttributes(o.Extra...)
	if o.revision != revision.Unknown {
		o.span.SetAttributes(keys.ProtocolVersion.String(o.revision.String()))
	}
	if st.code != "" {
		o.span.SetAttributes(keys.StatusCode.String(st.code))
	}
	if st.errorType != "" {
		o.span.SetAttributes(keys.ErrorType.String(st.errorType))
		o.span.SetStatus(codes.Error, o.Engine.errorText(out))
	}
	o.span.End(trace.WithTimestamp(at))
}

// maxPrompts bounds how many names of prompts are distinguished.
const maxPrompts = 1024

// finishCall ends a call of a tool, and its child.
func (o *Operation) finishCall(at time.Time, out *outcome) {
	if o.Rounds > 0 {
		o.Extra = append(o.Extra, keys.Rounds.Int(o.Rounds+1))
	}
	if o.stderr > 0 {
		o.Extra = append(o.Extra, keys.StderrLines.Int(o.stderr))
	}
	o.BecomesTask(o.Ctx, out.answered.TaskID())
	res, err := o.result(out)
	if listed, has := o.Tools.known(o.name); listed && !has && (err != nil || res.Fault != nil) && out.message != nil {
		err = &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: o.name, Cause: errors.Join(err, res.Fault)}
		o.Running.Record().Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	}
	if o.child != nil {
		failed := err
		if failed == nil {
			failed = res.Fault
		}
		if failed != nil {
			kind := toolkit.TypeOf(failed)
			if o.status.code != "" {
				o.child.SetAttributes(keys.StatusCode.String(o.status.code))
				kind = o.status.code
			}
			o.child.SetAttributes(keys.ErrorType.String(o.Engine.Scope.Tracing().Protocol().ErrorType(kind)))
			o.child.SetStatus(codes.Error, "")
		}
		o.child.End(trace.WithTimestamp(at))
	}
	o.Running.EndAt(at, res, err)
}

// result is what the call's observers get at its end.
func (o *Operation) result(out *outcome) (toolkit.Result, error) {
	switch {
	case out.err != nil:
		return toolkit.Result{}, out.err
	case out.suspended:
		return toolkit.Result{Suspended: true}, nil
	case out.message.Error != nil:
		return toolkit.Result{}, out.message.Error
	case out.message.Skim != nil:
		o.Extra = append(o.Extra, keys.FrameBytes.Int64(out.message.Size))
		text := fmt.Sprintf("[an answer of %d bytes, which was passed on and not looked at]", out.message.Size)
		return toolkit.Result{Output: text, Fault: toolkit.SoftError(out.answered.IsError, text)}, nil
	}
	return ResultOf(out.message.Result), nil
}

// Hangs notes that the call hangs, once. Safe for concurrent use.
func (o *Operation) Hangs() {
	if !o.hung.Swap(true) {
		o.Running.Record().Tag("mcp.hung", "yes")
		o.Engine.notes.record(Note{Kind: NoteHung, session: o.Called().ID, tool: o.label()})
	}
}

// end is what the protocol says of a call that has ended: see spans.Spec.
func (o *Operation) end(ctx context.Context, e *toolkit.Ended) spans.End {
	end := spans.End{Attributes: o.Extra}
	if o.hung.Load() && o.Running == nil { // else a tag says so
		end.Attributes = append(end.Attributes, keys.Hung.String("yes"))
	}
	errorType, code := o.Engine.Scope.Tracing().Protocol().ErrorType(e.ErrorType), ""
	if wire := (*wire.RPCError)(nil); errors.As(e.Err, &wire) && e.ErrorType != string(toolkit.ErrUnknownTool) {
		st := o.Engine.codes.statusOf(wire)
		errorType, code = st.errorType, st.code
		end.Success, end.ErrorType = errorType == "", errorType
		end.Attributes = append(end.Attributes, keys.StatusCode.String(code))
	}
	o.Engine.metrics.record(ctx, e.Duration(), labels{
		method: o.method, name: o.label(), errorType: errorType, code: code, version: o.revision, http: o.http,
		outcome: e.Disposition.Outcome,
	})
	return end
}
