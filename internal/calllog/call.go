// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A Call is one line of a call log. Nothing in it is redacted by reading it.
type Call struct {
	Tool    string // cut to as many bytes as the statistics keep of a name
	Outcome toolkit.Outcome
	// Duration is the running time, 0 for a call that did not run and has none.
	Duration  time.Duration
	ErrorType string // "" for a success
	Error     string
	Session   string
	End       time.Time // zero if the line has no time

	// What follows is optional.
	ID, Agent         string
	Server            string // the name of the MCP server
	Call              string // tells which lines are of one call
	Intent            string // the model's stated reason for the call
	Turn              int
	Arguments, Result json.RawMessage // valid JSON; nil if there is none
	// TraceID, SpanID and ParentID are hexadecimal. A call with a SpanID has a TraceID.
	TraceID, SpanID, ParentID string

	record string // "" and recordEnd are calls
}

const recordEnd = "end"

// NoCall is the error of a line that is no call, and not wrong.
type NoCall struct{ Record string }

// Error is what was got.
func (e *NoCall) Error() string { return "record: got " + e.Record + ", want a call's end" }

// RecordOf is the kind of a line, "" for one that says nothing of it, and how many lines were dropped there.
func RecordOf(text []byte) (record string, dropped uint64) {
	switch {
	case bytes.HasPrefix(text, []byte(`{"v":1,"record":"end",`)): // as toolscope mcp writes it
		return recordEnd, 0
	case !bytes.Contains(text, []byte(`"record"`)):
		return "", 0
	}
	var l struct {
		Record  string `json:"record"`
		Dropped uint64 `json:"dropped"`
	}
	if json.Unmarshal(text, &l) != nil {
		return "", 0
	}
	return l.Record, l.Dropped
}

// Read reads a line of a call log: the members that [Log] lists, and these, all of which are optional:
//
//	id              the call's id, as the model gave it
//	server          the name of the MCP server
//	call            which lines are of one call
//	agent           the name of the agent that made the call
//	intent          the model's stated reason for the call
//	turn            the number of the model's turn, from 1
//	arguments       any JSON
//	result          any JSON; a string is a text
//	trace_id        32 hexadecimal digits
//	span_id         16 hexadecimal digits; only with a trace_id
//	parent_span_id  16 hexadecimal digits; only with a trace_id
//
// An error says what is wrong with the line, or is a [NoCall]. The call keeps nothing of the line.
func Read(line []byte) (Call, error) { return new(reader).readLine(line, true) }

// ResultText is the result as a text: the text of a string, and the JSON of anything else.
func (c *Call) ResultText() string {
	if len(c.Result) > 0 && c.Result[0] == '"' {
		var s string
		if json.Unmarshal(c.Result, &s) == nil {
			return s
		}
	}
	return string(c.Result)
}

// bound bounds the tool's name and the error.type, which a failed call gets if it has none.
func (c *Call) bound() {
	c.Tool = strings.ToValidUTF8(c.Tool[:min(len(c.Tool), maxToolName)], "")
	switch {
	case c.ErrorType == "" && c.Error == "":
	case c.ErrorType == "":
		c.ErrorType = string(toolkit.ErrTool)
	case len(c.ErrorType) > 64 || !isKind(c.ErrorType):
		c.ErrorType = toolkit.TypeOther
	}
}

func isKind(s string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
