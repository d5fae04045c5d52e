// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/hex"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// CallInfo are what is known of a call before its first handler runs. They are read
// through [Record.Info] and do not change after that.
type CallInfo struct {
	// Tool is the registered tool's definition, which must not be changed; nil
	// if the name is not a registered tool's: then the name reaches no span
	// name and no label.
	Tool *Definition
	// Session is the context's session, nil if there is none: then nothing is
	// stored, shared or counted across calls.
	Session *Session
	// Span is the call's span, so that policies can link to it without
	// OpenTelemetry; the zero value without tracing.
	Span SpanRef
	// Start is the one start of the call for all observers. The first observer
	// with a clock of its own (a span) may move it while it begins.
	Start time.Time
}

// A SpanRef names a span by its W3C trace context ids.
type SpanRef struct {
	TraceID [16]byte
	SpanID  [8]byte
	Sampled bool
}

// IsValid reports whether both ids are set.
func (s SpanRef) IsValid() bool { return s.TraceID != [16]byte{} && s.SpanID != [8]byte{} }

// String is the trace id and the span id in hex, "" if not valid.
func (s SpanRef) String() string {
	if !s.IsValid() {
		return ""
	}
	return hex.EncodeToString(s.TraceID[:]) + "-" + hex.EncodeToString(s.SpanID[:])
}

// Disposition is how a call came to its end, reported by the layers it passed through
// [Record.Note].
type Disposition struct {
	Outcome  Outcome
	Attempts uint16 // of a call under a retry policy; 0 without one
	Refused  uint16 // attempts that reached no tool; a call of which another one did is an executed one
	Repeat   uint16 // how often the session made this very call before; 0 for the first
	// Origin is the leader's span of a coalesced or repeated call, or the span
	// that filled the store.
	Origin SpanRef
	// Age is how long ago the stored answer was made.
	Age time.Duration
	// Queue, Approval and Backoff are waits; Run is the time inside the tool
	// only, all attempts together. Left at 0, it is the call's duration less the
	// waits for an executed call.
	Queue, Approval, Backoff, Run time.Duration
	// Panic is the last panic of the call that a layer recovered ([Record.PanicError]),
	// whether it let it go on or not; nil if none did.
	Panic *PanicError
	// Process is the one process that the tool itself started for the call; nil if it started none or several, or
	// says nothing.
	Process *Process
	// Tags are what single policies reported of the call ([Record.Tag]), in the order
	// reported; empty if none did. Its memory is the record's, which the next call writes
	// over: it must not be changed or kept. [Record.Tag] or append add to it; a list that Note puts in
	// its place is copied.
	Tags []Tag
}

// A Process is a process that a tool started and that has ended. It is not changed once it is noted.
type Process struct {
	// Executable is the name of its program without a directory, such as "git"; "" if that is not known.
	Executable string
	// ExitCode is its exit code; below 0 if it has none, as after a signal.
	ExitCode int
}

// A Tag is one fact that a policy tells of a call. Key is one of a small fixed
// set, in dotted lower case: "loop.kind"; spans carry it as toolscope.loop.kind.
// Value is short; it is redacted before it leaves. A key has few values, unless it
// ends as [Tag.Varies] says.
type Tag struct{ Key, Value string }

// Varies reports whether the tag says what differs from call to call: its key ends
// with .id, .at, .by or .bytes. Such tags are for spans and logs; they are not counted.
func (t Tag) Varies() bool {
	switch t.Key[strings.LastIndexByte(t.Key, '.')+1:] {
	case "id", "at", "by", "bytes":
		return true
	}
	return false
}

// The bounds of a call's tags; what is beyond them is dropped or cut.
const (
	maxTags     = 16
	maxTagBytes = 256
)

// A Record is what a call is ([CallInfo]) and how it goes ([Disposition]), shared by the
// layers of one call. The outermost layer makes it and seals it when the call
// ends; what is noted later is dropped, so a branch that may outlive its call
// takes a [Record.Fork]. A Record is a small value; the zero Record works and
// remembers nothing. Safe for concurrent use. It never reaches JSON.
type Record struct {
	cell *cell
	life uint64
}

// cell is a record's memory. Cells are used again: the life counts up when a
// call ends, so that a Record kept beyond it finds another life and does nothing.
type cell struct {
	mu        sync.Mutex
	life      atomic.Uint64 // changes under mu
	facts     CallInfo
	served    Disposition
	noted     bool       // whether served says anything
	observers []Observer // of the call, for its attempts
	identity  memo

	// What policies ask of every call, to be read without the lock. Who reads them
	// looks at life afterwards; they are not cleared when a life ends.
	tool    atomic.Pointer[Definition]
	session atomic.Pointer[Session]
}

// begin sets the facts of a new life. No record of that life exists yet, and records of
// those before do not look at more than the life: no lock is needed.
func (c *cell) begin(facts CallInfo, observers []Observer) {
	c.facts, c.observers = facts, observers // of the life before, until now
	if c.tool.Load() != facts.Tool {
		c.tool.Store(facts.Tool)
	}
	if c.session.Load() != facts.Session {
		c.session.Store(facts.Session)
	}
}

// lock takes the cell's lock if the record's call is still alive.
func (r Record) lock() bool {
	if r.cell == nil {
		return false
	}
	r.cell.mu.Lock()
	if r.cell.life.Load() != r.life {
		r.cell.mu.Unlock()
		return false
	}
	return true
}

// Live reports whether the record belongs to a call that has not ended.
func (r Record) Live() bool {
	if !r.lock() {
		return false
	}
	r.cell.mu.Unlock()
	return true
}

// CallInfo returns the call's facts; the zero CallInfo if the call has ended or
// there is no record.
func (r Record) Info() CallInfo {
	if !r.lock() {
		return CallInfo{}
	}
	defer r.cell.mu.Unlock()
	return r.cell.facts
}

// Tool is the Tool of [Record.Info], for policies that need no more: it takes no lock.
func (r Record) Tool() *Definition {
	if r.cell == nil {
		return nil
	}
	tool := r.cell.tool.Load()
	if r.cell.life.Load() != r.life {
		return nil
	}
	return tool
}

// Session is the Session of [Record.Info], for policies that need no more: it takes no
// lock.
func (r Record) Session() *Session {
	if r.cell == nil {
		return nil
	}
	session := r.cell.session.Load()
	if r.cell.life.Load() != r.life {
		return nil
	}
	return session
}

// Note changes what is known of how the call goes. The function runs under a
// lock: it must only assign. Note reports false, and does not call it, if the call
// has ended or there is no record.
func (r Record) Note(change func(s *Disposition)) bool {
	if !r.lock() {
		return false
	}
	defer r.cell.mu.Unlock()
	s := &r.cell.served
	own := s.Tags
	r.cell.noted = true
	change(s)
	if len(s.Tags) > 0 && (cap(own) == 0 || &s.Tags[0] != &own[:1][0]) {
		s.Tags = append(own[:0], s.Tags...) // a list of the policy's own is not written over by the next call
	}
	return true
}

// Tag tells a fact of the call: at most 16 a call, and 256 bytes a value. It
// reports false, and tells nothing, if there were as many before, if the call has
// ended, or if there is no record.
func (r Record) Tag(key, value string) bool {
	if !r.lock() {
		return false
	}
	defer r.cell.mu.Unlock()
	r.cell.noted = true
	return r.cell.served.tag(Tag{key, value})
}

func (s *Disposition) tag(t Tag) bool {
	if len(s.Tags) >= maxTags {
		return false
	}
	if len(t.Value) > maxTagBytes {
		t.Value = strings.ToValidUTF8(t.Value[:maxTagBytes], "")
	}
	s.Tags = append(s.Tags, t)
	return true
}

// Disposition returns what has been noted so far. The tags are a copy.
func (r Record) Disposition() Disposition {
	if !r.lock() {
		return Disposition{}
	}
	defer r.cell.mu.Unlock()
	s := r.cell.served
	s.Tags = append([]Tag(nil), s.Tags...)
	return s
}

// Fork returns a record with the same facts and nothing noted, for a branch that
// may outlive its call (an abandoned timeout, a coalesced leader). It is never
// sealed; [Record.Join] brings its notes home.
func (r Record) Fork() Record {
	fork := new(cell)
	if r.lock() {
		defer r.cell.mu.Unlock()
		fork.begin(r.cell.facts, r.cell.observers)
		fork.identity = r.cell.identity.fork()
	} else if r.cell == nil {
		return Record{}
	}
	return Record{cell: fork}
}

// Join adds a fork's notes to r: times, attempts and tags are added up, the rest
// is taken over where the fork has it. It reports false if r's call has ended.
func (r Record) Join(fork Record) bool {
	f := fork.Disposition()
	return r.Note(func(s *Disposition) { s.addDisposition(&f) })
}

// addDisposition adds times, attempts and tags up and takes the rest over where f has it.
func (s *Disposition) addDisposition(f *Disposition) {
	s.Attempts += f.Attempts
	s.Refused += f.Refused
	s.Queue += f.Queue
	s.Approval += f.Approval
	s.Backoff += f.Backoff
	s.Run += f.Run
	if f.Outcome != OutcomeExecuted {
		s.Outcome = f.Outcome
	}
	if f.Origin.IsValid() {
		s.Origin = f.Origin
	}
	if f.Panic != nil {
		s.Panic = f.Panic
	}
	if f.Process != nil {
		s.Process = f.Process
	}
	s.Repeat = max(s.Repeat, f.Repeat)
	s.Age = max(s.Age, f.Age)
	for _, t := range f.Tags {
		s.tag(t)
	}
}

// seal ends the record's life and sets what was noted; nothing if it has ended before.
func (r Record) seal(served *Disposition) {
	if !r.lock() {
		return
	}
	c := r.cell
	if c.noted {
		*served = c.served
		c.served, c.noted = Disposition{}, false
		if len(served.Tags) == 0 { // the list of a call before stays for the next
			c.served.Tags, served.Tags = served.Tags, nil
		}
	}
	c.life.Add(1)
	c.identity.forget()
	c.mu.Unlock()
}
