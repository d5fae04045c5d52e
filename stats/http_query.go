// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The sizes of what a request may ask for, in bytes.
const (
	maxQuery = 8 << 10
	maxPath  = 4 << 10
	maxValue = 1 << 10
)

// query is the parameters of a request. Its methods keep the first problem, which
// the caller looks at when it has asked for everything.
type query struct {
	values  url.Values
	problem *problem
}

// parseQuery reads parameters of the names allowed, each at most once.
func parseQuery(u *url.URL, allowed []string) *query {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return &query{problem: &problem{Status: http.StatusBadRequest, Detail: "the query is not percent-encoded name=value pairs"}}
	}
	q := &query{values: values}
	for name, v := range values {
		switch {
		case !slices.Contains(allowed, name):
			q.problem = &problem{Status: http.StatusBadRequest, Parameter: clipped(name), Wanted: allowed,
				Detail: fmt.Sprintf("got a parameter %s, which this resource does not have", shown(name))}
		case len(v) > 1:
			q.fail(name, fmt.Sprintf("got it %d times, want it once", len(v)))
		case len(v[0]) > maxValue:
			q.fail(name, fmt.Sprintf("got %d bytes, want at most %d", len(v[0]), maxValue))
		}
	}
	return q
}

func (q *query) fail(name, detail string, wanted ...string) {
	if q.problem == nil {
		q.problem = badParameter(name, detail, wanted...)
	}
}

// text is a parameter as it is; "" if it is not given.
func (q *query) text(name string) string { return q.values.Get(name) }

// choice is one of the values listed; the first one if none is given.
func (q *query) choice(name string, among ...string) string {
	v := q.text(name)
	if v == "" {
		return among[0]
	}
	if !slices.Contains(among, v) {
		q.fail(name, "got "+shown(v)+", want one of those listed", slices.DeleteFunc(slices.Clone(among), func(s string) bool { return s == "" })...)
		return among[0]
	}
	return v
}

// number is a whole number from low to high; def if none is given.
func (q *query) number(name string, def, low, high uint64) uint64 {
	v := q.text(name)
	if v == "" {
		return def
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil || n < low || n > high {
		q.fail(name, fmt.Sprintf("got %s, want a whole number from %d to %d", shown(v), low, high))
		return def
	}
	return n
}

// duration is a duration such as 250ms or 1.5s; 0 if none is given.
func (q *query) duration(name string) time.Duration {
	v := q.text(name)
	if v == "" {
		return 0
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		q.fail(name, "got "+shown(v)+", want a duration of 0 or more such as 250ms or 1.5s")
		return 0
	}
	return d
}

// windowNames are the parameters that [query.window] reads.
var windowNames = []string{"window", "since", "until"}

// window is the window asked for, by name or by its bounds; def if neither is
// given.
func (q *query) window(def Window) Window {
	name, since, until := q.text("window"), q.time("since"), q.time("until")
	if since.IsZero() && until.IsZero() {
		if name == "" {
			return def
		}
		w, err := ParseWindow(name)
		if err != nil {
			q.fail("window", "got "+shown(name)+", want one of those listed", WindowNames()...)
		}
		return w
	}
	if name != "" {
		q.fail("window", "got it beside since or until, want one of the two")
		return def
	}
	w := Window{Since: since, Until: until}
	if err := w.Validate(); err != nil {
		q.fail("until", fmt.Sprintf("got %s, want a time after since, %s", bound(until), bound(since)))
		return def
	}
	return w
}

// time is a time in RFC 3339 form or in seconds since 1970; zero if none is given.
// Years beyond 1970 to 2261 are none: a histogram's nanoseconds do not reach them.
func (q *query) time(name string) time.Time {
	v := q.text(name)
	if v == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		seconds, wrong := strconv.ParseFloat(v, 64)
		if wrong == nil && seconds > 0 && seconds < math.MaxInt64/1e9-1 {
			whole, part := math.Modf(seconds)
			t, err = time.Unix(int64(whole), int64(part*1e9)), nil
		}
	}
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		q.fail(name, "got "+shown(v)+", want a time such as 2026-11-21T09:30:00Z, or seconds since 1970")
		return time.Time{}
	}
	return t
}

// shown is what a client sent, shortened, with everything spelled out that is not
// plain text.
func shown(s string) string { return strconv.QuoteToGraphic(clipped(s)) }

func clipped(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
