// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// ScopeName is the name of the instrumentation scope.
const ScopeName = "github.com/toolscope/toolscope/tracing"

// An Observer makes spans and metrics of calls. Make one with [New]; it is safe
// for concurrent use and holds nothing that needs closing.
type Observer struct {
	config
	tracer  trace.Tracer
	silent  bool // the tracer makes no spans
	metrics metrics
	tools   tools
	names   cleanNames
	talks   talks
	tags    tags
	types   *errtype.Guard
	refined refined
	clean   func(string) string // is identifier
	buffers sync.Pool           // of *attributes
	hidden  atomic.Bool         // whether content is kept off spans for now
	shared  atomic.Bool         // whether OuterCall finds the calls
}

var _ toolkit.Observer = (*Observer)(nil)

// New makes an observer. An error names the field of o or the environment variable that is wrong, what it got
// and what it wants; instruments that cannot be made are an error as well.
func New(o Options) (*Observer, error) {
	c, err := newConfig(o)
	if err != nil {
		return nil, err
	}
	observer := &Observer{config: *c, types: errtype.New(c.redactor), refined: newRefined(c.redactor)}
	observer.tracer = c.tracers.Tracer(ScopeName, trace.WithInstrumentationVersion(version()))
	_, observer.silent = observer.tracer.(noop.Tracer)
	observer.clean = observer.identifier
	observer.names, observer.talks = newCleanNames(), newTalks()
	observer.tags = tags{newCleanNames(), newCleanNames(), errtype.NewKeys(c.redactor)}
	observer.tools.max, observer.tools.clean = c.maxTools, observer.clean
	observer.buffers.New = func() any { return &attributes{stamp: newStamp()} }
	if err := observer.metrics.make(c.meters); err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	return observer, nil
}

// clocked is what a recording span of the SDK says of its times.
type clocked interface{ StartTime() time.Time }

// Begin starts the call's span.
func (o *Observer) Begin(ctx context.Context, call toolkit.Call, f *toolkit.CallInfo) context.Context {
	ctx, spec := spans.Take(ctx)
	if run := agentFrom(ctx); run != nil && (spec == nil || !spec.Continues) {
		run.toolCalls.Add(1)
	}
	ctx, span := o.start(ctx, call.Arguments, f, spec)
	if span.IsRecording() {
		if c, ok := span.(clocked); ok {
			f.Start = c.StartTime()
		}
	}
	if sc := span.SpanContext(); sc.IsValid() {
		f.Span = toolkit.SpanRef{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Sampled: sc.IsSampled()}
	}
	if o.shared.Load() {
		return &spans.Call{Context: ctx, Span: span, Tool: f.Tool}
	}
	return ctx
}

// start starts the call's span. A tracer that makes none is asked only where a span of the
// application must be kept from being taken for the call's.
func (o *Observer) start(
	ctx context.Context, arguments []byte, f *toolkit.CallInfo, spec *spans.Spec,
) (context.Context, trace.Span) {
	if o.silent {
		if outer := trace.SpanFromContext(ctx); !outer.IsRecording() {
			return ctx, outer
		}
	}
	info := o.tools.find(f, spec)
	options := info.start
	if s := f.Session; s != nil && s.Conversation != "" {
		options = o.talks.startOptions(info, s.Conversation, o.clean)
	}
	if spec != nil {
		options = spec.StartOptions(options)
	}
	if span := spec.Adopted(); span != nil && !o.silent {
		if !o.sendsTo(spec.AdoptFrom) {
			spec.Adopt = nil
			return o.tracer.Start(ctx, info.spanName, options...)
		}
		start := trace.NewSpanStartConfig(options...)
		span.SetAttributes(start.Attributes()...)
		return trace.ContextWithSpan(ctx, span), span
	}
	if f.Tool != nil && f.Tool.Skill != (toolkit.SkillArguments{}) && spec == nil {
		return o.startSkill(ctx, info, f.Tool.Skill, arguments, options)
	}
	return o.tracer.Start(ctx, info.spanName, options...)
}

// sendsTo reports whether the provider of a framework's span is the observer's own. If it is not, what is added to
// the span would be missing there.
func (o *Observer) sendsTo(to trace.TracerProvider) bool {
	if to == nil || !reflect.TypeOf(to).Comparable() {
		return false
	}
	return to == o.tracers || o.global && to == otel.GetTracerProvider()
}

// Content reports whether content goes onto spans: [Options].Content said so, and
// [Observer.SetContent] has not turned it off.
func (o *Observer) Content() bool { return o.content == ContentOn && !o.hidden.Load() }

// SetContent turns content off for the spans of calls that end from now on, and on
// again. It does not turn on what [Options].Content left off.
func (o *Observer) SetContent(on bool) { o.hidden.Store(!on) }

// Wants reports whether content goes onto the call's span.
func (o *Observer) Wants(ctx context.Context) bool {
	return !o.silent && o.Content() && trace.SpanFromContext(ctx).IsRecording()
}

// End ends the call's span and records its metrics.
func (o *Observer) End(ctx context.Context, e *toolkit.Ended) {
	spec := spans.From(ctx)
	var span trace.Span // nil where there are none
	if !o.silent {
		span = trace.SpanFromContext(ctx)
	}
	recording := span != nil && span.IsRecording()
	var info *toolInfo
	if recording || o.metrics.enabled(ctx) {
		info = o.tools.find(&e.Info, spec)
		if spec.Counts(e) {
			o.metrics.record(ctx, info, e, o.types.Export(e.ErrorType))
		}
	}
	if !recording {
		leave(ctx, span, spec, e)
		return
	}
	a := o.buffers.Get().(*attributes)
	a.end[0] = a.stamp.forTime(e.End)
	defer o.finish(span, spec, a) // whatever happens below
	said := spec.AtEnd(ctx, e)
	o.describe(a, e)
	if e.Disposition.Process != nil {
		o.addProcess(a, span, info, spec, e)
	}
	errorType := o.types.Export(said.ErrorTypeOf(e))
	if errorType != "" {
		a.text(keyErrorType, errorType)
	}
	a.list = append(a.list, said.Attributes...)
	if o.Content() {
		o.addContent(a, info, e)
	}
	span.SetAttributes(a.list...)
	if from := e.Disposition.Origin; from.IsValid() {
		link(span, from)
	}
	if errorType != "" {
		span.SetStatus(codes.Error, o.errorDescription(e))
	}
	if e.ErrorType == string(toolkit.ErrPanic) {
		o.setStack(span, e.Call.Name, e.Stack, e.Err)
	}
}

// leave ends a span that does not record, if there is one.
func leave(ctx context.Context, span trace.Span, spec *spans.Spec, e *toolkit.Ended) {
	if span != nil && spec.Adopted() == nil {
		defer span.End()
	}
	spec.AtEnd(ctx, e)
}

// link adds a link. It is not inlined, since few spans have one and it takes much of a stack.
//
//go:noinline
func link(span trace.Span, to toolkit.SpanRef) {
	span.AddLink(trace.Link{SpanContext: spanContext(to)})
}

// finish ends a span, unless it is a framework's, and gives its buffer back.
func (o *Observer) finish(span trace.Span, spec *spans.Spec, a *attributes) {
	if spec.Adopted() == nil {
		span.End(a.end[:]...)
	}
	clear(a.list)
	clear(a.end[:])
	a.list = a.list[:0]
	o.buffers.Put(a)
}

// errorDescription is the status text: the error's, redacted and cut.
func (o *Observer) errorDescription(e *toolkit.Ended) string {
	if !o.errorText {
		return ""
	}
	switch {
	case e.Ending == toolkit.EndingPanicked:
		return o.failureText(e.Call.Name, "panic: "+panicText(e.Panic))
	case int(e.Ending) < len(endingTexts) && endingTexts[e.Ending] != "":
		return endingTexts[e.Ending]
	case e.Err == nil:
		return ""
	}
	return o.failureText(e.Call.Name, errorText(e.Err))
}

// failureText is the text of a failed call, which may be its result's, redacted by the rules for the tool and
// truncated.
func (o *Observer) failureText(tool, text string) string {
	text, _ = o.redactor.ForTool(tool).TextMax(text, o.limits.Error)
	return valid(text)
}

// setFailed sets the status of a span of one run of a tool that failed with err.
func (o *Observer) setFailed(span trace.Span, tool string, err error) {
	text := ""
	if o.errorText {
		text = o.failureText(tool, errorText(err))
	}
	span.SetStatus(codes.Error, text)
	o.setStack(span, tool, nil, err)
}

// maxStack is how many bytes of the stack of a panic a span carries.
const maxStack = 4 << 10

// setStack sets the stack of a panic: stack, or, if that is nil, the one of a [toolkit.PanicError] in err. It is
// part of the text of an error (see [WithErrorText]).
func (o *Observer) setStack(span trace.Span, tool string, stack []byte, err error) {
	if !o.errorText {
		return
	}
	if stack == nil {
		stack = stackOf(err)
	}
	if len(stack) > 0 {
		text, _ := o.redactor.ForTool(tool).TextMax(string(stack), maxStack)
		span.SetAttributes(keyStack.String(valid(text)))
	}
}

// stackOf is the stack of a panic in err, nil if there is none. The error's own methods may panic.
func stackOf(err error) []byte {
	defer func() { _ = recover() }()
	var p *toolkit.PanicError
	if errors.As(err, &p) && p != nil {
		return p.Stack
	}
	return nil
}

// endingTexts are the status texts of endings that have no error; "" for those whose error or panic
// has the text.
var endingTexts = [...]string{"", "", "", "the tool ended its goroutine", "the call was begun and never ended"}

var _ [toolkit.EndingCount]struct{} = [len(endingTexts)]struct{}{}

// panicText is the panic's value as text; a value's own method may panic, which
// fmt takes care of.
func panicText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case error:
		return errorText(v)
	}
	return fmt.Sprint(v)
}

// errorText is the error's own text; its method may panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "the error's text could not be had: its Error method panicked"
		}
	}()
	var p *toolkit.PanicError
	if errors.As(err, &p) {
		return "panic: " + panicText(p.Value)
	}
	return err.Error()
}

// text is s redacted, cut to limit and valid UTF-8.
func (o *Observer) text(s string, limit int) string {
	out, _ := o.redactor.TextMax(s, limit)
	return valid(out)
}

func (o *Observer) identifier(s string) string { return o.text(s, maxIdentifier) }

func spanContext(s toolkit.SpanRef) trace.SpanContext {
	c := trace.SpanContextConfig{TraceID: s.TraceID, SpanID: s.SpanID}
	if s.Sampled {
		c.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(c)
}

// Inject writes the context's trace context into a carrier by the observer's
// propagators.
func (o *Observer) Inject(ctx context.Context, carrier propagation.TextMapCarrier) {
	o.propagators.Inject(ctx, carrier)
}

// Extract reads a trace context from a carrier by the observer's propagators.
func (o *Observer) Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context {
	return o.propagators.Extract(ctx, carrier)
}
