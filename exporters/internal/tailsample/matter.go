// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// KeepKey is true on a span that an application marks, so that the trace is kept.
const KeepKey = attribute.Key("toolscope.keep")

// Other attributes that the decision depends on.
const (
	keyErrorType = attribute.Key("error.type")
	keyToolName  = attribute.Key("gen_ai.tool.name")
	keyRunTool   = attribute.Key("toolscope.tool.name")
	keyOutcome   = attribute.Key("toolscope.outcome")
	keyEnding    = attribute.Key("toolscope.ending")
	keyLoop      = attribute.Key("toolscope.loop.kind")
	keyRun       = attribute.Key("toolscope.run.duration")
)

// exceptionEvent is the name of the event by which the SDK tells of a panic.
const exceptionEvent = "exception"

// matters reports whether s makes its trace one that is kept.
func (p *Processor) matters(s sdktrace.ReadOnlySpan) bool {
	if s.Status().Code == codes.Error {
		return true
	}
	tool, executed, run := "", false, time.Duration(0)
	for _, kv := range s.Attributes() {
		switch kv.Key {
		case keyErrorType, keyEnding, keyLoop:
			return true
		case KeepKey:
			if kv.Value.Type() == attribute.BOOL && kv.Value.AsBool() {
				return true
			}
		case keyOutcome:
			switch kv.Value.AsString() {
			case "refused":
				return true
			case "executed":
				executed = true
			}
		case keyToolName, keyRunTool:
			tool = kv.Value.AsString()
		case keyRun:
			run = time.Duration(kv.Value.AsFloat64() * float64(time.Second))
		}
	}
	for _, e := range s.Events() {
		if e.Name == exceptionEvent {
			return true
		}
	}
	if run == 0 {
		run = s.EndTime().Sub(s.StartTime())
	}
	if limit := p.options.SlowerThan; executed && limit > 0 && run > limit {
		return true
	}
	return executed && p.isSlow(tool, run) || p.flagged(s)
}

// isSlow asks the host; a panic counts as no.
func (p *Processor) isSlow(tool string, run time.Duration) (slow bool) {
	limitOf := *p.slow.Load()
	if limitOf == nil {
		return false
	}
	defer func() { _ = recover() }()
	limit := limitOf(tool)
	return limit > 0 && run > limit
}

// flagged asks the host; a panic counts as no.
func (p *Processor) flagged(s sdktrace.ReadOnlySpan) (flagged bool) {
	if p.options.Keep == nil {
		return false
	}
	defer func() { _ = recover() }()
	return p.options.Keep(s)
}
