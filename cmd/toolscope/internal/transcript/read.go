// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/foreign"
	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a transcript.
const (
	maxTranscriptLine  = 16 << 20  // bytes
	maxTranscriptCalls = 1_000_000 // calls
	maxTranscriptTools = 10_000    // definitions
)

// Read reads JSON lines. Empty lines and unknown members are passed over. A line
// is one of
//
//	{"session":"s","turn":1,"name":"file_read","arguments":{"path":"a"}}   one call
//	{"session":"s","turn":2,"calls":[{"name":…,"arguments":…}, …]}         a batch
//	{"role":"assistant","tool_calls":[{"id":…,"function":{…}}]}            OpenAI's form
//	{"role":"tool","tool_call_id":"…","content":"…"}                       the answer to it
//
// The lines of call logs and recordings, of audit logs, and of OTLP JSON lines are read as well.
//
// Beside "session" and "turn" there may be "tenant", "conversation", "agent" and
// "batch": neighbouring calls of one session with the same "batch" are one batch.
// "arguments" is a JSON value, or a string that holds its text. A call may have an
// "id" (it is made up if not) and an "answer":
// {"output":"…","failed":true,"error_type":"timeout","duration_ms":12}. The form
// with "function", "result", "success" and "execution_time" in seconds on the call
// itself is read as well. Messages of other roles are passed over.
//
// An error names the line, what it has and what is wanted. A last line that is not complete is
// left out, since its writer was killed, unless it is the only one. A line may have 16 MiB, a
// transcript a million calls.
func Read(r io.Reader) (*Transcript, error) {
	p := &transcriptParser{open: map[string]answerSlot{}}
	err := linefile.Each(r, maxTranscriptLine, func(number int, line []byte, whole bool) error {
		if p.line = number; len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		err := p.read(line)
		switch {
		case err != nil && !whole && p.calls > 0 && !json.Valid(line):
			p.transcript.Torn = len(line)
		case err != nil:
			return fmt.Errorf("line %d: %w", number, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	return &p.transcript, nil
}

type transcriptParser struct {
	transcript Transcript
	line       int
	calls      int
	number     int                   // of the latest call
	open       map[string]answerSlot // calls whose answer may come as a message, by id
	answered   answerSlot            // what the latest such message answered
}

// answerSlot is where an answer belongs: by index, since slices move as they grow.
type answerSlot struct{ batch, call int }

// transcriptCall is a call in any of the forms.
type transcriptCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Answer    *struct {
		Output     string  `json:"output"`
		Failed     bool    `json:"failed"`
		ErrorType  string  `json:"error_type"`
		DurationMS float64 `json:"duration_ms"`
	} `json:"answer"`
	Function *struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Result        json.RawMessage `json:"result"`
	Success       *bool           `json:"success"`
	ExecutionTime float64         `json:"execution_time"`
}

type transcriptLine struct {
	Session      string `json:"session"`
	Tenant       string `json:"tenant"`
	Conversation string `json:"conversation"`
	Agent        string `json:"agent"`
	Batch        string `json:"batch"`
	Turn         int    `json:"turn"`
	transcriptCall
	Calls []transcriptCall `json:"calls"`

	Role       string           `json:"role"`
	ToolCalls  []transcriptCall `json:"tool_calls"`
	ToolCallID string           `json:"tool_call_id"`
	Content    json.RawMessage  `json:"content"`

	loggedCall
}

// loggedCall is what the lines of a call log have instead (package calllog).
type loggedCall struct {
	Record    string  `json:"record"`
	Call      string  `json:"call"`
	Parent    string  `json:"parent_call"`
	Tool      string  `json:"tool"`
	Requested string  `json:"requested_name"`
	Error     string  `json:"error"`
	ErrorType string  `json:"error_type"`
	Duration  float64 `json:"duration_us"`

	Time              json.RawMessage `json:"time"`
	ArgumentsRedacted bool            `json:"arguments_redacted"`
	ArgumentsCut      bool            `json:"arguments_cut"`
	Fingerprint       string          `json:"arguments_fp"`
	ResultRedacted    bool            `json:"result_redacted"`
	ResultCut         bool            `json:"result_cut"`
}

func (p *transcriptParser) read(text []byte) error {
	if foreign.IsSpans(text) || foreign.IsAudit(text) {
		return p.readForeign(text)
	}
	var l transcriptLine
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("got no JSON object (%w), want one", err)
	}
	calls := append(l.Calls, l.ToolCalls...)
	switch {
	case l.Record == calllog.RecordTool:
		return p.addTool(text)
	case l.Record != "" || l.Tool != "" && l.Name == "" && len(calls) == 0:
		return p.readLogged(l)
	case l.Role == "tool":
		return p.answer(l)
	case l.Role != "" && len(calls) == 0:
		return nil
	case len(calls) == 0:
		calls = []transcriptCall{l.transcriptCall}
	case l.Name != "" || l.Function != nil:
		return errors.New("got a call and a list of calls, want one of them")
	}
	if p.calls += len(calls); p.calls > maxTranscriptCalls {
		return fmt.Errorf("got more than %d calls, want fewer", maxTranscriptCalls)
	}
	b := p.batch(l)
	for i, c := range calls {
		if err := p.addCall(b, c); err != nil {
			if len(calls) > 1 {
				err = fmt.Errorf("call %d: %w", i+1, err)
			}
			return err
		}
	}
	return nil
}

// addTool keeps a definition, up to a number of them.
func (p *transcriptParser) addTool(text []byte) error {
	r, err := calllog.ReadRecord(text)
	if err == nil && len(p.transcript.Tools) < maxTranscriptTools {
		p.transcript.Tools = append(p.transcript.Tools, r)
	}
	return err
}

// readForeign reads the calls of an entry of an audit log, or of a line of spans.
func (p *transcriptParser) readForeign(text []byte) error {
	records, err := new(Converter).Records(text)
	if err != nil {
		return err
	}
	for _, r := range records {
		line, err := r.Marshal()
		if err != nil {
			return err
		}
		if err := p.read(line); err != nil {
			return err
		}
	}
	return nil
}

// readLogged reads a line of a call log. A call that has no end there has no answer.
func (p *transcriptParser) readLogged(l transcriptLine) error {
	at, begun := p.open[l.Call]
	begun = begun && l.Call != ""
	switch {
	case l.Record != "" && l.Record != "begin" && l.Record != "end", l.Record == "begin" && begun:
		return nil
	case !begun:
		c := transcriptCall{ID: cmp.Or(l.Call, l.ID), Name: l.Tool, Arguments: l.Arguments}
		if l.Requested != "" {
			c.Name = l.Requested
		}
		if p.calls++; p.calls > maxTranscriptCalls {
			return fmt.Errorf("got more than %d calls, want fewer", maxTranscriptCalls)
		}
		b := p.batch(l)
		if err := p.addCall(b, c); err != nil {
			return err
		}
		at = answerSlot{b, len(p.transcript.Batches[b].Calls) - 1}
		l.note(&p.transcript.Batches[b].Notes[at.call])
	}
	if l.Record == "begin" {
		return nil
	}
	a := &RecordedAnswer{
		Output: contentText(l.Result), Failed: l.Error != "" || l.ErrorType != "", ErrorType: l.ErrorType,
		Took: time.Duration(l.Duration * float64(time.Microsecond)),
	}
	a.Redacted, a.Cut = foreign.Marked([]byte(a.Output + l.Error))
	a.Redacted, a.Cut = a.Redacted || l.ResultRedacted, a.Cut || l.ResultCut
	if a.Failed && a.Output == "" {
		a.Output = l.Error
	}
	p.transcript.Batches[at.batch].Answers[at.call] = a
	return nil
}

// note adds what a call log says of a call's recording.
func (l *loggedCall) note(n *Note) {
	n.Parent = l.Parent
	n.Redacted, n.Cut, n.Fingerprint = n.Redacted || l.ArgumentsRedacted, n.Cut || l.ArgumentsCut, l.Fingerprint
	if json.Unmarshal(l.Time, &n.Began) != nil {
		n.Began = time.Time{}
	}
	if l.Record != "begin" && !n.Began.IsZero() {
		n.Began = n.Began.Add(-time.Duration(l.Duration * float64(time.Microsecond)))
	}
}

// batch is the index of the batch that a line's calls go to.
func (p *transcriptParser) batch(l transcriptLine) int {
	session := toolkit.Session{
		ID: l.Session, Tenant: l.Tenant, Conversation: l.Conversation, Agent: l.Agent, Batch: l.Batch, Turn: l.Turn,
	}
	t := &p.transcript
	if last := len(t.Batches) - 1; last >= 0 && l.Batch != "" && t.Batches[last].Session == session {
		return last
	}
	t.Batches = append(t.Batches, Batch{Session: session, Line: p.line})
	return len(t.Batches) - 1
}

func (p *transcriptParser) addCall(at int, c transcriptCall) error {
	if c.Function != nil {
		c.Name, c.Arguments = c.Function.Name, c.Function.Arguments
	}
	if c.Name == "" {
		return errors.New(`got no "name", want a tool's`)
	}
	b := &p.transcript.Batches[at]
	if c.ID == "" {
		c.ID = fmt.Sprintf("line-%d.%d", p.line, len(b.Calls)+1)
	}
	if other, taken := p.open[c.ID]; taken && other.batch == at {
		return fmt.Errorf("the id %.40q is another call's of the batch, want one of its own", c.ID)
	}
	b.Calls = append(b.Calls, toolkit.Call{ID: c.ID, Name: c.Name, Arguments: argumentsText(c.Arguments)})
	b.Answers = append(b.Answers, c.recorded())
	p.number++
	n := Note{Number: p.number}
	n.Redacted, n.Cut = foreign.Marked(c.Arguments)
	b.Notes = append(b.Notes, n)
	p.open[c.ID] = answerSlot{at, len(b.Calls) - 1}
	return nil
}

// argumentsText is the arguments' JSON text, whether it was given as such or
// inside a string.
func argumentsText(raw json.RawMessage) json.RawMessage {
	var inside string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inside) == nil {
		return json.RawMessage(inside)
	}
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// recorded is the answer that stands on the call itself; nil if none does.
func (c *transcriptCall) recorded() *RecordedAnswer {
	if a := c.Answer; a != nil {
		return &RecordedAnswer{
			Output: a.Output, Failed: a.Failed || a.ErrorType != "", ErrorType: a.ErrorType,
			Took: time.Duration(a.DurationMS * float64(time.Millisecond)),
		}
	}
	if c.Success == nil && len(c.Result) == 0 {
		return nil
	}
	return &RecordedAnswer{
		Output: contentText(c.Result), Failed: c.Success != nil && !*c.Success,
		Took: time.Duration(c.ExecutionTime * float64(time.Second)),
	}
}

// answer files a message that answers an earlier call.
func (p *transcriptParser) answer(l transcriptLine) error {
	at, ok := p.open[l.ToolCallID]
	if !ok {
		return fmt.Errorf("got an answer to %.40q, want the id of an earlier call", l.ToolCallID)
	}
	p.transcript.Batches[at.batch].Answers[at.call] = &RecordedAnswer{Output: contentText(l.Content)}
	p.answered = at
	return nil
}

// contentText is the text of a string, of a list of text parts, or of any other
// JSON value as it is.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return string(raw)
	}
	var texts []string
	for _, part := range parts {
		if part.Text == nil {
			return string(raw)
		}
		texts = append(texts, *part.Text)
	}
	return strings.Join(texts, "\n")
}
