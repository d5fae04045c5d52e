// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/foreign"
	reader "github.com/toolscope/toolscope/internal/calllog"
)

// A Converter turns the lines of a file into records, whatever wrote it: a call log, a recording, an audit log, spans, or
// a transcript. The zero value is ready. It remembers the calls of a transcript.
type Converter struct{ parser *transcriptParser }

// Records are those of a line: none for a line that is about no call, and two for none.
func (c *Converter) Records(line []byte) ([]calllog.Record, error) {
	switch record, _ := reader.RecordOf(line); {
	case len(bytes.TrimSpace(line)) == 0:
		return nil, nil
	case foreign.IsSpans(line):
		return foreign.Spans(line)
	case foreign.IsAudit(line):
		r, ok, err := foreign.Audit(line)
		if !ok {
			return nil, err
		}
		return []calllog.Record{r}, nil
	case record != "":
		if r, err := calllog.ReadRecord(line); err == nil || record != calllog.RecordEnd {
			setMarks(&r)
			return []calllog.Record{r}, err
		}
		return logged(line)
	case bytes.Contains(line, []byte(`"tool"`)) && isLogged(line):
		return logged(line)
	}
	return c.transcript(line)
}

// isLogged reports whether a line has a tool and none of the members of a transcript's call.
func isLogged(line []byte) bool {
	var l struct {
		Tool  *string        `json:"tool"`
		Name  string         `json:"name"`
		Role  string         `json:"role"`
		Calls jsontext.Value `json:"calls"`
	}
	return json.Unmarshal(line, &l) == nil && l.Tool != nil && l.Name == "" && l.Role == "" && l.Calls == nil
}

// logged is a line of any writer's call log.
func logged(line []byte) ([]calllog.Record, error) {
	l, err := reader.Read(line)
	if err != nil {
		return nil, err
	}
	us := float64(l.Duration.Nanoseconds()) / 1000
	r := calllog.Record{
		Version: calllog.Version, Record: calllog.RecordEnd, Call: l.Call, Server: l.Server, Time: l.End, Tool: l.Tool, ID: l.ID,
		Outcome: l.Outcome.String(), Duration: &us, ErrorType: l.ErrorType, Error: l.Error, Session: l.Session, Agent: l.Agent,
		Turn: l.Turn, Intent: l.Intent, Arguments: jsontext.Value(l.Arguments), Result: l.ResultText(),
		TraceID: l.TraceID, SpanID: l.SpanID, ParentID: l.ParentID,
	}
	setMarks(&r)
	return []calllog.Record{r}, nil
}

// setMarks sets what a writer of the first round did not: whether something was redacted or cut.
func setMarks(r *calllog.Record) {
	redacted, cut := foreign.Marked(r.Arguments)
	r.ArgumentsRedacted, r.ArgumentsCut = r.ArgumentsRedacted || redacted, r.ArgumentsCut || cut
	redacted, cut = foreign.Marked([]byte(r.Result + r.Error))
	r.ResultRedacted, r.ResultCut = r.ResultRedacted || redacted, r.ResultCut || cut
}

// transcript reads a line of a transcript: calls begin there, end there, or both.
func (c *Converter) transcript(line []byte) (records []calllog.Record, err error) {
	if c.parser == nil {
		c.parser = &transcriptParser{open: map[string]answerSlot{}}
	}
	p := c.parser
	p.line++
	batches := len(p.transcript.Batches)
	calls := 0
	if batches > 0 {
		calls = len(p.transcript.Batches[batches-1].Calls)
	}
	p.answered = answerSlot{-1, -1}
	if err := p.read(line); err != nil {
		return nil, err
	}
	if at := p.answered; at.batch >= 0 {
		return []calllog.Record{p.record(at)}, nil
	}
	for b := max(0, batches-1); b < len(p.transcript.Batches); b++ {
		for i := range p.transcript.Batches[b].Calls {
			if b >= batches || i >= calls {
				records = append(records, p.record(answerSlot{b, i}))
			}
		}
	}
	return records, nil
}

// record is a call of a transcript: its end if its answer is known, else its beginning.
func (p *transcriptParser) record(at answerSlot) calllog.Record {
	b := &p.transcript.Batches[at.batch]
	call, answer := b.Calls[at.call], b.Answers[at.call]
	r := calllog.Record{
		Version: calllog.Version, Record: calllog.RecordBegin, Call: fmt.Sprintf("line-%d.%d", b.Line, at.call+1), Tool: call.Name,
		ID: call.ID, Session: b.Session.ID, Agent: b.Session.Agent, Turn: b.Session.Turn,
	}
	foreign.SetArguments(&r, call.Arguments)
	if answer == nil {
		return r
	}
	r.Record, r.Outcome, r.Result = calllog.RecordEnd, "executed", answer.Output
	if us := float64(answer.Took.Nanoseconds()) / 1000; us > 0 {
		r.Duration = &us
	}
	if answer.Failed {
		r.Error, r.Result, r.ErrorType = answer.Output, "", answer.ErrorType
		if r.ErrorType == "" {
			r.ErrorType = "tool_error"
		}
	}
	r.ResultRedacted, r.ResultCut = foreign.Marked([]byte(answer.Output))
	return r
}
