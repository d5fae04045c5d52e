// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// line is what is written of a call. The names are those of internal/calllog.Read.
type line struct {
	Time      time.Time      `json:"time"`
	Tool      string         `json:"tool"`
	Requested string         `json:"requested_name,omitzero"` // the name that the caller gave, if Tool is unnamed
	Outcome   string         `json:"outcome"`
	Duration  float64        `json:"duration_us"`
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

// line is the call's line with its newline.
func (l *Log) line(ctx context.Context, e *toolkit.Ended) ([]byte, error) {
	redactor := l.redactor.ForTool(e.Call.Name)
	text := func(s string, max int) string {
		clean, _ := redactor.TextMax(s, max)
		return strings.ToValidUTF8(clean, "\uFFFD")
	}
	out := line{
		Time: e.End.UTC(), Tool: unnamed, Outcome: e.Disposition.Outcome.String(), Duration: float64(e.Duration().Nanoseconds()) / 1000,
		ErrorType: l.types.Export(e.ErrorType), ID: text(e.Call.ID, maxName),
	}
	if e.Disposition.Outcome == toolkit.OutcomeExecuted {
		out.Duration = float64(e.Disposition.Run.Nanoseconds()) / 1000
	}
	if e.Info.Tool != nil {
		out.Tool = text(e.Info.Tool.Name, maxName)
	}
	if out.Tool == unnamed && e.Call.Name != unnamed {
		out.Requested = text(e.Call.Name, maxName)
	}
	if e.Err != nil {
		out.Error = text(errorText(e.Err), maxText)
	}
	if s := e.Info.Session; s != nil {
		out.Session, out.Agent, out.Turn = text(s.ID, maxName), text(s.Agent, maxName), max(0, s.Turn)
	}
	out.Intent = text(e.Call.Intent, maxText)
	if clean, _ := redactor.JSONMax(e.Call.Arguments, maxContent); jsontext.Value(clean).IsValid() {
		out.Arguments = clean
	}
	if e.Content && e.ErrorType == "" {
		out.Result = text(resultText(e.Result), maxContent)
	}
	if span := e.Info.Span; span.IsValid() {
		out.TraceID, out.SpanID = hex.EncodeToString(span.TraceID[:]), hex.EncodeToString(span.SpanID[:])
		if s, ok := trace.SpanFromContext(ctx).(interface{ Parent() trace.SpanContext }); ok && s.Parent().HasSpanID() {
			out.ParentID = s.Parent().SpanID().String()
		}
	}
	b, err := json.Marshal(out, jsontext.AllowInvalidUTF8(true))
	return append(b, '\n'), err
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
