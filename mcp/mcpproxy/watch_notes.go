// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/keys"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/redact"
)

// noteKind is what was noticed on the wire.
type noteKind string

// The kinds. They are values of toolscope.mcp.observation.
const (
	noteHung          noteKind = "hung"               // a call runs for long
	noteCancelled     noteKind = "cancelled"          // a caller gave up
	noteLate          noteKind = "late"               // an answer came after that
	noteUnanswered    noteKind = "unanswered"         // the connection ended before an answer
	noteUnknownTool   noteKind = "unknown_tool"       // a call of a tool that the server does not list
	noteStrayOutput   noteKind = "stray_output"       // the server wrote what is no message where messages go
	noteStrayInput    noteKind = "stray_input"        // so did the client
	noteRefused       noteKind = "refused_input"      // the client sent what policies cannot govern
	noteRefusedOutput noteKind = "refused_output"     // the server sent what may list tools and cannot be read in one way
	noteTornFrame     noteKind = "torn_frame"         // a stream ended within a message
	noteLongFrame     noteKind = "long_frame"         // a message was too long to be looked at as a whole
	noteLostFrame     noteKind = "lost_frame"         // too much passed at once to look at all of it
	noteChanged       noteKind = "definition_changed" // a tool is not what it was
	noteAdded         noteKind = "definition_added"
	noteRemoved       noteKind = "definition_removed"
	noteLeftOut       noteKind = "definition_left_out" // of a list, since nobody has accepted it
	noteBaseline      noteKind = "baseline_error"      // what tools were could not be read or written
)

// note is something that was noticed.
type note struct {
	kind    noteKind
	session string // id, or ""
	tool    string // a name that may be exported
	text    string // as it was on the wire
}

// The bounds of what is remembered.
const (
	maxNotes    = 64
	maxNoteText = 256
	maxClosed   = 32
)

// notes are counted, and the latest remembered. Safe for concurrent use.
type notes struct {
	metrics  *metrics
	clean    func(string) string
	redactor *redact.Redactor

	mu     sync.Mutex
	counts map[noteKind]uint64
	latest []observation   // oldest first
	ended  []sessionReport // sessions that have ended, oldest first
	total  uint64          // sessions that have ended
}

// record counts and remembers what was noticed.
func (n *notes) record(x note) {
	n.metrics.observations.Add(context.Background(), 1, metric.WithAttributes(keys.Observation.String(string(x.kind))))
	o := observation{Time: time.Now().UTC(), Kind: string(x.kind), Tool: x.tool}
	if x.session != "" {
		o.Session = n.clean(x.session)
	}
	o.Text, _ = n.redactor.TextMax(x.text, maxNoteText)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.counts[x.kind]++
	if len(n.latest) >= maxNotes {
		n.latest = append(n.latest[:0], n.latest[1:]...)
	}
	n.latest = append(n.latest, o)
}

// recordEnd remembers a session that has ended.
func (n *notes) recordEnd(report sessionReport) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	if len(n.ended) >= maxClosed {
		n.ended = append(n.ended[:0], n.ended[1:]...)
	}
	n.ended = append(n.ended, report)
}

// beginning is the text that a line begins with, without a word that is not whole: what has been cut may
// not be seen to be a secret.
func beginning(line []byte) string {
	if len(line) > 4*maxNoteText {
		line = line[:4*maxNoteText]
		line = line[:bytes.LastIndexByte(line, ' ')+1]
	}
	return string(line)
}
