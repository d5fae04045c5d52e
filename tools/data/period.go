// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// period is a length of time by the calendar.
type period struct {
	months, days int64
	workdays     int64 // Monday to Friday
	seconds      int64
	nanos        int64
}

// periodUnits are the words for the parts of a period.
var periodUnits = map[string]period{
	"year": {months: 12}, "yr": {months: 12}, "y": {months: 12}, "quarter": {months: 3}, "month": {months: 1}, "mo": {months: 1},
	"week": {days: 7}, "w": {days: 7}, "day": {days: 1}, "d": {days: 1}, "workday": {workdays: 1}, "weekday": {workdays: 1},
	"hour": {seconds: 3600}, "hr": {seconds: 3600}, "h": {seconds: 3600}, "minute": {seconds: 60}, "min": {seconds: 60},
	"second": {seconds: 1}, "sec": {seconds: 1}, "s": {seconds: 1},
}

// maxPeriod is the largest number in a period, of any unit.
const maxPeriod = 1e11

// parsePeriod reads an ISO 8601 duration such as P1Y2M10DT2H30M, or words such as
// "1 year -3 days 2.5 hours". Only what is not longer than a week may have a fraction.
func parsePeriod(text string) (period, error) {
	s := strings.TrimSpace(text)
	refused := arg.Invalid("duration", fmt.Sprintf("%.80q", s),
		"one such as \"1 month 2 days\", \"-3 hours\", \"10 workdays\" or P1Y2M10DT2H30M")
	if s == "" || len(s) > 200 {
		return period{}, refused
	}
	if p, sign, ok := isoPeriod(s); ok {
		return p.times(sign), nil
	}
	var p period
	sign := 1.0
	for s = strings.ToLower(strings.NewReplacer(",", " ", " and ", " ").Replace(s)); s != ""; s = strings.TrimSpace(s) {
		n := numberPrefix(s)
		v, err := strconv.ParseFloat(s[:n], 64)
		if err != nil {
			return period{}, refused
		}
		if s[0] == '-' || s[0] == '+' {
			sign = 1
			if s[0] == '-' {
				sign = -1
			}
		}
		s = strings.TrimSpace(s[n:])
		end := strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			end = len(s)
		}
		unit, ok := periodUnits[s[:end]]
		if !ok {
			unit, ok = periodUnits[strings.TrimSuffix(s[:end], "s")]
		}
		if !ok || !p.addUnits(sign*math.Abs(v), unit) {
			return period{}, refused
		}
		s = s[end:]
	}
	return p, nil
}

// isoPeriod reads the form that begins with P.
func isoPeriod(s string) (p period, sign int64, ok bool) {
	sign = 1
	if rest, found := strings.CutPrefix(s, "-"); found {
		s, sign = rest, -1
	}
	rest, found := strings.CutPrefix(s, "P")
	if !found || rest == "" {
		return p, 0, false
	}
	units := map[byte]period{'Y': {months: 12}, 'M': {months: 1}, 'W': {days: 7}, 'D': {days: 1}}
	inTime := false
	for rest != "" {
		if rest[0] == 'T' && !inTime && len(rest) > 1 {
			units, inTime = map[byte]period{'H': {seconds: 3600}, 'M': {seconds: 60}, 'S': {seconds: 1}}, true
			rest = rest[1:]
		}
		n := numberPrefix(rest)
		v, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil || n == len(rest) {
			return p, 0, false
		}
		unit, known := units[rest[n]]
		if !known || !p.addUnits(v, unit) {
			return p, 0, false
		}
		rest = rest[n+1:]
	}
	return p, sign, true
}

// numberPrefix is how many bytes of s are a decimal number without exponent.
func numberPrefix(s string) int {
	n := 0
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	return n
}

// addUnits adds a number of a unit; false if it is too large or may have no fraction.
func (p *period) addUnits(n float64, unit period) bool {
	if math.IsNaN(n) || math.Abs(n) > maxPeriod {
		return false
	}
	if n != math.Trunc(n) {
		if unit.months != 0 || unit.workdays != 0 {
			return false
		}
		// A part of a day or a week is counted in seconds.
		seconds := n * float64(unit.seconds+unit.days*86400)
		p.seconds += int64(seconds)
		p.nanos += int64(math.Round((seconds - math.Trunc(seconds)) * 1e9))
		return true
	}
	k := int64(n)
	p.months += k * unit.months
	p.days += k * unit.days
	p.workdays += k * unit.workdays
	p.seconds += k * unit.seconds
	return true
}

func (p period) times(sign int64) period {
	return period{p.months * sign, p.days * sign, p.workdays * sign, p.seconds * sign, p.nanos * sign}
}

// addTo adds a period to a time. A day that a month lacks becomes its last: a month
// after 31 January is 28 or 29 February.
func (p period) addTo(at time.Time) (time.Time, error) {
	const most = 10_000 * 366
	tooFar := arg.Invalid("duration", "one that leads out of the years 1 to 9999", "a shorter one")
	if abs(p.months) > 12*10_000 || abs(p.days) > most || abs(p.workdays) > most || abs(p.seconds) > most*86400 {
		return at, tooFar
	}
	year, month, day := at.Date()
	first := time.Date(year, month+time.Month(p.months), 1, 0, 0, 0, 0, time.UTC)
	day = min(day, monthDays(first.Year(), first.Month()))
	hour, minute, second := at.Clock()
	sum := time.Date(first.Year(), first.Month(), day+int(p.days), hour, minute, second, at.Nanosecond(), at.Location())
	sum = addWorkdays(sum, p.workdays)
	// In two steps: a time.Duration ends after 292 years.
	sum = time.Unix(sum.Unix()+p.seconds, int64(sum.Nanosecond())+p.nanos).In(at.Location())
	if !inYears(sum) {
		return at, tooFar
	}
	return sum, nil
}

func abs(n int64) int64 { return max(n, -n) }

// addWorkdays goes n days from Monday to Friday on, or back. A weekend counts as
// the workday that is left.
func addWorkdays(at time.Time, n int64) time.Time {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	days, today := 0, int(at.Weekday())
	for n > 0 && weekend(today+days) {
		days -= step
	}
	days += step * int(n/5*7)
	for n %= 5; n > 0; {
		if days += step; !weekend(today + days) {
			n--
		}
	}
	return at.AddDate(0, 0, days)
}

// weekend takes a weekday, which may be counted on, or back below 0.
func weekend(weekday int) bool {
	d := time.Weekday((weekday%7 + 7) % 7)
	return d == time.Saturday || d == time.Sunday
}

// workdays counts the days from Monday to Friday from the day of a to the day before
// that of b, or back with a minus.
func workdays(a, b time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	from, to, sign := day(a), day(b), 1
	if to.Before(from) {
		from, to, sign = to, from, -1
	}
	days := int((to.Unix() - from.Unix()) / 86400)
	n := days / 7 * 5
	for i := range days % 7 {
		if !weekend(int(from.Weekday()) + i) {
			n++
		}
	}
	return n * sign
}

// between is the period from one time to another by the calendar, and whether it
// goes back.
func between(a, b time.Time) (p period, negative bool) {
	if b.Before(a) {
		p, _ = between(b, a)
		return p, true
	}
	months := int64(b.Year()-a.Year())*12 + int64(b.Month()-a.Month())
	from := a
	for ; months >= 0; months-- {
		if t, err := (period{months: months}).addTo(a); err == nil && !t.After(b) {
			from = t
			break
		}
	}
	p.months = max(0, months)
	days := max(0, (b.Unix()-from.Unix())/86400+1)
	for ; days > 0; days-- {
		if t := from.AddDate(0, 0, int(days)); !t.After(b) {
			from = t
			break
		}
	}
	p.days = days
	p.seconds, p.nanos = b.Unix()-from.Unix(), int64(b.Nanosecond()-from.Nanosecond())
	if p.nanos < 0 {
		p.seconds, p.nanos = p.seconds-1, p.nanos+1e9
	}
	return p, false
}

// String writes a period in words.
func (p period) String() string {
	var parts []string
	for _, part := range []struct {
		n    int64
		name string
	}{
		{p.months / 12, "year"}, {p.months % 12, "month"}, {p.days, "day"}, {p.seconds / 3600, "hour"},
		{p.seconds / 60 % 60, "minute"}, {p.seconds % 60, "second"},
	} {
		switch part.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+part.name)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", part.n, part.name))
		}
	}
	if p.nanos != 0 {
		parts = append(parts, fmt.Sprintf("%d nanoseconds", p.nanos))
	}
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}
