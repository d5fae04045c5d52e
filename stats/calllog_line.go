// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// logLine is a line of a call log. It is read by hand: a call log has one flat
// object a line, and reading it is most of the work of a report. Texts point into
// the line, or into spare where they had escapes, until the next line is read.
type logLine struct {
	tool, kindText, message, session []byte
	outcome                          toolkit.Outcome
	duration                         time.Duration
	timed                            bool // there is a duration
	at                               int64

	text  []byte    // what is left to be read
	spare []byte    // what escapes stood for
	extra *logExtra // members beyond those above go there; nil to pass them over
}

// What is wrong with the form of a line.
var (
	errNoObject = errors.New("got no JSON object, want one on each line")
	errJSON     = errors.New("got text that is not JSON")
	errDepth    = errors.New("got more than 64 levels of nesting")
	errTrailing = errors.New("got more after the object, want one on each line")
	errNoTool   = errors.New("tool: got none, want a name")
	errNoTime   = errors.New("duration_us: got none, want the running time of an executed call in microseconds")
)

// failed reports whether the call ended with an error.
func (l *logLine) failed() bool { return len(l.kindText) > 0 || len(l.message) > 0 }

// kind is the error.type of a failed call.
func (l *logLine) kind() toolkit.Kind {
	switch {
	case len(l.kindText) == 0:
		return toolkit.ErrTool
	case len(l.kindText) > 64:
		return toolkit.TypeOther
	}
	for _, c := range l.kindText {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.') {
			return toolkit.TypeOther
		}
	}
	return toolkit.Kind(l.kindText)
}

// read reads a line.
func (l *logLine) read(line []byte) error {
	*l = logLine{text: line, spare: l.spare[:0], extra: l.extra}
	l.blanks()
	if !l.take('{') {
		return errNoObject
	}
	l.blanks()
	if !l.take('}') {
		for more := true; more; {
			if err := l.member(); err != nil {
				return err
			}
			l.blanks()
			more = l.take(',')
		}
		if !l.take('}') {
			return errJSON
		}
	}
	l.blanks()
	switch {
	case len(l.text) > 0:
		return errTrailing
	case len(l.tool) == 0:
		return errNoTool
	case !l.timed && l.outcome == toolkit.OutcomeExecuted:
		return errNoTime
	}
	return nil
}

func (l *logLine) member() error {
	l.blanks()
	name, ok := l.str()
	if !ok {
		return errJSON
	}
	l.blanks()
	if !l.take(':') {
		return errJSON
	}
	l.blanks()
	if l.word("null") {
		return nil
	}
	switch string(name) {
	case "tool": // string: name of the tool; required
		return l.textInto(&l.tool, "tool")
	case "error_type": // string: error.type of a failed call
		return l.textInto(&l.kindText, "error_type")
	case "error": // string: text of the error; may be there without error_type
		return l.textInto(&l.message, "error")
	case "session": // string: session id
		return l.textInto(&l.session, "session")
	case "outcome": // string: executed (the default), cache_hit, coalesced, repeated or refused
		return l.readOutcome()
	case "duration_us": // number: running time in microseconds; required for an executed call
		return l.readDuration()
	case "time": // string or number: when the call ended, as RFC 3339 or seconds since 1970
		return l.readTime()
	}
	if l.extra != nil {
		return l.extra.member(l, name)
	}
	return l.skip(0)
}

func (l *logLine) textInto(to *[]byte, member string) error {
	s, ok := l.str()
	if !ok {
		return fmt.Errorf("%s: got something else than a string in JSON", member)
	}
	*to = s
	return nil
}

func (l *logLine) readOutcome() error {
	s, ok := l.str()
	if ok {
		for o := range toolkit.Outcome(toolkit.OutcomeCount) {
			if o.String() == string(s) {
				l.outcome = o
				return nil
			}
		}
	}
	names := outcomeNames()[1:]
	last := len(names) - 1
	return fmt.Errorf("outcome: got %s, want %s or %s", shown(string(s)), strings.Join(names[:last], ", "), names[last])
}

func (l *logLine) readDuration() error {
	n, ok := l.number()
	if !ok {
		return errors.New("duration_us: got something else than a number")
	}
	// Whole microseconds, which is what there mostly is, without a float.
	us, whole := uint64(0), len(n) <= 15
	for _, c := range n {
		if c < '0' || c > '9' {
			whole = false
			break
		}
		us = us*10 + uint64(c-'0')
	}
	l.timed = true
	if whole {
		l.duration = time.Duration(min(us, uint64(histogram.Highest)/1000)) * time.Microsecond
		return nil
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) || f < 0 {
		return fmt.Errorf("duration_us: got %s, want 0 or more", shown(string(n)))
	}
	l.duration = time.Duration(min(math.Round(f*1000), float64(histogram.Highest)))
	return nil
}

func (l *logLine) readTime() error {
	var t time.Time
	if s, ok := l.str(); ok {
		if err := t.UnmarshalText(s); err != nil {
			return fmt.Errorf("time: got %s, want RFC 3339 or seconds since 1970", shown(string(s)))
		}
	} else {
		n, ok := l.number()
		if !ok {
			return errors.New("time: got something else than a string or a number")
		}
		f, err := strconv.ParseFloat(string(n), 64)
		if err != nil || f < 0 || f > math.MaxInt64/1e9-1 {
			return fmt.Errorf("time: got %s, want RFC 3339 or seconds since 1970", shown(string(n)))
		}
		whole, part := math.Modf(f)
		t = time.Unix(int64(whole), int64(math.Round(part*1e6))*1000) // a float has no nanoseconds today
	}
	if y := t.Year(); y < 1970 || y > 2261 {
		return fmt.Errorf("time: got the year %d, want 1970 to 2261", y)
	}
	l.at = t.UnixNano()
	return nil
}
