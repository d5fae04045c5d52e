// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"bytes"
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/redact"
)

// NoteKind is what was noticed on the wire.
type NoteKind string

// The kinds. They are values of toolscope.mcp.observation.
const (
	NoteHung          NoteKind = "hung"               // a call runs for long
	NoteCancelled     NoteKind = "cancelled"          // a caller gave up
	NoteLate          NoteKind = "late"               // an answer came after that
	NoteUnanswered    NoteKind = "unanswered"         // the connection ended before an answer
	NoteUnknownTool   NoteKind = "unknown_tool"       // a call of a tool that the server does not list
	NoteStrayOutput   NoteKind = "stray_output"       // the server wrote what is no message where messages go
	NoteStrayInput    NoteKind = "stray_input"        // so did the client
	NoteRefused       NoteKind = "refused_input"      // the client sent what policies cannot govern
	NoteRefusedOutput NoteKind = "refused_output"     // the server sent what may list tools and cannot be read in one way
	NoteTornFrame     NoteKind = "torn_frame"         // a stream ended within a message
	NoteLongFrame     NoteKind = "long_frame"         // a message was too long to be looked at as a whole
	NoteLostFrame     NoteKind = "lost_frame"         // too much passed at once to look at all of it
	NoteChanged       NoteKind = "definition_changed" // a tool is not what it was
	NoteAdded         NoteKind = "definition_added"
	NoteRemoved       NoteKind = "definition_removed"
	NoteRenamed       NoteKind = "definition_renamed"  // a new tool stands in the place of one that is gone
	NoteLeftOut       NoteKind = "definition_left_out" // of a list, since no user has accepted it
	NoteBaseline      NoteKind = "baseline_error"      // what tools were could not be read or written
)

// Note is something that was noticed.
type Note struct {
	Kind    NoteKind
	session string // id, or ""
	tool    string // a name that may be exported
	Text    string // as it was on the wire
}

// The bounds of what is remembered.
const (
	MaxNotes    = 64
	MaxNoteText = 256
	maxClosed   = 32
)

// notes are counted, and the latest remembered. Safe for concurrent use.
type notes struct {
	metrics  *metrics
	clean    func(string) string
	redactor *redact.Redactor

	mu     sync.Mutex
	counts map[NoteKind]uint64
	latest []Observation   // oldest first
	ended  []SessionReport // sessions that have ended, oldest first
	total  uint64          // sessions that have ended
}

// record counts and remembers what was noticed.
func (n *notes) record(x Note) {
	n.metrics.observations.Add(context.Background(), 1, metric.WithAttributes(keys.Observation.String(string(x.Kind))))
	o := Observation{Time: time.Now().UTC(), Kind: string(x.Kind), Tool: x.tool}
	if x.session != "" {
		o.Session = n.clean(x.session)
	}
	o.Text, _ = n.redactor.TextMax(x.Text, MaxNoteText)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.counts[x.Kind]++
	if len(n.latest) >= MaxNotes {
		n.latest = append(n.latest[:0], n.latest[1:]...)
	}
	n.latest = append(n.latest, o)
}

// recordEnd remembers a session that has ended.
func (n *notes) recordEnd(report SessionReport) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	if len(n.ended) >= maxClosed {
		n.ended = append(n.ended[:0], n.ended[1:]...)
	}
	n.ended = append(n.ended, report)
}

// Beginning is the text that a line begins with, without a word that is not whole: what has been cut may
// not be seen to be a secret.
func Beginning(line []byte) string {
	if len(line) > 4*MaxNoteText {
		line = line[:4*MaxNoteText]
		line = line[:bytes.LastIndexByte(line, ' ')+1]
	}
	return string(line)
}
