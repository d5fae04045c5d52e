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

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// line is what is written of a call. The names are those of internal/calllog.Read.
type line struct {
	Version   int            `json:"v"`
	Record    string         `json:"record"`
	Call      string         `json:"call,omitzero"`   // tells which lines are of one call
	Server    string         `json:"server,omitzero"` // the name of the MCP server
	Time      time.Time      `json:"time"`            // of a beginning, or else of an end
	Method    string         `json:"method,omitzero"` // of a request that is no call of a tool
	Target    string         `json:"target,omitzero"` // what it names: a prompt or a resource
	Dropped   uint64         `json:"dropped,omitzero"`
	Tool      string         `json:"tool,omitzero"`
	Requested string         `json:"requested_name,omitzero"` // the name that the caller gave, if Tool is unnamed
	Outcome   string         `json:"outcome,omitzero"`
	Duration  *float64       `json:"duration_us,omitzero"`
	ErrorType string         `json:"error_type,omitzero"`
	Error     string         `json:"error,omitzero"`
	Session   string         `json:"session,omitzero"`
	Agent     string         `json:"agent,omitzero"`
	Turn      int            `json:"turn,omitzero"`
	ID        string         `json:"id,omitzero"`
	Intent    string         `json:"intent,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	Result    string         `json:"result,omitzero"`
	TraceID   string         `json:"trace_id,omitzero"`
	SpanID    string         `json:"span_id,omitzero"`
	ParentID  string         `json:"parent_span_id,omitzero"`
}

// unnamed stands for each name that is no registered tool's, since models make names up.
const unnamed = "_unknown"

// version is that of the form of lines.
const version = 1

// The kinds of lines. Those of a call are two, so that a call whose end was never seen is in the log as well.
const (
	recordBegin   = "begin"
	recordEnd     = "end"
	recordRequest = "request" // another request, once it has ended
	recordDropped = "dropped" // lines that had no room
)

// lineOf is a line of a call, with what is known when it begins.
func (l *Log) lineOf(record, id string, at time.Time, call *toolkit.Call, f *toolkit.CallInfo) line {
	redactor := l.redactor.ForTool(call.Name)
	out := line{Version: version, Record: record, Call: id, Server: l.server, Time: at.UTC(), Tool: unnamed}
	out.ID = cleaned(redactor, call.ID, maxName)
	if f.Tool != nil {
		out.Tool = cleaned(redactor, f.Tool.Name, maxName)
	}
	if out.Tool == unnamed && call.Name != unnamed {
		out.Requested = cleaned(redactor, call.Name, maxName)
	}
	if s := f.Session; s != nil {
		out.Session, out.Agent = cleaned(redactor, s.ID, maxName), cleaned(redactor, s.Agent, maxName)
		out.Turn = max(0, s.Turn)
	}
	out.Intent = cleaned(redactor, call.Intent, maxText)
	if clean, _ := redactor.JSONMax(call.Arguments, maxContent); jsontext.Value(clean).IsValid() {
		out.Arguments = clean
	}
	return out
}

func cleaned(redactor *redact.Redactor, s string, most int) string {
	clean, _ := redactor.TextMax(s, most)
	return strings.ToValidUTF8(clean, "\uFFFD")
}

// endLine is the line of a call that has ended; b is nil for one whose beginning was not seen.
func (l *Log) endLine(ctx context.Context, e *toolkit.Ended, b *begun) line {
	call, id := e.Call, ""
	if b != nil {
		id = b.id
		if bytes.Equal(b.asked, call.Arguments) {
			call.Arguments = nil // which were redacted already
		}
	}
	out := l.lineOf(recordEnd, id, e.End, &call, &e.Info)
	if b != nil && call.Arguments == nil {
		out.Arguments = b.arguments
	}
	redactor := l.redactor.ForTool(e.Call.Name)
	took := e.Duration()
	if e.Disposition.Outcome == toolkit.OutcomeExecuted {
		took = e.Disposition.Run
	}
	us := float64(took.Nanoseconds()) / 1000
	out.Outcome, out.Duration, out.ErrorType = e.Disposition.Outcome.String(), &us, l.types.Export(e.ErrorType)
	if e.Err != nil {
		out.Error = cleaned(redactor, errorText(e.Err), maxText)
	}
	if e.Content && e.ErrorType == "" {
		out.Result = cleaned(redactor, resultText(e.Result), maxContent)
	}
	if span := e.Info.Span; span.IsValid() {
		out.TraceID, out.SpanID = hex.EncodeToString(span.TraceID[:]), hex.EncodeToString(span.SpanID[:])
		if s, ok := trace.SpanFromContext(ctx).(interface{ Parent() trace.SpanContext }); ok && s.Parent().HasSpanID() {
			out.ParentID = s.Parent().SpanID().String()
		}
	}
	return out
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

// resultText is a result's text, with its other parts by kind and size.
func resultText(r toolkit.Result) string {
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
