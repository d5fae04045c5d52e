// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// What is wrong with the form of a line.
var (
	errNoObject = errors.New("got no JSON object, want one on each line")
	errJSON     = errors.New("got text that is not JSON")
	errDepth    = errors.New("got more than 64 levels of nesting")
	errTrailing = errors.New("got more after the object, want one on each line")
	errNoTool   = errors.New("tool: got none, want a name")
	errNoTime   = errors.New("duration_us: got none, want the running time of an executed call in microseconds")
	errNoTrace  = errors.New("span_id: got one without a trace_id, want both or none")
)

const (
	maxToolName = 128 // bytes; as much as statistics keep
	maxNesting  = 64  // levels of values inside the object
)

// reader reads lines. It keeps the buffers of the decoder between lines.
type reader struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
	spare   []byte
}

// readLine reads a line, with the members of [Read] if it is wanted whole.
func (r *reader) readLine(line []byte, whole bool) (c Call, err error) {
	r.text.Reset()
	r.text.Write(line)
	r.decoder.Reset(&r.text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if r.decoder.PeekKind() != '{' {
		return Call{}, errNoObject
	}
	timed := false
	_, err = r.decoder.ReadToken()
	for err == nil && r.decoder.PeekKind() == '"' {
		err = r.readMember(&c, &timed, whole)
	}
	if err != nil {
		return Call{}, err
	}
	if _, err = r.decoder.ReadToken(); err != nil {
		return Call{}, errJSON
	}
	c.bound()
	switch rest := bytes.TrimLeft(line[r.decoder.InputOffset():], " \t\r\n"); {
	case len(rest) > 0:
		return Call{}, errTrailing
	case c.record != "" && c.record != recordEnd:
		return Call{}, &NoCall{c.record}
	case c.Tool == "":
		return Call{}, errNoTool
	case !timed && c.Outcome == toolkit.OutcomeExecuted:
		return Call{}, errNoTime
	case c.TraceID == "" && c.SpanID+c.ParentID != "":
		return Call{}, errNoTrace
	}
	return c, nil
}

// readMember reads a member of the object. A member that is null counts as missing.
func (r *reader) readMember(c *Call, timed *bool, whole bool) (err error) {
	name, err := r.decoder.ReadValue()
	if err != nil {
		return errJSON
	}
	if r.spare = append(r.spare[:0], name[1:len(name)-1]...); bytes.IndexByte(name, '\\') >= 0 {
		r.spare, _ = jsontext.AppendUnquote(r.spare[:0], name) // fails for invalid UTF-8, which it replaces
	}
	v, err := r.decoder.ReadValue()
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", display.Clip(string(r.spare), 60), errJSON)
	case tooDeep(v):
		return errDepth
	case v.Kind() == 'n':
		return nil
	}
	err = c.setMember(string(r.spare), v, timed)
	if err == nil && whole {
		err = c.setOptional(string(r.spare), v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.spare, err)
	}
	return nil
}

// setMember sets what a member says that a [Log] counts.
func (c *Call) setMember(name string, v jsontext.Value, timed *bool) (err error) {
	switch name {
	case "tool": // string: name of the tool; required
		c.Tool, err = text(v)
	case "error_type": // string: error.type of a failed call
		c.ErrorType, err = text(v)
	case "error": // string: text of the error; may be there without error_type
		c.Error, err = text(v)
	case "session": // string: session id
		c.Session, err = text(v)
	case "outcome": // string: executed (the default), cache_hit, coalesced, repeated or refused
		c.Outcome, err = outcome(v)
	case "duration_us": // number: running time in microseconds; required for an executed call
		c.Duration, err = duration(v)
		*timed = true
	case "time": // string or number: when the call ended, as RFC 3339 or seconds since 1970
		c.End, err = moment(v)
	case "record": // string: end (the default), or begin, request or dropped for a line that is no call
		c.record, err = text(v)
	}
	return err
}

// setOptional sets what a member says that only [Read] reads.
func (c *Call) setOptional(name string, v jsontext.Value) (err error) {
	switch name {
	case "id": // string: the call's id, as the model gave it
		c.ID, err = text(v)
	case "server": // string: name of the MCP server, where a proxy wrote the line
		c.Server, err = text(v)
	case "call": // string: tells which lines are of one call
		c.Call, err = text(v)
	case "agent": // string: name of the agent that made the call
		c.Agent, err = text(v)
	case "intent": // string: the model's stated reason for the call
		c.Intent, err = text(v)
	case "arguments": // any JSON: arguments of the call
		c.Arguments = bytes.Clone(v)
	case "result": // any JSON: result of the call; a string is a text
		c.Result = bytes.Clone(v)
	case "trace_id": // string: 32 hexadecimal digits
		c.TraceID, err = hexadecimal(v, 32)
	case "span_id": // string: 16 hexadecimal digits; only with a trace_id
		c.SpanID, err = hexadecimal(v, 16)
	case "parent_span_id": // string: 16 hexadecimal digits; only with a trace_id
		c.ParentID, err = hexadecimal(v, 16)
	case "turn": // number: the model's turn, from 1
		turn, wrong := strconv.ParseUint(string(v), 10, 31)
		if c.Turn = int(turn); wrong != nil {
			err = errors.New("got something else than a whole number of 0 or more")
		}
	}
	return err
}

// tooDeep reports whether a value has more than maxNesting levels of objects and arrays.
func tooDeep(v jsontext.Value) bool {
	if k := v.Kind(); k != '{' && k != '[' || bytes.Count(v, []byte{'{'})+bytes.Count(v, []byte{'['}) <= maxNesting {
		return false
	}
	deepest := 0
	depth, quoted := 0, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest > maxNesting
}

func text(v jsontext.Value) (string, error) {
	s, err := unquoted(v)
	return string(s), err
}

// unquoted is the text of a string, in the memory of v if nothing in it is escaped.
func unquoted(v jsontext.Value) ([]byte, error) {
	if v.Kind() != '"' {
		return nil, errors.New("got something else than a string in JSON")
	}
	if s := v[1 : len(v)-1]; bytes.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	s, _ := jsontext.AppendUnquote(nil, v) // fails for invalid UTF-8, which it replaces
	return s, nil
}

func outcome(v jsontext.Value) (toolkit.Outcome, error) {
	s, err := unquoted(v)
	for o := range toolkit.Outcome(toolkit.OutcomeCount) {
		if err == nil && o.String() == string(s) {
			return o, nil
		}
	}
	names := make([]string, 0, toolkit.OutcomeCount)
	for _, o := range toolkit.Outcomes() {
		names = append(names, o.String())
	}
	last := len(names) - 1
	return 0, fmt.Errorf("got %s, want %s or %s", display.Quoted(string(s)), strings.Join(names[:last], ", "), names[last])
}

func duration(v jsontext.Value) (time.Duration, error) {
	if v.Kind() != '0' {
		return 0, errors.New("got something else than a number")
	}
	us, err := strconv.ParseFloat(string(v), 64)
	if err != nil && !math.IsInf(us, 0) || us < 0 {
		return 0, fmt.Errorf("got %s, want 0 or more", display.Quoted(string(v)))
	}
	return time.Duration(min(math.Round(us*1000), float64(histogram.Highest))), nil
}

func moment(v jsontext.Value) (t time.Time, err error) {
	s := []byte(v)
	switch v.Kind() {
	case '"':
		if s, err = unquoted(v); err == nil {
			err = t.UnmarshalText(s)
		}
	case '0':
		var seconds float64
		if seconds, err = strconv.ParseFloat(string(v), 64); err == nil && (seconds < 0 || seconds > math.MaxInt64/1e9-1) {
			err = strconv.ErrRange
		}
		whole, part := math.Modf(seconds)
		t = time.Unix(int64(whole), int64(math.Round(part*1e6))*1000) // a float has no nanoseconds today
	default:
		return t, errors.New("got something else than a string or a number")
	}
	if err != nil {
		return t, fmt.Errorf("got %s, want RFC 3339 or seconds since 1970", display.Quoted(string(s)))
	}
	if y := t.Year(); y < 1970 || y > 2261 {
		return t, fmt.Errorf("got the year %d, want 1970 to 2261", y)
	}
	return t.UTC(), nil
}

// hexadecimal reads an id of that many hexadecimal digits, not all of them 0.
func hexadecimal(v jsontext.Value, digits int) (string, error) {
	s, err := text(v)
	if err == nil && s == "" {
		return "", nil
	}
	s = strings.ToLower(s)
	if err != nil || len(s) != digits || strings.Trim(s, "0123456789abcdef") != "" || strings.Trim(s, "0") == "" {
		return "", fmt.Errorf("got something else than %d hexadecimal digits", digits)
	}
	return s, nil
}
