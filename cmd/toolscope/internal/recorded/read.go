// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/linefile"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of what is read.
const (
	maxLine  = 16 << 20 // bytes
	maxCalls = 1_000_000
	maxBad   = 20
)

// A Call is one of a session, in the order in which calls began.
type Call struct {
	calllog.Record
	Number   int // from 1
	Line     int // of its last record in the file
	Began    time.Time
	Finished bool
}

// A Session is what a file has.
type Session struct {
	Calls    []*Call
	Peers    []calllog.Record // clients and servers that have agreed
	Requests []calllog.Record // that are no calls
	// Tools are the definitions, by name, and Digests all that the file has of each tool.
	Tools   map[string]calllog.Record
	Digests map[string][]string
	Dropped uint64 // lines that the writer had no room for
	Bad     []string
	Torn    int // bytes of a last line that is not complete, which was left out: the writer was killed
	byCall  map[string]*Call
	records int
	convert transcript.Converter
}

// Open reads a file, standard input for "-", or a recording by its name ("latest" is the latest one).
func Open(name string, stdin io.Reader) (*Session, error) {
	if name == "-" {
		return Read(stdin)
	}
	paths, err := recordings.Paths(name)
	if err != nil {
		return nil, err
	}
	var readers []io.Reader
	for _, path := range paths {
		file, err := linefile.OpenRead(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		readers = append(readers, file)
	}
	s, err := Read(io.MultiReader(readers...))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// OpenWhole is Open for commands that need each call: a line that cannot be read is an error. stderr gets the notice of a
// last line that is cut.
func OpenWhole(name string, stdin io.Reader, command string, stderr io.Writer) (*Session, error) {
	s, err := Open(name, stdin)
	switch {
	case err != nil:
		return nil, err
	case len(s.Bad) > 0:
		return nil, fmt.Errorf("%s: %s", display.Plain(name), display.Clip(s.Bad[0], 300))
	}
	s.ReportTorn(command, stderr)
	return s, nil
}

// ReportTorn says that the last line is cut.
func (s *Session) ReportTorn(command string, stderr io.Writer) {
	if s.Torn > 0 {
		fmt.Fprintf(stderr, "toolscope %s: %s\n", command, recordings.TornLine(s.Torn))
	}
}

// Read reads a session. Lines that cannot be read are in Bad.
func Read(from io.Reader) (*Session, error) {
	s := &Session{Tools: map[string]calllog.Record{}, Digests: map[string][]string{}, byCall: map[string]*Call{}}
	return s, linefile.Each(from, maxLine, func(number int, line []byte, whole bool) error {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		bad := s.addLine(line, number)
		switch {
		case errors.Is(bad, errCalls):
			return bad
		case bad != nil && !whole && s.records > 0 && !json.Valid(line):
			s.Torn = len(line)
		case bad != nil && len(s.Bad) < maxBad:
			s.Bad = append(s.Bad, fmt.Sprintf("line %d: %v", number, bad))
		}
		return nil
	})
}

var errCalls = fmt.Errorf("got more than %d calls, want fewer", maxCalls)

func (s *Session) addLine(line []byte, number int) error {
	records, err := s.convert.Records(line)
	if err != nil {
		return err
	}
	s.records += len(records)
	for i := range records {
		if err := s.addRecord(&records[i], number); err != nil {
			return err
		}
	}
	return nil
}

// addRecord adds a record.
func (s *Session) addRecord(r *calllog.Record, line int) error {
	switch r.Record {
	case calllog.RecordBegin, calllog.RecordEnd:
		if r.Tool == "" {
			return errors.New("tool: got none, want a name")
		}
		return s.addCall(r, line)
	case calllog.RecordRequest:
		s.Requests = append(s.Requests, *r)
	case calllog.RecordDropped:
		s.Dropped += r.Dropped
	case calllog.RecordSession:
		s.Peers = append(s.Peers, *r)
	case calllog.RecordTool:
		s.Tools[r.Tool] = *r
		s.addDigest(r.Tool, r.Digest)
	case calllog.RecordTools:
		for _, t := range r.Tools {
			s.addDigest(t.Name, t.Digest)
		}
	}
	return nil
}

func (s *Session) addDigest(tool, digest string) {
	if !slices.Contains(s.Digests[tool], digest) {
		s.Digests[tool] = append(s.Digests[tool], digest)
	}
}

// addCall adds a beginning, or an end, which belongs to the beginning of the same call.
func (s *Session) addCall(r *calllog.Record, line int) error {
	end := r.Record == calllog.RecordEnd
	c := s.byCall[r.Call]
	if r.Call == "" || c == nil || !end || c.Finished {
		if len(s.Calls) >= maxCalls {
			return errCalls
		}
		c = &Call{Number: len(s.Calls) + 1, Began: r.Time}
		if end && r.Duration != nil && !r.Time.IsZero() {
			c.Began = r.Time.Add(-time.Duration(wholeTime(r) * float64(time.Microsecond)))
		}
		s.Calls = append(s.Calls, c)
		if r.Call != "" {
			s.byCall[r.Call] = c
		}
	}
	c.Record, c.Line, c.Finished = *r, line, end
	return nil
}

// wholeTime is the time of a call from its beginning to its end in microseconds, with waits. That of a refused call has
// them already.
func wholeTime(r *calllog.Record) float64 {
	us := *r.Duration
	for _, wait := range []*float64{r.Queue, r.Approval, r.Backoff} {
		if wait != nil && r.Outcome != toolkit.OutcomeRefused.String() {
			us += *wait
		}
	}
	return us
}

// Outer are the calls that a client made, without those that a workflow or a tool made while it ran. Files
// of earlier releases do not tell them apart: then these are all calls.
func (s *Session) Outer() (calls []*Call) {
	for _, c := range s.Calls {
		if c.Parent == "" {
			calls = append(calls, c)
		}
	}
	return calls
}

// Name is the tool's name as the caller gave it.
func (c *Call) Name() string {
	if c.Requested != "" {
		return c.Requested
	}
	return c.Tool
}

// Took is the running time of a finished call.
func (c *Call) Took() time.Duration {
	if c.Duration == nil {
		return 0
	}
	return time.Duration(*c.Duration * float64(time.Microsecond))
}

// Failed reports whether a call has an error.
func (c *Call) Failed() bool { return c.ErrorType != "" || c.Error != "" }

// Describe names a call for a person: its number, tool and id.
func (c *Call) Describe() string {
	text := fmt.Sprintf("call %d, %s", c.Number, c.Name())
	if c.ID != "" {
		text += " (id " + c.ID + ")"
	}
	return text
}
