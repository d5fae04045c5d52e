// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/timefmt-go"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

type dateInput struct {
	Operation string `json:"operation"`
	Date      string `json:"date"`
	Other     string `json:"other"`
	Duration  string `json:"duration"`
	Format    string `json:"format"`
	Timezone  string `json:"timezone"`
	To        string `json:"to_timezone"`
}

var dateOperations = []string{"add", "diff", "convert", "format", "parse", "info"}

func (t *Toolset) date(_ context.Context, in dateInput) (string, error) {
	zone, err := t.zone("timezone", in.Timezone)
	if err != nil {
		return "", err
	}
	if in.Operation == "parse" {
		return parseWith(in, zone)
	}
	at, err := readDate("date", in.Date, zone)
	if err != nil {
		return "", err
	}
	switch in.Operation {
	case "add":
		return addTo(at, in.Duration)
	case "diff":
		other, err := readDate("other", in.Other, zone)
		if err != nil {
			return "", err
		}
		return tellDifference(at.time, other.time.In(at.time.Location()))
	case "convert":
		to, err := t.zone("to_timezone", in.To)
		if err != nil {
			return "", err
		}
		return moment{at.time.In(to), false}.info(at.note)
	case "format":
		return formatWith(at.time, in.Format)
	case "info":
		return moment{at.time, false}.info(at.note)
	}
	return "", arg.Invalid("operation", fmt.Sprintf("%.40q", in.Operation), strings.Join(dateOperations, ", "))
}

type nowInput struct {
	Timezone string `json:"timezone"`
}

func (t *Toolset) now(_ context.Context, in nowInput) (string, error) {
	zone, err := t.zone("timezone", in.Timezone)
	if err != nil {
		return "", err
	}
	return moment{time.Now().In(zone).Truncate(time.Second), false}.info("")
}

// zone finds a time zone by its IANA name, or by its offset such as +02:00.
func (t *Toolset) zone(field, name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return t.options.Location, nil
	case strings.EqualFold(name, "UTC") || name == "Z":
		return time.UTC, nil
	case name[0] == '+' || name[0] == '-':
		for _, layout := range []string{"-07:00", "-0700", "-07"} {
			if at, err := time.Parse(layout, name); err == nil {
				return at.Location(), nil
			}
		}
	case !strings.EqualFold(name, "local") && len(name) < 64:
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, arg.Invalid(field, fmt.Sprintf("%.80q", name),
		"a name of the IANA's such as Europe/Berlin, or an offset such as +02:00")
}

// info tells what there is to know of a moment.
func (m moment) info(note string) (string, error) {
	if !inYears(m.time) {
		return "", arg.Invalid("date", "a year beyond 1 to 9999", "another")
	}
	year, week := m.time.ISOWeek()
	zone, _ := m.time.Zone()
	return arg.JSON(struct {
		Date      string `json:"date"`
		Weekday   string `json:"weekday"`
		Week      string `json:"iso_week"`
		YearDay   int    `json:"day_of_year"`
		LeapYear  bool   `json:"leap_year"`
		MonthDays int    `json:"days_in_month"`
		Unix      int64  `json:"unix"`
		Timezone  string `json:"timezone"`
		Zone      string `json:"zone"`
		UTC       string `json:"utc"`
		Note      string `json:"note,omitempty"`
	}{
		m.text(), m.time.Weekday().String(), fmt.Sprintf("%04d-W%02d", year, week), m.time.YearDay(),
		monthDays(m.time.Year(), time.February) == 29,
		monthDays(m.time.Year(), m.time.Month()), m.time.Unix(), m.time.Location().String(), zone,
		m.time.UTC().Format(time.RFC3339), note,
	})
}

// text is the moment as it is written: RFC 3339, or the day.
func (m moment) text() string {
	if m.day {
		return m.time.Format(time.DateOnly)
	}
	return m.time.Format(time.RFC3339Nano)
}

// monthDays is how many days a month has.
func monthDays(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// addTo adds a duration to a date: years and months first, then days, by the
// calendar, so that the clock shows the same time; hours and below as they pass.
func addTo(at readMoment, text string) (string, error) {
	p, err := parsePeriod(text)
	if err != nil {
		return "", err
	}
	sum, err := p.addTo(at.time)
	if err != nil {
		return "", err
	}
	onlyDay := at.day && p.seconds == 0 && p.nanos == 0
	return arg.JSON(struct {
		Date    string `json:"date"`
		Weekday string `json:"weekday"`
		Unix    int64  `json:"unix"`
		Note    string `json:"note,omitempty"`
	}{moment{sum, onlyDay}.text(), sum.Weekday().String(), sum.Unix(), at.note})
}

// tellDifference tells how long it is from one moment to another, as it passes and by
// the calendar of the first one's zone.
func tellDifference(a, b time.Time) (string, error) {
	p, negative := between(a, b)
	seconds := b.Unix() - a.Unix()
	nanos := b.Nanosecond() - a.Nanosecond()
	exact := float64(seconds) + float64(nanos)/1e9
	number := func(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'f', -1, 64)) }
	return arg.JSON(struct {
		Seconds  json.Number `json:"seconds"`
		Hours    json.Number `json:"hours"`
		Days     json.Number `json:"days"`
		Calendar string      `json:"calendar"`
		Workdays int         `json:"workdays"`
		Negative bool        `json:"negative"`
	}{number(exact), number(round6(exact / 3600)), number(round6(exact / 86400)), p.String(), workdays(a, b), negative})
}

func round6(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 6, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// formatWith writes a date as strftime does.
func formatWith(at time.Time, format string) (string, error) {
	if format == "" || len(format) > 200 {
		return "", arg.Invalid("format", fmt.Sprintf("%d bytes", len(format)),
			"1 to 200 bytes of strftime's form, such as %A, %d %B %Y")
	}
	if widths(format) {
		return "", arg.Invalid("format", "a width of more than two digits", "a smaller one")
	}
	return timefmt.Format(at, format), nil
}

// parseWith reads a date as strptime does.
func parseWith(in dateInput, zone *time.Location) (string, error) {
	if in.Format == "" || len(in.Format) > 200 || widths(in.Format) {
		return "", arg.Invalid("format", fmt.Sprintf("%d bytes", len(in.Format)),
			"1 to 200 bytes of strptime's form, such as %d.%m.%Y")
	}
	if len(in.Date) > 500 {
		return "", arg.Invalid("date", fmt.Sprintf("%d bytes", len(in.Date)), "at most 500")
	}
	at, err := timefmt.ParseInLocation(strings.TrimSpace(in.Date), in.Format, zone)
	if err != nil {
		return "", arg.Invalid("date", fmt.Sprintf("%.80q, which is not of that format (%v)", in.Date, err), "a date of the format")
	}
	return moment{at, false}.info("")
}

// widths reports whether a format pads to hundreds of characters.
func widths(format string) bool {
	digits := 0
	for _, c := range []byte(format) {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits > 2 && strings.Contains(format, "%") {
			return true
		}
	}
	return false
}
