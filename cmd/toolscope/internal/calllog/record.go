// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/redact"
)

// A Record is a line of a call log or a recording. docs/recording.schema.json describes the lines; package
// internal/calllog reads those of calls for statistics, by the same names.
type Record struct {
	Version int       `json:"v"`
	Record  string    `json:"record"`
	Call    string    `json:"call,omitzero"`        // tells which lines are of one call
	Parent  string    `json:"parent_call,omitzero"` // the call that made this one, such as a workflow's
	Server  string    `json:"server,omitzero"`      // the name of the MCP server
	Time    time.Time `json:"time,omitzero"`        // of a beginning, or else of an end
	Method  string    `json:"method,omitzero"`      // of a request that is no call of a tool
	Target  string    `json:"target,omitzero"`      // what it names: a prompt or a resource
	Dropped uint64    `json:"dropped,omitzero"`
	Tool    string    `json:"tool,omitzero"`
	// Requested is the name that the caller gave, if Tool is "_unknown".
	Requested string   `json:"requested_name,omitzero"`
	Outcome   string   `json:"outcome,omitzero"`
	Duration  *float64 `json:"duration_us,omitzero"`
	ErrorType string   `json:"error_type,omitzero"`
	Error     string   `json:"error,omitzero"`
	Session   string   `json:"session,omitzero"`
	Agent     string   `json:"agent,omitzero"`
	Turn      int      `json:"turn,omitzero"`
	ID        string   `json:"id,omitzero"`
	Intent    string   `json:"intent,omitzero"`

	Arguments         jsontext.Value `json:"arguments,omitzero"`
	ArgumentsRedacted bool           `json:"arguments_redacted,omitzero"`
	ArgumentsCut      bool           `json:"arguments_cut,omitzero"`
	Fingerprint       string         `json:"arguments_fp,omitzero"` // see Key

	Result         string         `json:"result,omitzero"`
	Texts          []string       `json:"texts,omitempty"`          // of a result with more than one text
	Structured     jsontext.Value `json:"structured,omitzero"`      // of a result
	ResultRedacted bool           `json:"result_redacted,omitzero"` // or the error's text
	ResultCut      bool           `json:"result_cut,omitzero"`      // also for content that is no text, such as an image

	// Waits in microseconds: for a slot, for a person, and between attempts.
	Queue    *float64          `json:"queue_us,omitzero"`
	Approval *float64          `json:"approval_us,omitzero"`
	Backoff  *float64          `json:"backoff_us,omitzero"`
	Attempts int               `json:"attempts,omitzero"`
	Repeat   int               `json:"repeat,omitzero"`
	Tags     map[string]string `json:"tags,omitempty"` // what policies decided

	TraceID  string `json:"trace_id,omitzero"`
	SpanID   string `json:"span_id,omitzero"`
	ParentID string `json:"parent_span_id,omitzero"`

	// Of a session that has begun.
	Client   *Peer  `json:"client,omitzero"`
	Peer     *Peer  `json:"peer,omitzero"` // the server, as it says itself
	Protocol string `json:"protocol,omitzero"`
	Program  string `json:"program,omitzero"` // that wrote the file, and its version

	// Of a tool, and of a list of tools.
	Digest     string         `json:"digest,omitzero"` // SHA-256 of its definition as the server sent it, in hexadecimal
	Definition jsontext.Value `json:"definition,omitzero"`
	ReadOnly   bool           `json:"read_only,omitzero"`
	Tools      []ToolDigest   `json:"tools,omitempty"`
}

// A Peer is a client or a server of a session.
type Peer struct {
	Name         string   `json:"name,omitzero"` // and version
	Capabilities []string `json:"capabilities,omitempty"`
}

// A ToolDigest is one tool of a list.
type ToolDigest struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Version is that of the form of lines. A later one has more members and kinds; no member changes its meaning.
const Version = 1

// The kinds of lines. Those of a call are two, so that a call whose end was never seen is in the log as well.
const (
	RecordBegin   = "begin"
	RecordEnd     = "end"
	RecordRequest = "request" // another request, once it has ended
	RecordDropped = "dropped" // lines that had no room
	RecordSession = "session" // a client and the server have agreed
	RecordTool    = "tool"    // a definition that is new in the file
	RecordTools   = "tools"   // the server's tools
)

// Marshal is the line of a record, without its end.
func (r *Record) Marshal() ([]byte, error) { return json.Marshal(r, jsontext.AllowInvalidUTF8(true)) }

var errVersion = errors.New("v: got a later version than 1, want a file of this program's version or an earlier one")

// ReadRecord reads a line that a [Log] wrote. Unknown members are ignored.
func ReadRecord(line []byte) (r Record, err error) {
	err = json.Unmarshal(line, &r, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	switch {
	case err != nil:
		return r, fmt.Errorf("got text that is no record: %w", err)
	case r.Version > Version:
		return r, errVersion
	}
	return r, nil
}

func cleaned(redactor *redact.Redactor, s string, most int) string {
	clean, _ := redactor.TextMax(s, most)
	return strings.ToValidUTF8(clean, "\uFFFD")
}

func microseconds(d time.Duration) *float64 {
	us := float64(d.Nanoseconds()) / 1000
	return &us
}
