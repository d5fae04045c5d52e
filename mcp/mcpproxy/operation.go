// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// operation is a request that waits for its answer: a call of a tool, which is a call of
// package toolkit as well, or another one.
type operation struct {
	s           *session
	from        side
	method      string
	name        string // of the tool or prompt, as the peer sent it
	uri, id     string
	cursor      string
	version     string
	state       string // by which a suspended call is found again, and
	arguments   uint64 // the hash of its arguments
	began       time.Time
	asked       time.Time // when the latest round began
	ctx         context.Context
	span, child trace.Span // span is nil for a call
	running     *toolkit.Running
	tool        *toolkit.Definition
	extra       []attribute.KeyValue
	order       uint64
	held        int // bytes of arguments
	rounds      int
	task        string // that a request is about
	stderr      int
	hung        atomic.Bool
	uncertain   bool         // its answer may have been lost
	status      status       // of an answer that is a JSON-RPC error
	attempts    atomic.Int32 // to send it on, where it is governed
}

// outcome is how an operation ended: with an answer, or without one.
type outcome struct {
	message   *message
	answered  answered
	suspended bool
	err       error
}

// maxArguments is how many bytes of arguments are kept of the calls that run, all together.
// What has no room is not shown.
const maxArguments = 32 << 20

// call reports whether the operation is a call of a tool.
func (o *operation) call() bool { return o.method == methodCallTool && o.from == fromClient }

// newOperation begins an operation; nil if the scope is off.
func (s *session) newOperation(from side, m *message, p *params, at time.Time) *operation {
	if s.w.scope.Off() {
		return nil
	}
	o := &operation{
		s: s, from: from, method: m.Method, name: p.Name, uri: p.URI, id: m.id(), cursor: p.Cursor,
		version: s.versionOf(p), began: at, asked: at,
	}
	if m.Method == methodInitialize {
		s.client, s.capabilities[fromClient] = p.ClientInfo, names(p.Capabilities)
	}
	ctx := s.w.extract(context.Background(), p.Meta)
	if o.call() {
		o.beginCall(ctx, m, p)
	} else {
		o.task = aboutTask(m.Method, p)
		o.beginOther(ctx)
	}
	return o
}

func (o *operation) beginCall(ctx context.Context, m *message, p *params) {
	s := o.s
	o.tool = s.tools.lookup(p.Name)
	if listed, has := s.tools.known(p.Name); listed && !has {
		s.w.notes.add(note{kind: noteUnknownTool, session: s, text: p.Name})
	}
	o.arguments = maphash.Bytes(argumentSeed, p.Arguments)
	call := toolkit.Call{Name: p.Name}
	if n := len(p.Arguments); n > 0 && s.w.held+n <= maxArguments {
		s.w.held += n
		o.held, call.Arguments = n, bytes.Clone(p.Arguments)
	}
	ctx = toolkit.WithSession(ctx, toolkit.Session{ID: s.called().id})
	ctx = spans.With(ctx, &spans.Spec{
		Operation: methodCallTool, Side: tracing.SideProxy, Kind: trace.SpanKindServer,
		Attributes: o.attributes(), Start: o.began, End: o.end,
	})
	o.ctx, o.running = toolkit.BeginAt(ctx, o.began, call, o.tool, s.w.observers...)
	if o.tool != nil && s.tools.hasChanged(o.tool.Name) {
		o.running.Record().Tag("mcp.definition", "changed")
	}
	if m.skim != nil {
		o.extra = append(o.extra, keyFrameBytes.Int64(m.size))
	}
	if s.w.options.ClientSpans {
		name := methodCallTool + " " + o.label()
		attrs := append(o.attributes(), keyOperation.String(executeTool), keyToolName.String(o.label()))
		_, o.child = s.w.tracer.Start(o.ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(o.began), trace.WithAttributes(attrs...))
	}
}

func (o *operation) beginOther(ctx context.Context) {
	name := o.methodName()
	if label := o.label(); label != "" {
		name += " " + label
	}
	o.ctx, o.span = o.s.w.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(o.began),
		trace.WithAttributes(o.attributes()...), trace.WithLinks(o.s.w.tasks.links(o.task)...))
}

// methodName is the method, if it is one of the protocol's: others are the peer's to make
// up.
func (o *operation) methodName() string {
	if methods[o.method] {
		return o.method
	}
	return toolkit.TypeOther
}

// methods are those of the protocol.
var methods = map[string]bool{
	methodInitialize: true, methodCallTool: true, methodListTools: true, "ping": true, "prompts/list": true, "prompts/get": true,
	"resources/list": true, "resources/read": true, "resources/templates/list": true, "resources/subscribe": true, "resources/unsubscribe": true,
	"completion/complete": true, "logging/setLevel": true, "sampling/createMessage": true, "elicitation/create": true, "roots/list": true,
	"tasks/get": true, "tasks/list": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true,
	"skills/list": true, "skills/get": true, "resources/directory/read": true,
	"server/discover": true, "subscriptions/listen": true,
}

// label is the name of the tool or prompt as it may stand in a span's name and a metric:
// one that a list or an answer has shown to be there.
func (o *operation) label() string {
	switch {
	case o.call() && o.tool != nil:
		return o.s.w.clean(o.tool.Name)
	case o.call():
		return tracing.UnknownTool
	case o.method == "prompts/get" && o.s.w.prompts[o.name]:
		return o.s.w.clean(o.name)
	}
	return ""
}

// attributes are those that samplers see.
func (o *operation) attributes() []attribute.KeyValue {
	s := o.s
	attrs := append(networkOf(s.http), keyMethod.String(o.methodName()), keyServer.String(s.w.clean(s.w.options.Server)))
	add := func(k attribute.Key, v string) {
		if v != "" {
			attrs = append(attrs, k.String(s.w.clean(v)))
		}
	}
	add(keyRequestID, o.id)
	if o.version < sessionless {
		add(keySessionID, s.named.Load().protocol)
	}
	add(keyProtocolVersion, o.version)
	add(keyTask, o.task)
	add(keyResourceURI, o.uri)
	if o.method == "prompts/get" {
		add(keyPromptName, o.name)
	}
	if o.from == fromServer {
		attrs = append(attrs, keyFrom.String("server"))
	}
	return attrs
}

// finish ends the operation.
func (o *operation) finish(at time.Time, out *outcome) {
	o.s.w.held -= o.held
	o.held = 0
	if out.message != nil && out.message.Error != nil {
		o.status = o.s.w.statusOf(out.message.Error)
	}
	if o.call() {
		o.finishCall(at, out)
		return
	}
	st := o.status
	switch {
	case out.err != nil:
		st.errorType = o.s.w.scope.Tracing().Protocol().ErrorType(toolkit.TypeOf(out.err))
	case o.method == "prompts/get" && out.message != nil && out.message.Error == nil && len(o.s.w.prompts) < maxPrompts:
		o.s.w.prompts[o.name] = true
	}
	o.s.w.metrics.record(o.ctx, at.Sub(o.began), labels{method: o.methodName(), name: o.label(), errorType: st.errorType, code: st.code, version: o.version, http: o.s.http})
	if label := o.label(); label != "" {
		o.span.SetName(o.methodName() + " " + label)
	}
	o.span.SetAttributes(o.extra...)
	if o.version != "" {
		o.span.SetAttributes(keyProtocolVersion.String(o.version))
	}
	if st.code != "" {
		o.span.SetAttributes(keyStatusCode.String(st.code))
	}
	if st.errorType != "" {
		o.span.SetAttributes(keyErrorType.String(st.errorType))
		o.span.SetStatus(codes.Error, o.s.w.errorText(out))
	}
	o.span.End(trace.WithTimestamp(at))
}

// maxPrompts bounds how many names of prompts are told apart.
const maxPrompts = 1024

func (w *Watcher) errorText(out *outcome) string {
	observer := w.scope.Tracing()
	if observer == nil {
		return ""
	}
	if out.err != nil {
		return observer.Protocol().ErrorText(out.err)
	}
	if out.message != nil && out.message.Error != nil {
		return observer.Protocol().ErrorText(out.message.Error)
	}
	return ""
}

// finishCall ends a call of a tool, and its child.
func (o *operation) finishCall(at time.Time, out *outcome) {
	if o.rounds > 0 {
		o.extra = append(o.extra, keyRounds.Int(o.rounds+1))
	}
	if o.stderr > 0 {
		o.extra = append(o.extra, keyStderrLines.Int(o.stderr))
	}
	o.becomesTask(o.ctx, out.answered.taskID())
	res, err := o.result(out)
	if listed, has := o.s.tools.known(o.name); listed && !has && (err != nil || res.Fault != nil) && out.message != nil {
		err = &toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: o.name, Cause: errors.Join(err, res.Fault)}
		o.running.Record().Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
	}
	if o.child != nil {
		failed := err
		if failed == nil {
			failed = res.Fault
		}
		if failed != nil {
			kind := toolkit.TypeOf(failed)
			if o.status.code != "" {
				o.child.SetAttributes(keyStatusCode.String(o.status.code))
				kind = o.status.code
			}
			o.child.SetAttributes(keyErrorType.String(o.s.w.scope.Tracing().Protocol().ErrorType(kind)))
			o.child.SetStatus(codes.Error, "")
		}
		o.child.End(trace.WithTimestamp(at))
	}
	o.running.EndAt(at, res, err)
}

// result is what the call's observers are told of its end.
func (o *operation) result(out *outcome) (toolkit.Result, error) {
	switch {
	case out.err != nil:
		return toolkit.Result{}, out.err
	case out.suspended:
		return toolkit.Result{Suspended: true}, nil
	case out.message.Error != nil:
		return toolkit.Result{}, out.message.Error
	case out.message.skim != nil:
		o.extra = append(o.extra, keyFrameBytes.Int64(out.message.size))
		text := fmt.Sprintf("[an answer of %d bytes, which was passed on and not looked at]", out.message.size)
		return toolkit.Result{Output: text, Fault: toolkit.SoftError(out.answered.IsError, text)}, nil
	}
	return resultOf(out.message.Result), nil
}

// hangs notes that the call hangs, once. Safe for concurrent use.
func (o *operation) hangs() {
	if !o.hung.Swap(true) {
		o.running.Record().Tag("mcp.hung", "yes")
		o.s.w.notes.add(note{kind: noteHung, session: o.s, tool: o.label()})
	}
}

// end is what the protocol says of a call that has ended: see spans.Spec.
func (o *operation) end(ctx context.Context, e *toolkit.Ended) spans.End {
	end := spans.End{Attributes: o.extra}
	if o.hung.Load() && o.running == nil { // else a tag says so
		end.Attributes = append(end.Attributes, keyHung.String("yes"))
	}
	errorType, code := o.s.w.scope.Tracing().Protocol().ErrorType(e.ErrorType), ""
	if wire := (*rpcError)(nil); errors.As(e.Err, &wire) && e.ErrorType != string(toolkit.ErrUnknownTool) {
		st := o.s.w.statusOf(wire)
		errorType, code = st.errorType, st.code
		end.Success, end.ErrorType = errorType == "", errorType
		end.Attributes = append(end.Attributes, keyStatusCode.String(code))
	}
	o.s.w.metrics.record(ctx, e.Duration(), labels{
		method: o.method, name: o.label(), errorType: errorType, code: code, version: o.version, http: o.s.http,
		outcome: e.Disposition.Outcome,
	})
	return end
}
