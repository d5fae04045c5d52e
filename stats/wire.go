// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/messages"
)

// Bounds of a snapshot that comes from elsewhere.
const (
	maxWireBytes  = 64 << 20
	maxWireTools  = 1 << 16
	maxWireGroups = 1 << 16
	maxWireList   = 256
)

// ReadSnapshot reads a snapshot's JSON form, of at most 64 MiB, as
// encoding/json writes it. What is not right is an error that names the member, what
// it is and what is wanted; texts that are too long are cut.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	limited := &io.LimitedReader{R: r, N: maxWireBytes + 1}
	s := new(Snapshot)
	dec := json.NewDecoder(limited)
	err := dec.Decode(s)
	if limited.N <= 0 {
		return nil, fmt.Errorf("stats: snapshot: got more than %d bytes, want at most that", maxWireBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("stats: snapshot: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("stats: snapshot: got more after the JSON value, want one object")
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("stats: snapshot: %w", err)
	}
	return s, nil
}

// check looks at a snapshot from elsewhere and cuts its texts.
func (s *Snapshot) check() error {
	switch {
	case s.Version != SnapshotVersion:
		return fmt.Errorf("version: got %d, want %d", s.Version, SnapshotVersion)
	case s.Processes < 1 || s.Processes > 1<<20:
		return fmt.Errorf("processes: got %d, want 1 to %d", s.Processes, 1<<20)
	case s.To.Before(s.From):
		return fmt.Errorf("to: got %v, want %v (from) or later", s.To, s.From)
	case len(s.Tools) > maxWireTools:
		return fmt.Errorf("tools: got %d, want at most %d", len(s.Tools), maxWireTools)
	case len(s.Errors) > maxWireGroups:
		return fmt.Errorf("errors: got %d, want at most %d", len(s.Errors), maxWireGroups)
	}
	seen := make(map[string]bool, len(s.Tools))
	for i := range s.Tools {
		t := &s.Tools[i]
		t.Tool = clipText(t.Tool, maxToolName)
		if t.Tool == "" || seen[t.Tool] {
			return fmt.Errorf("tools[%d].tool: got %q, want a name that occurs once", i, t.Tool)
		}
		seen[t.Tool] = true
		if err := t.check(); err != nil {
			return fmt.Errorf("tools[%d].%w", i, err)
		}
	}
	for i := range s.Errors {
		if err := s.Errors[i].check(); err != nil {
			return fmt.Errorf("errors[%d].%w", i, err)
		}
	}
	return nil
}

func (t *ToolSnapshot) check() error {
	switch {
	case !(t.Cost >= 0) || math.IsInf(t.Cost, 0):
		return fmt.Errorf("cost: got %v, want 0 or more", t.Cost)
	case len(t.ErrorTypes) > maxWireList:
		return fmt.Errorf("error_types: got %d, want at most %d", len(t.ErrorTypes), maxWireList)
	case len(t.Policies) > maxWireList:
		return fmt.Errorf("policies: got %d, want at most %d", len(t.Policies), maxWireList)
	case len(t.Exemplars) > maxWireList:
		return fmt.Errorf("exemplars: got %d, want at most %d", len(t.Exemplars), maxWireList)
	}
	for i := range t.ErrorTypes {
		t.ErrorTypes[i].Type = clipText(t.ErrorTypes[i].Type, 64)
	}
	for i := range t.Policies {
		tag := &t.Policies[i].PolicyTag
		tag.Key, tag.Value = clipText(tag.Key, maxPolicyText), clipText(tag.Value, maxPolicyText)
	}
	for i, e := range t.Exemplars {
		if !isID(e.TraceID, 16) || !isID(e.SpanID, 8) {
			return fmt.Errorf("exemplars[%d]: got ids that are none, want 32 and 16 hexadecimal digits", i)
		}
	}
	return nil
}

func (g *ErrorGroup) check() error {
	if !isID(g.ID, 8) {
		return fmt.Errorf("id: got %.20q, want 16 hexadecimal digits", g.ID)
	}
	g.Tool, g.Type = clipText(g.Tool, maxToolName), clipText(g.Type, 64)
	g.Message, g.Example = clipText(g.Message, messages.MaxLength), clipText(g.Example, errorgroups.MaxText)
	g.CountMax = max(g.Count, g.CountMax)
	if len(g.Trend) > maxWireList || len(g.TraceIDs) > errorgroups.MaxTraces {
		return fmt.Errorf("trend, trace_ids: got %d and %d, want at most %d and %d",
			len(g.Trend), len(g.TraceIDs), maxWireList, errorgroups.MaxTraces)
	}
	for i, id := range g.TraceIDs {
		if !isID(id, 16) {
			return fmt.Errorf("trace_ids[%d]: got %.40q, want 32 hexadecimal digits", i, id)
		}
	}
	return nil
}

// clipText makes a text valid UTF-8 of at most max bytes.
func clipText(s string, max int) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "�")
	}
	return messages.Clip(s, max)
}

// isID reports whether s is n bytes in hexadecimal digits.
func isID(s string, n int) bool {
	if len(s) != 2*n {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}
