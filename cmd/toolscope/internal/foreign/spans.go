// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
)

// IsSpans reports whether a line may be an export of spans.
func IsSpans(line []byte) bool { return bytes.Contains(line, []byte(`"resourceSpans"`)) }

// export is what is read of an ExportTraceServiceRequest in JSON.
type export struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []span `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId"`
	Start      json.Number `json:"startTimeUnixNano"`
	End        json.Number `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string `json:"key"`
		Value struct {
			String *string     `json:"stringValue"`
			Int    json.Number `json:"intValue"`
			Double json.Number `json:"doubleValue"`
		} `json:"value"`
	} `json:"attributes"`
	Status struct {
		Message string `json:"message"`
	} `json:"status"`
}

// Spans are the records of the calls of tools among the spans of a line.
func Spans(line []byte) (records []calllog.Record, err error) {
	var e export
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, fmt.Errorf("got text that is no ExportTraceServiceRequest: %w", err)
	}
	for _, r := range e.ResourceSpans {
		for _, s := range r.ScopeSpans {
			for i := range s.Spans {
				if r, ok := s.Spans[i].record(); ok {
					records = append(records, r)
				}
			}
		}
	}
	return records, nil
}

// record is a span of a call; false for any other span.
func (s *span) record() (calllog.Record, bool) {
	values := make(map[string]string, len(s.Attributes))
	for _, a := range s.Attributes {
		if a.Value.String != nil {
			values[a.Key] = *a.Value.String
		} else {
			values[a.Key] = cmp.Or(a.Value.Int, a.Value.Double).String()
		}
	}
	if values["gen_ai.operation.name"] != "execute_tool" || values["gen_ai.tool.name"] == "" {
		return calllog.Record{}, false
	}
	began, ended := moment(s.Start), moment(s.End)
	us := float64(ended.Sub(began).Nanoseconds()) / 1000
	if ran := seconds(values["toolscope.run.duration"]); ran != nil {
		us = *ran // without waits
	}
	r := calllog.Record{
		Version: calllog.Version, Record: calllog.RecordEnd, Time: ended, Tool: values["gen_ai.tool.name"], Duration: &us,
		Requested: values["toolscope.tool.requested_name"],
		Server:    values["toolscope.mcp.server"], ID: values["gen_ai.tool.call.id"], Agent: values["gen_ai.agent.name"],
		Outcome: values["toolscope.outcome"], ErrorType: values["error.type"], TraceID: s.TraceID, SpanID: s.SpanID,
		Queue: seconds(values["toolscope.queue.duration"]), Approval: seconds(values["toolscope.approval.duration"]),
		Backoff:  seconds(values["toolscope.backoff.duration"]),
		ParentID: s.ParentID, Intent: values["toolscope.intent"], Result: values["gen_ai.tool.call.result"],
	}
	for _, key := range []string{"session.id", "mcp.session.id", "gen_ai.conversation.id"} {
		if r.Session == "" {
			r.Session = values[key]
		}
	}
	r.Turn, _ = strconv.Atoi(values["toolscope.turn"])
	if r.ErrorType != "" {
		r.Error = s.Status.Message
	}
	SetArguments(&r, []byte(values["gen_ai.tool.call.arguments"]))
	r.ResultRedacted, r.ResultCut = Marked([]byte(r.Result + r.Error))
	return r, true
}

// seconds is a duration of a span's attribute in microseconds; nil if there is none.
func seconds(text string) *float64 {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 0 {
		return nil
	}
	us := s * 1e6
	return &us
}

func moment(nanoseconds json.Number) time.Time {
	n, err := nanoseconds.Int64()
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
