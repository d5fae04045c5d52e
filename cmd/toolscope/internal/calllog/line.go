// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// unnamed stands for each name that is no registered tool's, since models make names up.
const unnamed = "_unknown"

// lineOf is a line of a call, with what is known when it begins.
func (l *Log) lineOf(record, id string, at time.Time, call *toolkit.Call, f *toolkit.CallInfo) Record {
	redactor := l.redactor.ForTool(call.Name)
	out := Record{Version: Version, Record: record, Call: id, Server: l.server, Time: at.UTC(), Tool: unnamed}
	out.ID = cleaned(redactor, call.ID, maxName)
	if f.Tool != nil {
		out.Tool = cleaned(redactor, f.Tool.Name, maxName)
	}
	if out.Tool == unnamed && call.Name != unnamed {
		out.Requested = cleaned(redactor, call.Name, maxName)
	}
	if s := f.Session; s != nil {
		out.Session, out.Agent = l.cleanedSession(s.ID, redactor), cleaned(redactor, s.Agent, maxName)
		out.Turn = max(0, s.Turn)
	}
	out.Intent = cleaned(redactor, call.Intent, maxText)
	if len(call.Arguments) > 0 {
		clean, report := redactor.JSONMax(call.Arguments, l.content)
		out.ArgumentsRedacted, out.ArgumentsCut = report.Findings.Count() > 0, report.Truncated
		if jsontext.Value(clean).IsValid() {
			out.Arguments = clean
		} else {
			out.ArgumentsCut = true
		}
		out.Fingerprint = l.key.Fingerprint(call.Arguments)
	}
	return out
}

// cleanedSession is what is written of a session's id: many calls in a row are of the same one.
func (l *Log) cleanedSession(id string, by *redact.Redactor) string {
	if s := l.session.Load(); s != nil && s.id == id && s.by == by {
		return s.cleaned
	}
	s := &sessionID{id, cleaned(by, id, maxName), by}
	l.session.Store(s)
	return s.cleaned
}

// requestID is the id of the JSON-RPC request that a call came by, "" for none.
func requestID(ctx context.Context) string {
	if s := spans.From(ctx); s != nil {
		for _, a := range s.Attributes {
			if a.Key == keys.RequestID {
				return a.Value.AsString()
			}
		}
	}
	return ""
}

// endLine is the line of a call that has ended; b is nil for one whose beginning was not seen.
func (l *Log) endLine(ctx context.Context, e *toolkit.Ended, b *begun) Record {
	call, id := e.Call, ""
	if b != nil {
		id = b.id
		if bytes.Equal(b.asked, call.Arguments) {
			call.Arguments = nil // which were redacted already
		}
	}
	out := l.lineOf(RecordEnd, id, e.End, &call, &e.Info)
	if b != nil && call.Arguments == nil {
		out.Arguments, out.Fingerprint = b.line.Arguments, b.line.Fingerprint
		out.ArgumentsRedacted, out.ArgumentsCut = b.line.ArgumentsRedacted, b.line.ArgumentsCut
	}
	if b != nil {
		out.ID, out.Parent = b.line.ID, b.line.Parent
	}
	redactor := l.redactor.ForTool(e.Call.Name)
	took := e.Duration()
	if e.Disposition.Outcome == toolkit.OutcomeExecuted {
		took = e.Disposition.Run
	}
	out.Duration = microseconds(took)
	out.Outcome, out.ErrorType = e.Disposition.Outcome.String(), l.types.Export(e.ErrorType)
	out.setDecisions(&e.Disposition, redactor)
	if e.Err != nil {
		clean, report := redactor.TextMax(errorText(e.Err), maxText)
		out.Error = strings.ToValidUTF8(clean, "\uFFFD")
		out.ResultRedacted, out.ResultCut = report.Findings.Count() > 0, report.Truncated
	}
	if e.Content && e.ErrorType == "" {
		l.setResult(&out, e.Result, redactor)
	}
	if span := e.Info.Span; span.IsValid() {
		out.TraceID, out.SpanID = hex.EncodeToString(span.TraceID[:]), hex.EncodeToString(span.SpanID[:])
		if s, ok := trace.SpanFromContext(ctx).(interface{ Parent() trace.SpanContext }); ok && s.Parent().HasSpanID() {
			out.ParentID = s.Parent().SpanID().String()
		}
	}
	return out
}

// setDecisions sets what policies did with a call.
func (r *Record) setDecisions(d *toolkit.Disposition, redactor *redact.Redactor) {
	for _, wait := range []struct {
		to   **float64
		took time.Duration
	}{{&r.Queue, d.Queue}, {&r.Approval, d.Approval}, {&r.Backoff, d.Backoff}} {
		if wait.took > 0 {
			*wait.to = microseconds(wait.took)
		}
	}
	r.Attempts, r.Repeat = int(d.Attempts), int(d.Repeat)
	for _, t := range d.Tags {
		if r.Tags == nil {
			r.Tags = make(map[string]string, len(d.Tags))
		}
		r.Tags[t.Key] = cleaned(redactor, t.Value, maxName)
	}
}

// setResult sets the result's text, and its parts apart from each other where there are several.
func (l *Log) setResult(r *Record, result toolkit.Result, redactor *redact.Redactor) {
	clean := func(text string) string {
		clean, report := redactor.TextMax(text, l.content)
		r.ResultRedacted = r.ResultRedacted || report.Findings.Count() > 0
		r.ResultCut = r.ResultCut || report.Truncated
		return strings.ToValidUTF8(clean, "\uFFFD")
	}
	r.Result = clean(ResultText(result))
	if len(result.Parts) == 0 {
		return
	}
	if result.Output != "" {
		r.Texts = append(r.Texts, clean(result.Output))
	}
	left := l.content - len(result.Output)
	for i := range result.Parts {
		switch p := &result.Parts[i]; {
		case p.Kind == toolkit.PartText && left > len(p.Text):
			r.Texts = append(r.Texts, clean(p.Text))
			left -= len(p.Text)
		case p.Kind == toolkit.PartStructured && r.Structured == nil:
			clean, report := redactor.JSONMax(p.JSON, l.content)
			if jsontext.Value(clean).IsValid() {
				r.Structured = bytes.Clone(clean)
			}
			r.ResultRedacted = r.ResultRedacted || report.Findings.Count() > 0
			r.ResultCut = r.ResultCut || report.Truncated || r.Structured == nil
		default:
			r.ResultCut = true // the text names it by kind and size
		}
	}
}

// errorText is the error's own text; its method may panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "the error's text could not be had: its Error method panicked"
		}
	}()
	return err.Error()
}

// ResultText is a result's text, with its other parts by kind and size.
func ResultText(r toolkit.Result) string {
	if len(r.Parts) == 0 {
		return r.Output
	}
	var b strings.Builder
	b.WriteString(r.Output)
	for i := range r.Parts {
		p := &r.Parts[i]
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		switch p.Kind {
		case toolkit.PartText:
			b.WriteString(p.Text)
		case toolkit.PartStructured:
			b.Write(p.JSON)
		default:
			fmt.Fprintf(&b, "[%s %s %s, %d bytes]", p.Kind, p.URI, p.MIMEType, p.Size())
		}
	}
	return b.String()
}
