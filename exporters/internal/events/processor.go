// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/toolspan"
	"github.com/toolscope/toolscope/internal/keys"
)

// ScopeName is the name of the records' instrumentation scope.
const ScopeName = "github.com/toolscope/toolscope/exporters"

// The names of the events.
const (
	Exception = "gen_ai.execute_tool.exception" // of the conventions
	Decision  = "gen_ai.tool.call.decision"     // proposed to the conventions
)

// Options say which events are made.
type Options struct{ Exceptions, Decisions bool }

// A processor makes events of spans that end.
type processor struct {
	logger  log.Logger
	options Options
}

// New returns a processor that emits through p.
func New(p log.LoggerProvider, o Options) sdktrace.SpanProcessor {
	return &processor{p.Logger(ScopeName), o}
}

func (*processor) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (*processor) ForceFlush(context.Context) error                { return nil }
func (*processor) Shutdown(context.Context) error                  { return nil }

// OnEnd emits the events of a call that ended.
func (p *processor) OnEnd(s sdktrace.ReadOnlySpan) {
	if toolspan.Operation(s) != toolspan.ExecuteTool {
		return
	}
	ctx := trace.ContextWithSpanContext(context.Background(), s.SpanContext())
	if p.options.Decisions {
		for _, outcome := range decisions(s.Attributes()) {
			r := record(s, Decision, log.SeverityInfo)
			r.AddAttributes(keyOutcome.String(outcome))
			for _, key := range []attribute.Key{keyCallID, keys.ToolName} {
				if text := find(s.Attributes(), key); text != "" {
					r.AddAttributes(key.String(text))
				}
			}
			p.logger.Emit(ctx, r)
		}
	}
	// The sides of a protocol record a call that its caller records, too.
	if p.options.Exceptions && s.Status().Code == codes.Error && find(s.Attributes(), keys.Side) == "" {
		p.logger.Emit(ctx, exception(s))
	}
}

func record(s sdktrace.ReadOnlySpan, name string, severity log.Severity) (r log.Record) {
	r.SetEventName(name)
	r.SetTimestamp(s.EndTime())
	r.SetSeverity(severity)
	return r
}

// exception is the record of a failed call. The severity is that of the conventions' event of a failed operation.
func exception(s sdktrace.ReadOnlySpan) log.Record {
	r := record(s, Exception, log.SeverityWarn)
	for _, a := range []struct {
		key  attribute.Key
		text string
	}{
		{semconv.ExceptionTypeKey, find(s.Attributes(), keys.ErrorType)},
		{semconv.ExceptionMessageKey, s.Status().Description},
		{semconv.ExceptionStacktraceKey, find(s.Attributes(), semconv.ExceptionStacktraceKey)},
	} {
		if a.text != "" {
			r.AddAttributes(a.key.String(a.text))
		}
	}
	return r
}

// find is the text of an attribute, "" if the list has none.
func find(list []attribute.KeyValue, key attribute.Key) string {
	for i := range list {
		if list[i].Key == key {
			return list[i].Value.AsString()
		}
	}
	return ""
}
