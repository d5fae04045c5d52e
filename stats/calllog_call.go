// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A LoggedCall is one line of a call log, for those who pass calls on one by one; a
// [CallLog] adds them up. Nothing in it is redacted by reading it.
type LoggedCall struct {
	Tool    string // cut to as many bytes as the statistics keep of a name
	Outcome toolkit.Outcome
	// Duration is the running time, 0 for a call that did not run and has none.
	Duration  time.Duration
	ErrorType string // "" for a success
	Error     string
	Session   string
	End       time.Time // zero if the line has no time

	// What follows is in a line if whoever wrote it had it.
	ID, Agent         string
	Intent            string // the model's stated reason for the call
	Turn              int
	Arguments, Result json.RawMessage // valid JSON; nil if there is none
	// TraceID, SpanID and ParentID are hexadecimal; a SpanID has a TraceID.
	TraceID, SpanID, ParentID string
}

// logExtra is what only [ReadLoggedCall] looks at.
type logExtra struct {
	id, agent, intent, trace, span, parent []byte
	arguments, result                      []byte
	turn                                   int
}

// ReadLoggedCall reads a line of a call log: the members that [CallLog] lists, and
// these, all of which may be missing:
//
//	id              the call's id, as the model gave it
//	agent           the name of the agent that made the call
//	intent          the model's stated reason for the call
//	turn            the number of the model's turn, from 1
//	arguments       any JSON
//	result          any JSON; a string is a text
//	trace_id        32 hexadecimal digits
//	span_id         16 hexadecimal digits; only with a trace_id
//	parent_span_id  16 hexadecimal digits; only with a trace_id
//
// An error says what is wrong with the line. The result keeps nothing of it.
func ReadLoggedCall(line []byte) (LoggedCall, error) {
	var extra logExtra
	l := logLine{extra: &extra}
	if err := l.read(line); err != nil {
		return LoggedCall{}, err
	}
	c := LoggedCall{
		Tool: string(bytes.ToValidUTF8(l.tool[:min(len(l.tool), maxToolName)], nil)), Outcome: l.outcome, Duration: l.duration, Error: string(l.message), Session: string(l.session),
		ID: string(extra.id), Agent: string(extra.agent), Intent: string(extra.intent), Turn: extra.turn,
		Arguments: bytes.Clone(extra.arguments), Result: bytes.Clone(extra.result),
		TraceID: string(extra.trace), SpanID: string(extra.span), ParentID: string(extra.parent),
	}
	if l.failed() {
		c.ErrorType = string(l.kind())
	}
	if l.at != 0 {
		c.End = time.Unix(0, l.at).UTC()
	}
	if c.TraceID == "" && c.SpanID+c.ParentID != "" {
		return LoggedCall{}, errors.New("span_id: got one without a trace_id, want both or none")
	}
	return c, nil
}

// member reads a member that only a LoggedCall has.
func (x *logExtra) member(l *logLine, name []byte) error {
	switch string(name) {
	case "id": // string: the call's id, as the model gave it
		return l.textInto(&x.id, "id")
	case "agent": // string: name of the agent that made the call
		return l.textInto(&x.agent, "agent")
	case "intent": // string: the model's stated reason for the call
		return l.textInto(&x.intent, "intent")
	case "arguments": // any JSON: arguments of the call
		return l.rawInto(&x.arguments)
	case "result": // any JSON: result of the call; a string is a text
		return l.rawInto(&x.result)
	case "trace_id": // string: 32 hexadecimal digits
		return l.hexInto(&x.trace, "trace_id", 32)
	case "span_id": // string: 16 hexadecimal digits; only with a trace_id
		return l.hexInto(&x.span, "span_id", 16)
	case "parent_span_id": // string: 16 hexadecimal digits; only with a trace_id
		return l.hexInto(&x.parent, "parent_span_id", 16)
	case "turn": // number: the model's turn, from 1
		n, ok := l.number()
		turn, err := strconv.ParseUint(string(n), 10, 31)
		if !ok || err != nil {
			return errors.New("turn: got something else than a whole number of 0 or more")
		}
		x.turn = int(turn)
		return nil
	}
	return l.skip(0)
}

// rawInto takes a value as it stands.
func (l *logLine) rawInto(to *[]byte) error {
	before := l.text
	if err := l.skip(0); err != nil {
		return err
	}
	*to = before[:len(before)-len(l.text)]
	return nil
}

// hexInto reads an id of that many hexadecimal digits, not all of them 0.
func (l *logLine) hexInto(to *[]byte, member string, digits int) error {
	s, ok := l.str()
	if ok && len(s) == 0 {
		return nil
	}
	s = bytes.ToLower(s)
	if !ok || len(s) != digits || len(bytes.Trim(s, "0123456789abcdef")) > 0 || len(bytes.Trim(s, "0")) == 0 {
		return fmt.Errorf("%s: got something else than %d hexadecimal digits", member, digits)
	}
	*to = s
	return nil
}

// ResultText is the result as a text: a string as what it says, anything else as its
// JSON.
func (c *LoggedCall) ResultText() string {
	if len(c.Result) > 0 && c.Result[0] == '"' {
		var s string
		if json.Unmarshal(c.Result, &s) == nil {
			return s
		}
	}
	return string(c.Result)
}
