// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a log. What exceeds them is counted under [stats.Other], or not by session.
const (
	maxTools     = 512
	maxGroups    = 1024
	maxSessions  = 4096
	maxShapes    = 8192
	maxSessionID = 1 << 10 // bytes that tell sessions apart
	maxName      = 128     // bytes of a session's name that are kept
)

// A Log adds up the calls of a call log, in bounded memory whatever its size. Make one with [New]. It is not safe for
// concurrent use.
//
// A line is an object with the members
//
//	tool          the tool's name; required
//	duration_us   the running time in microseconds; required for a call that ran
//	outcome       executed (the default), cache_hit, coalesced, repeated or refused
//	error_type    the kind of failure; without one, a call with an error is a tool_error
//	error         the error's text; redacted and grouped
//	session       the session's id; redacted
//	time          when the call ended: RFC 3339, or seconds since 1970
//	record        end (the default); begin, request and dropped are no calls
//
// Unknown members are ignored. A member that is null counts as missing.
type Log struct {
	redactor *redact.Redactor
	types    *errtype.Guard
	tools    map[string]*tool
	other    *tool
	sessions map[string]*stats.SessionStats
	errors   *errorgroups.Table
	shapes   map[uint64]uint64 // groups of errors seen before, by their shape
	seed     maphash.Seed
	reader   reader
	shape    []byte
	timeline *timeline // nil if none is kept
	group    uint64    // of the error of the latest call; 0 if it has none
	from, to int64
}

// tool is what is counted of one tool.
type tool struct {
	name   string
	times  [toolkit.OutcomeCount]*histogram.Builder // by outcome
	failed *histogram.Builder                       // of executed calls
	streak uint64
	worst  uint64
	last   int64
}

// New makes an empty log. The redactor is applied to texts of errors and names of sessions; nil is [redact.Default].
func New(redactor *redact.Redactor) *Log {
	if redactor == nil {
		redactor = redact.Default()
	}
	other := &tool{name: stats.Other}
	return &Log{
		redactor: redactor, types: errtype.New(redactor), tools: map[string]*tool{stats.Other: other}, other: other,
		sessions: make(map[string]*stats.SessionStats), errors: errorgroups.New(maxGroups),
		shapes: make(map[uint64]uint64), seed: maphash.MakeSeed(),
	}
}

// AddLine counts the call of a line, which it does not keep. An error says what is wrong with the line, which is then not
// counted at all.
func (l *Log) AddLine(line []byte) error {
	c, err := l.reader.readLine(line, false)
	if err == nil {
		l.count(&c)
	}
	return err
}

// AddCall counts a call that was read.
func (l *Log) AddCall(c *Call) {
	x := *c
	if int(x.Outcome) >= toolkit.OutcomeCount { // an unknown one
		x.Outcome = toolkit.OutcomeExecuted
	}
	x.bound()
	l.count(&x)
}

func (l *Log) count(c *Call) {
	t, ns, at := l.toolOf(c.Tool), histogram.Clamp(c.Duration), int64(0)
	executed, failed := c.Outcome == toolkit.OutcomeExecuted, c.ErrorType != ""
	digits := histogram.MinDigits
	if executed {
		digits = histogram.MaxDigits
	}
	record(&t.times[c.Outcome], digits, ns)
	if executed && failed {
		record(&t.failed, histogram.MinDigits, ns)
	}
	if !c.End.IsZero() {
		at = c.End.UnixNano()
		if l.from == 0 || at < l.from {
			l.from = at
		}
		l.to, t.last = max(l.to, at), max(t.last, at)
	}
	if l.group = 0; failed {
		t.streak++
		t.worst = max(t.worst, t.streak)
		l.group = l.countError(t, c, at)
	} else {
		t.streak = 0
	}
	if c.Session != "" {
		l.countInSession(c, ns)
	}
	if l.timeline != nil && at != 0 {
		l.timeline.addCall(at, t.name, executed, failed, ns)
	}
}

// record counts a value in a histogram, which is made if need be.
func record(b **histogram.Builder, digits int, ns int64) {
	if *b == nil {
		*b = histogram.NewBuilder(digits)
	}
	(*b).Record(ns)
}

func (l *Log) toolOf(name string) *tool {
	t := l.tools[name]
	switch {
	case t != nil:
		return t
	case len(l.tools) > maxTools:
		return l.other
	}
	t = &tool{name: name}
	l.tools[name] = t
	return t
}

// countError counts the error of a call and returns its group. Redacting and normalising a text takes far longer than
// reading its line, so a text that differs from an earlier one in nothing but digits counts as the same error. What is
// shown is always a text that was redacted itself.
func (l *Log) countError(t *tool, c *Call, at int64) uint64 {
	l.shape = append(append(l.shape[:0], t.name...), 0)
	l.shape = append(append(l.shape, c.ErrorType...), 0)
	for _, b := range []byte(c.Error[:min(len(c.Error), errorgroups.MaxText)]) {
		if b >= '0' && b <= '9' {
			b = '0'
		}
		l.shape = append(l.shape, b)
	}
	shape := maphash.Bytes(l.seed, l.shape)
	if id, known := l.shapes[shape]; known && l.errors.CountAgain(id, at) {
		return id
	}
	text, _ := l.redactor.ForTool("").TextMax(c.Error, errorgroups.MaxText)
	id := l.errors.CountError(errorgroups.Error{Tool: t.name, Kind: l.types.Export(c.ErrorType), Text: text, At: at})
	if len(l.shapes) >= maxShapes {
		clear(l.shapes)
	}
	l.shapes[shape] = id
	return id
}

// LastErrorGroup is the id of the [stats.ErrorGroup] that the latest call is counted in; "" if it has no error.
func (l *Log) LastErrorGroup() string { return errorgroups.IDText(l.group) }

func (l *Log) countInSession(c *Call, ns int64) {
	id := c.Session[:min(len(c.Session), maxSessionID)]
	s := l.sessions[id]
	if s == nil {
		if len(l.sessions) >= maxSessions {
			return
		}
		name, _ := l.redactor.TextMax(id, maxName)
		s = &stats.SessionStats{Session: name}
		l.sessions[id] = s
	}
	s.Calls++
	switch {
	case c.Outcome == toolkit.OutcomeExecuted:
		s.Executed++
		s.RunMs += float64(ns) / 1e6
	case c.Outcome.Answered():
		s.Answered++
	default:
		s.Refused++
	}
	if c.ErrorType != "" {
		s.Errors++
		s.Streak++
		s.WorstStreak = max(s.WorstStreak, s.Streak)
	} else {
		s.Streak = 0
	}
	if at := c.End; !at.IsZero() {
		if s.FirstSeen.IsZero() || at.Before(s.FirstSeen) {
			s.FirstSeen = at
		}
		if at.After(s.LastSeen) {
			s.LastSeen = at
		}
	}
}

// Span is when the first and the last call ended; false if no call had a time.
func (l *Log) Span() (from, to time.Time, timed bool) {
	return moment1970(l.from), moment1970(l.to), l.from != 0
}

func moment1970(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// Snapshot is what was counted so far. Its span is that of the times in the log.
func (l *Log) Snapshot() *stats.Snapshot {
	s := &stats.Snapshot{Version: stats.SnapshotVersion, Processes: 1, Tools: []stats.ToolSnapshot{}}
	s.From, s.To, _ = l.Span()
	open, types := l.errors.TakeOpen(false)
	for _, t := range l.tools {
		x := t.snapshot()
		for kind, n := range types[t.name] {
			x.ErrorTypes = append(x.ErrorTypes, stats.TypeCount{Type: kind, Count: n})
			s.OtherErrors += n
		}
		slices.SortFunc(x.ErrorTypes, func(a, b stats.TypeCount) int { return cmp.Compare(a.Type, b.Type) })
		if x.Calls() > 0 {
			s.Tools = append(s.Tools, x)
		}
	}
	slices.SortFunc(s.Tools, func(a, b stats.ToolSnapshot) int { return cmp.Compare(a.Tool, b.Tool) })
	counts := make(map[uint64][]uint64)
	for _, c := range open {
		counts[c.ID] = []uint64{c.Count}
	}
	views, unlisted := l.errors.Views(counts, moment1970)
	s.Errors = make([]stats.ErrorGroup, len(views))
	for i, v := range views {
		v.Trend = nil
		s.Errors[i] = stats.ErrorGroup(v)
		s.OtherErrors -= min(s.OtherErrors, v.Count)
	}
	s.MaxUnlisted = min(unlisted, s.OtherErrors)
	return s
}

func (t *tool) snapshot() stats.ToolSnapshot {
	x := stats.ToolSnapshot{Tool: t.name, Streak: t.streak, WorstStreak: t.worst, LastSeen: moment1970(t.last)}
	for o, b := range t.times {
		x.SetOutcome(toolkit.Outcome(o), finished(b))
	}
	x.Failed = finished(t.failed)
	return x
}

// finished is what a builder counted; nil of a nil builder.
func finished(b *histogram.Builder) *stats.Histogram {
	if b == nil {
		return nil
	}
	return (*stats.Histogram)(b.Histogram())
}

// Sessions are those of the log, the one with most calls first: the first 4096 that occur in it.
func (l *Log) Sessions() []stats.SessionStats {
	list := make([]stats.SessionStats, 0, len(l.sessions))
	for _, s := range l.sessions {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b stats.SessionStats) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Session, b.Session))
	})
	return list
}
