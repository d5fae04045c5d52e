// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/toolkit"
)

// A Session is what a recording has. Make one with [Read].
type Session struct {
	// Calls are in the order in which they began.
	Calls []*Call
	// Tools are the recorded definitions, and one with a name only for each other tool that was called.
	Tools []toolkit.Definition
	// Fingerprint is that of arguments, for calls whose arguments were redacted. nil is none: then such calls are found
	// by what was recorded of their arguments.
	Fingerprint func(arguments []byte) string
	// Torn is how many bytes the last line has if it is not complete: it was left out, since its writer was killed.
	Torn int
}

// A Call is one of a session.
type Call struct {
	toolkit.Call
	// Step says that another call of the session made this one, such as a workflow's.
	Step    bool
	Session toolkit.Session
	Began   time.Time // zero if that is not known
	// Removed says that something of the arguments was redacted or cut, and ResultRemoved the same of the result.
	Removed, ResultRemoved bool
	// Ended says that the recording has the end of the call, and Result how it ended.
	Ended       bool
	Result      toolkit.Result
	fingerprint string
}

// The bounds of what is read.
const (
	maxLine  = 16 << 20 // bytes
	maxCalls = 1_000_000
)

// line is what is read of a line; docs/recording.schema.json describes all of it.
type line struct {
	Record    string          `json:"record"`
	Call      string          `json:"call"`
	Parent    string          `json:"parent_call"`
	Time      json.RawMessage `json:"time"`
	Tool      string          `json:"tool"`
	Requested string          `json:"requested_name"`
	ID        string          `json:"id"`
	Intent    string          `json:"intent"`
	Session   string          `json:"session"`
	Agent     string          `json:"agent"`
	Turn      int             `json:"turn"`
	Duration  float64         `json:"duration_us"`

	Arguments   json.RawMessage `json:"arguments"`
	Redacted    bool            `json:"arguments_redacted"`
	Cut         bool            `json:"arguments_cut"`
	Fingerprint string          `json:"arguments_fp"`

	Result         json.RawMessage `json:"result"`
	Texts          []string        `json:"texts"`
	Structured     json.RawMessage `json:"structured"`
	ResultRedacted bool            `json:"result_redacted"`
	ResultCut      bool            `json:"result_cut"`
	Error          string          `json:"error"`
	ErrorType      string          `json:"error_type"`

	Definition json.RawMessage `json:"definition"`
}

// Read reads a recording or a call log. A last line that is not complete is left out, unless it is the only one: its
// writer was killed. Any other line that cannot be read is an error.
func Read(r io.Reader) (*Session, error) {
	s := reading{calls: map[string]*Call{}, tools: map[string]toolkit.Definition{}}
	err := linefile.Each(r, maxLine, func(number int, text []byte, whole bool) error {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil
		}
		err := s.addLine(text)
		switch {
		case err != nil && !whole && len(s.Calls)+len(s.tools) > 0 && !json.Valid(text):
			s.Torn = len(text)
		case err != nil:
			return fmt.Errorf("line %d: %w", number, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	s.addTools()
	return &s.Session, nil
}

// reading is a session that is being read.
type reading struct {
	Session
	calls map[string]*Call
	tools map[string]toolkit.Definition
	names []string // of tools, in the order in which they came
}

func (s *reading) addLine(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("got text that is no record: %w", err)
	}
	switch l.Record {
	case "tool":
		s.addTool(l.Tool, definitionOf(l.Tool, l.Definition))
		return nil
	case "begin", "end", "":
		return s.addCall(&l)
	}
	return nil
}

func (s *reading) addTool(name string, d toolkit.Definition) {
	if _, there := s.tools[name]; !there {
		s.names = append(s.names, name)
	}
	s.tools[name] = d
}

// addCall adds a beginning, or an end, which belongs to the beginning of the same call.
func (s *reading) addCall(l *line) error {
	if l.Tool == "" {
		return errors.New("tool: got none, want a name")
	}
	c := s.calls[l.Call]
	if c == nil || l.Call == "" || c.Ended || l.Record == "begin" {
		if len(s.Calls) >= maxCalls {
			return fmt.Errorf("got more than %d calls, want fewer", maxCalls)
		}
		c = &Call{Call: toolkit.Call{ID: l.ID, Name: l.Tool, Intent: l.Intent}}
		if l.Requested != "" {
			c.Name = l.Requested
		} else if _, there := s.tools[l.Tool]; !there {
			s.addTool(l.Tool, toolkit.Definition{Name: l.Tool})
		}
		c.Step = l.Parent != ""
		c.Session = toolkit.Session{ID: l.Session, Agent: l.Agent, Turn: l.Turn}
		if json.Unmarshal(l.Time, &c.Began) == nil && l.Record != "begin" && !c.Began.IsZero() {
			c.Began = c.Began.Add(-time.Duration(l.Duration * float64(time.Microsecond)))
		}
		s.Calls = append(s.Calls, c)
		if l.Call != "" {
			s.calls[l.Call] = c
		}
	}
	c.Arguments, c.fingerprint = l.Arguments, l.Fingerprint
	c.Removed = l.Redacted || l.Cut || marked(l.Arguments)
	if l.Record == "begin" {
		return nil
	}
	c.Ended, c.Result = true, l.result()
	c.ResultRemoved = l.ResultRedacted || l.ResultCut || marked(l.Result) || marked([]byte(l.Error))
	return nil
}

// marked reports whether a text has a mark of what was redacted or cut.
func marked(text []byte) bool {
	return bytes.Contains(text, []byte("[REDACTED")) || bytes.Contains(text, []byte(" bytes cut]"))
}

// result is the recorded result.
func (l *line) result() toolkit.Result {
	text := string(l.Result)
	if len(l.Result) > 0 && l.Result[0] == '"' {
		_ = json.Unmarshal(l.Result, &text) // it is a string
	}
	if l.Error != "" || l.ErrorType != "" {
		kind := toolkit.Kind(l.ErrorType)
		if kind == "" {
			kind = toolkit.ErrTool
		}
		return toolkit.Result{Output: l.Error, Fault: &toolkit.Error{Kind: kind, Tool: l.Tool, Message: l.Error}}
	}
	r := toolkit.Result{Output: text}
	if len(l.Texts) > 0 || len(l.Structured) > 0 {
		r.Output = ""
	}
	for i, text := range l.Texts {
		if i == 0 {
			r.Output = text
			continue
		}
		r.Parts = append(r.Parts, toolkit.Part{Kind: toolkit.PartText, Text: text})
	}
	if len(l.Structured) > 0 {
		r.Parts = append(r.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: l.Structured})
	}
	return r
}

// definitionOf reads a definition as an MCP server lists it.
func definitionOf(name string, text []byte) toolkit.Definition {
	var d struct {
		Title, Description        string
		InputSchema, OutputSchema json.RawMessage
		Annotations               struct{ ReadOnlyHint, IdempotentHint, DestructiveHint, OpenWorldHint *bool }
	}
	if json.Unmarshal(text, &d) != nil {
		return toolkit.Definition{Name: name}
	}
	hint := func(said *bool) toolkit.Hint {
		switch {
		case said == nil:
			return toolkit.Unsaid
		case *said:
			return toolkit.Yes
		}
		return toolkit.No
	}
	a := &d.Annotations
	return toolkit.Definition{
		Name: name, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
		ReadOnly: hint(a.ReadOnlyHint), Idempotent: hint(a.IdempotentHint), Destructive: hint(a.DestructiveHint),
		OpenWorld: hint(a.OpenWorldHint),
	}
}

// addTools adds the definitions, without those that are none.
func (s *reading) addTools() {
	for _, name := range s.names {
		d := s.tools[name]
		if d.Validate() != nil {
			d = toolkit.Definition{Name: name}
		}
		if d.Validate() == nil {
			s.Tools = append(s.Tools, d)
		}
	}
}
