// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/middleware/audit"
)

// IsAudit reports whether a line is an entry of an audit log, which begins with its time and its event.
func IsAudit(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(`{"time":"`))
	_, rest, found := bytes.Cut(rest, []byte{'"'})
	return ok && found && bytes.HasPrefix(rest, []byte(`,"event":"`))
}

// Audit is the record of the call that an entry is about; false for an entry about something else, such as an approval.
func Audit(line []byte) (calllog.Record, bool, error) {
	var e audit.Event
	if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
		return calllog.Record{}, false, fmt.Errorf("got text that is no entry of an audit log: %w", err)
	}
	if e.Kind != "call" {
		return calllog.Record{}, false, nil
	}
	us := max(0, e.DurationMS-e.ApprovalMS) * 1000
	r := calllog.Record{
		Version: calllog.Version, Record: calllog.RecordEnd, Time: e.Time, Tool: e.Tool, ID: e.CallID, Session: e.Session,
		Agent: e.Agent, Turn: e.Turn, Outcome: e.Outcome, ErrorType: e.ErrorType, Error: e.Error, Tags: e.Tags, Duration: &us,
		ResultCut: true, // an audit log has no results
	}
	if e.ApprovalMS > 0 {
		waited := e.ApprovalMS * 1000
		r.Approval = &waited
	}
	if trace, span, ok := cutSpan(e.Span); ok {
		r.TraceID, r.SpanID = trace, span
	}
	SetArguments(&r, []byte(e.Arguments))
	return r, true, nil
}

func cutSpan(s string) (trace, span string, ok bool) {
	before, after, ok := bytes.Cut([]byte(s), []byte{'-'})
	return string(before), string(after), ok && len(before) == 32 && len(after) == 16
}

// SetArguments sets arguments, of which it is not known whether something was removed: marks say so.
func SetArguments(r *calllog.Record, text []byte) {
	if len(text) == 0 {
		return
	}
	r.ArgumentsRedacted, r.ArgumentsCut = Marked(text)
	if v := jsontext.Value(text); v.IsValid() {
		r.Arguments = v.Clone()
	} else {
		r.ArgumentsCut = true
	}
}

// Marked reports whether a text has marks of what was redacted and of what was cut.
func Marked(text []byte) (redacted, cut bool) {
	return bytes.Contains(text, []byte("[REDACTED")), bytes.Contains(text, []byte(" bytes cut]"))
}
