// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a call log. What is beyond them is counted under Other, or not by
// session.
const (
	maxLogTools    = 512
	maxLogGroups   = 1024
	maxLogSessions = 4096
	maxLogShapes   = 8192
)

// A CallLog adds up calls that were written down as JSON lines, in memory that no
// log can grow. Make one with [NewCallLog]. It is not safe for concurrent use.
//
// A line is an object with the members
//
//	tool          the tool's name; there must be one
//	duration_us   the running time in microseconds; there must be one for a call that ran
//	outcome       executed (which is meant if there is none), cache_hit, coalesced, repeated or refused
//	error_type    the kind of failure; without one, a call with an error is a tool_error
//	error         the error's text; redacted and grouped
//	session       the session's id; redacted
//	time          when the call ended: RFC 3339, or seconds since 1970
//
// Others are passed over, and null is as good as none.
type CallLog struct {
	redactor *redact.Redactor
	types    *errtype.Guard
	tools    map[string]*logTool
	other    *logTool
	sessions map[string]*SessionStats
	errors   *errorgroups.Table
	shapes   map[uint64]uint64 // groups of errors seen before, by their shape
	seed     maphash.Seed
	line     logLine
	shape    []byte
	timeline *logTimeline // nil if none is kept
	group    uint64       // of the error of the call that was added last; 0 if it has none
	from, to int64
}

// logTool is what is counted of one tool.
type logTool struct {
	name     string
	executed *histogram.Builder
	others   [toolkit.OutcomeCount]*histogram.Builder // by outcome, but executed
	failed   *histogram.Builder
	streak   uint64
	worst    uint64
	last     int64
}

// NewCallLog makes an empty one. The redactor is what texts of errors and names of
// sessions pass; nil is [redact.Default].
func NewCallLog(redactor *redact.Redactor) *CallLog {
	if redactor == nil {
		redactor = redact.Default()
	}
	l := &CallLog{redactor: redactor, types: errtype.New(redactor), tools: make(map[string]*logTool), sessions: make(map[string]*SessionStats),
		shapes: make(map[uint64]uint64), seed: maphash.MakeSeed()}
	l.other = &logTool{name: Other}
	l.tools[Other] = l.other
	l.errors = errorgroups.New(maxLogGroups)
	return l
}

// Add counts the call of a line, which it does not keep. An error says what is wrong
// with the line, which is then not counted at all.
func (l *CallLog) Add(line []byte) error {
	if err := l.line.read(line); err != nil {
		return err
	}
	l.count()
	return nil
}

// AddCall is Add for a call that was read already.
func (l *CallLog) AddCall(c *LoggedCall) {
	l.line = logLine{spare: l.line.spare[:0], tool: []byte(c.Tool), kindText: []byte(c.ErrorType), message: []byte(c.Error), session: []byte(c.Session),
		outcome: c.Outcome, duration: c.Duration, timed: true}
	if int(c.Outcome) >= toolkit.OutcomeCount { // none that is known
		l.line.outcome = toolkit.OutcomeExecuted
	}
	if !c.End.IsZero() {
		l.line.at = c.End.UnixNano()
	}
	l.count()
}

// count counts the call that was read last.
func (l *CallLog) count() {
	x := &l.line
	t := l.toolOf(x.tool)
	ns := histogram.Clamp(x.duration)
	failed := x.failed()
	l.group = 0
	if x.outcome != toolkit.OutcomeExecuted {
		count(&t.others[x.outcome], auxDigits, ns)
	} else {
		count(&t.executed, histogram.MaxDigits, ns)
		if failed {
			count(&t.failed, auxDigits, ns)
		}
	}
	if x.at != 0 {
		if l.from == 0 || x.at < l.from {
			l.from = x.at
		}
		l.to, t.last = max(l.to, x.at), max(t.last, x.at)
	}
	if failed {
		t.streak++
		t.worst = max(t.worst, t.streak)
		l.fail(t)
	} else {
		t.streak = 0
	}
	if len(x.session) > 0 {
		l.inSession(ns, failed)
	}
	if l.timeline != nil {
		l.timeline.add(x.at, t, x.outcome == toolkit.OutcomeExecuted, failed, ns)
	}
}

func count(b **histogram.Builder, digits int, ns int64) {
	if *b == nil {
		*b = histogram.NewBuilder(digits)
	}
	(*b).Record(ns)
}

// histogramOf is what was counted; nil if nothing was.
func histogramOf(b *histogram.Builder) *Histogram {
	if b == nil {
		return nil
	}
	return (*Histogram)(b.Histogram())
}

func (l *CallLog) toolOf(name []byte) *logTool {
	if t := l.tools[string(name)]; t != nil {
		return t
	}
	clipped := string(bytes.ToValidUTF8(name[:min(len(name), maxToolName)], nil))
	t := l.tools[clipped]
	switch {
	case t != nil:
	case len(l.tools) > maxLogTools:
		return l.other
	default:
		t = &logTool{name: clipped}
		l.tools[clipped] = t
	}
	return t
}

// fail counts the error of the line. Redacting and normalising a text takes far
// longer than reading its line, so a text that differs from an earlier one in
// nothing but digits counts as the same error. What is shown is always a text that
// was redacted itself.
func (l *CallLog) fail(t *logTool) {
	x := &l.line
	kind := x.kind()
	l.shape = append(l.shape[:0], t.name...)
	l.shape = append(append(append(l.shape, 0), kind...), 0)
	for _, c := range x.message[:min(len(x.message), errorgroups.MaxText)] {
		if c >= '0' && c <= '9' {
			c = '0'
		}
		l.shape = append(l.shape, c)
	}
	shape := maphash.Bytes(l.seed, l.shape)
	if id, known := l.shapes[shape]; known && l.errors.CountAgain(id, x.at) {
		l.group = id
		return
	}
	text, _ := l.redactor.ForTool("").TextMax(string(x.message), errorgroups.MaxText)
	l.group = l.errors.CountError(errorgroups.Error{Tool: t.name, Kind: l.types.Export(string(kind)), Text: text, At: x.at})
	if len(l.shapes) >= maxLogShapes {
		clear(l.shapes)
	}
	l.shapes[shape] = l.group
}

// LastErrorGroup is the id of the [ErrorGroup] that the call added last is counted in; "" if
// it has no error, and if there is none.
func (l *CallLog) LastErrorGroup() string { return errorgroups.IDText(l.group) }

func (l *CallLog) inSession(ns int64, failed bool) {
	x := &l.line
	id := x.session[:min(len(x.session), maxValue)]
	s := l.sessions[string(id)]
	if s == nil {
		if len(l.sessions) >= maxLogSessions {
			return
		}
		name, _ := l.redactor.TextMax(string(id), maxNameText)
		s = &SessionStats{Session: name}
		l.sessions[string(id)] = s
	}
	s.Calls++
	switch {
	case x.outcome == toolkit.OutcomeExecuted:
		s.Executed++
		s.RunMs += float64(ns) / 1e6
	case x.outcome.Answered():
		s.Answered++
	default:
		s.Refused++
	}
	if failed {
		s.Errors++
		s.Streak++
		s.WorstStreak = max(s.WorstStreak, s.Streak)
	} else {
		s.Streak = 0
	}
	if x.at != 0 {
		at := time.Unix(0, x.at).UTC()
		if s.FirstSeen.IsZero() || at.Before(s.FirstSeen) {
			s.FirstSeen = at
		}
		if at.After(s.LastSeen) {
			s.LastSeen = at
		}
	}
}

// Snapshot is what was counted so far. Its span is that of the times in the log.
func (l *CallLog) Snapshot() *Snapshot {
	s := &Snapshot{Version: SnapshotVersion, Processes: 1, Tools: []ToolSnapshot{}, From: time.Unix(0, l.from).UTC(), To: time.Unix(0, l.to).UTC()}
	open, types := l.errors.TakeOpen(false)
	for _, t := range l.tools {
		x := ToolSnapshot{Tool: t.name, Streak: t.streak, WorstStreak: t.worst, LastSeen: time.Unix(0, t.last).UTC()}
		for o, b := range t.others {
			x.SetOutcome(toolkit.Outcome(o), histogramOf(b))
		}
		x.Executed, x.Failed = histogramOf(t.executed), histogramOf(t.failed)
		x.ErrorTypes = sortedTypes(types[t.name])
		s.OtherErrors += x.Errors()
		if x.Calls() > 0 {
			s.Tools = append(s.Tools, x)
		}
	}
	slices.SortFunc(s.Tools, func(a, b ToolSnapshot) int { return cmp.Compare(a.Tool, b.Tool) })
	counts := make(map[uint64][]uint64)
	for _, c := range open {
		counts[c.ID] = []uint64{c.Count}
	}
	s.Errors, s.MaxUnlisted = errorViews(l.errors, counts, func(at int64) time.Time { return time.Unix(0, at).UTC() })
	for i := range s.Errors {
		s.Errors[i].Trend = nil
		s.OtherErrors -= min(s.OtherErrors, s.Errors[i].Count)
	}
	s.MaxUnlisted = min(s.MaxUnlisted, s.OtherErrors)
	return s
}

// Sessions are those of the log, the one with most calls first: the first 4096 that
// occur in it.
func (l *CallLog) Sessions() []SessionStats {
	list := make([]SessionStats, 0, len(l.sessions))
	for _, s := range l.sessions {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b SessionStats) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Session, b.Session))
	})
	return list
}
