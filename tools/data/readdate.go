// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// moment is a time, and whether it was written as a day only.
type moment struct {
	time time.Time
	day  bool
}

// readMoment is a moment with a note about how it was understood.
type readMoment struct {
	moment
	note string
}

// layout is a way to write dates. One that names no zone is in the call's.
type layout struct {
	text  string
	zoned bool
	day   bool // it names a day only
}

// layouts are what dates may be written in, besides seconds since 1970. Names of zones
// such as CET are not among them: several zones share one.
var layouts = []layout{
	{"2006-01-02T15:04:05Z07:00", true, false}, {"2006-01-02 15:04:05Z07:00", true, false},
	{"2006-01-02 15:04:05 -0700", true, false},
	{"2006-01-02T15:04Z07:00", true, false}, {"2006-01-02T15:04:05-0700", true, false}, {time.RFC1123Z, true, false},
	{time.RFC822Z, true, false},
	{"2006-01-02T15:04:05", false, false}, {"2006-01-02 15:04:05", false, false}, {"2006-01-02T15:04", false, false},
	{"2006-01-02 15:04", false, false},
	{time.ANSIC, false, false}, {"2 January 2006 15:04", false, false}, {"2 Jan 2006 15:04", false, false},
	{"January 2, 2006 15:04", false, false}, {"January 2, 2006 3:04 PM", false, false},
	{"2006-01-02", false, true}, {"20060102", false, true}, {"2006/01/02", false, true},
	{"2 January 2006", false, true}, {"January 2, 2006", false, true},
	{"2 Jan 2006", false, true}, {"Jan 2, 2006", false, true}, {"02-Jan-2006", false, true},
}

const (
	firstYear = 1
	lastYear  = 9999
)

// readDate reads a date. Those that can mean two days, such as 03/04/2026, are refused.
func readDate(field, text string, zone *time.Location) (readMoment, error) {
	text = strings.TrimSpace(text)
	refused := arg.Invalid(field, fmt.Sprintf("%.80q", text), "a date such as 2026-03-01, 2026-03-01T12:00:00+01:00 "+
		"or 1 March 2026, or seconds since 1970; operation parse reads others by a format")
	if text == "" {
		return readMoment{}, refused
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(text, "@"), 10, 64); err == nil && len(text) != 8 {
		at := time.Unix(n, 0).In(zone)
		if n < -1e12 || n > 1e12 || !inYears(at) {
			return readMoment{}, refused
		}
		return readMoment{moment{at, false}, ""}, nil
	}
	if gmt, ok := strings.CutSuffix(text, " GMT"); ok { // as HTTP writes dates
		text = gmt + " +0000"
	}
	for _, l := range layouts {
		at, err := time.ParseInLocation(l.text, text, zone)
		if err != nil {
			continue
		}
		if !inYears(at) {
			return readMoment{}, refused
		}
		read := readMoment{moment: moment{at, l.day}}
		if !l.zoned {
			read.note = clockNote(at, l.text, text)
		}
		return read, nil
	}
	return readMoment{}, refused
}

func inYears(at time.Time) bool { return at.Year() >= firstYear && at.Year() <= lastYear }

// clockNote tells of a time of day that its zone's clocks skip or show twice.
func clockNote(at time.Time, layout, text string) string {
	// Read as UTC, the same text says what the clock was meant to show.
	if meant, err := time.Parse(layout, text); err == nil && meant.Format("15:04") != at.Format("15:04") {
		return "clocks skip this time of day: " + at.Format("15:04") + " is meant instead"
	}
	for _, shift := range []time.Duration{-time.Hour, time.Hour} {
		if other := at.Add(shift); other.Format("2006-01-02 15:04") == at.Format("2006-01-02 15:04") {
			return "clocks show this time of day twice: the one with offset " + at.Format("-07:00") + " is meant"
		}
	}
	return ""
}
