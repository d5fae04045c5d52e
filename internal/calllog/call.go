// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
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
	Intent            string // the model's stated reason for the call
	Turn              int
	Arguments, Result json.RawMessage // valid JSON; nil if there is none
	// TraceID, SpanID and ParentID are hexadecimal. A call with a SpanID has a TraceID.
	TraceID, SpanID, ParentID string
}

// Read reads a line of a call log: the members that [Log] lists, and these, all of which are optional:
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
// An error says what is wrong with the line. The call keeps nothing of the line.
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
