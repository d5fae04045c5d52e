// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/toolkit"
)

// maxValue is the longest value of a parameter, in bytes.
const maxValue = 1 << 10

// MaxListed is the largest limit of a list.
const MaxListed = 1000

// A Query is the parameters of a request. Fields of parameters that were not given have their defaults.
type Query struct {
	Window stats.Window
	Sort   string // the name of an order of [SortTools]
	Limit  int
	Filter stats.Filter // without Limit
	Chosen uint64       // the parameter call; 0 for none
	Format string       // hgrm or hlog
	Fail   string       // never or degraded

	Values url.Values // as they were given
}

// The names of parameters that belong together.
var (
	WindowNames = []string{"window", "since", "until"}
	CallNames   = []string{"tool", "outcome", "error", "group", "session", "policy", "min_duration", "before", "after", "limit"}
)

// Parse reads the parameters of a URL, of which only those allowed may be given, each at most once. limit and window are
// the defaults of those parameters.
func Parse(u *url.URL, allowed []string, limit int, window stats.Window) (*Query, *answer.Problem) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, &answer.Problem{Status: http.StatusBadRequest, Detail: "the query is not percent-encoded name=value pairs"}
	}
	p := &parser{Query: Query{Window: window, Sort: Orders()[0], Limit: limit, Format: "hgrm", Fail: "never", Values: values}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name]; {
		case !slices.Contains(allowed, name):
			return nil, &answer.Problem{Status: http.StatusBadRequest, Parameter: display.Cut(name), Wanted: allowed,
				Detail: fmt.Sprintf("got a parameter %s, which this resource does not have", display.Quoted(name))}
		case len(v) > 1:
			p.fail(name, fmt.Sprintf("got it %d times, want it once", len(v)))
		case len(v[0]) > maxValue:
			p.fail(name, fmt.Sprintf("got %d bytes, want at most %d", len(v[0]), maxValue))
		}
	}
	if p.problem == nil {
		p.readValues()
	}
	return &p.Query, p.problem
}

// parser is a query that is read. It keeps the first problem.
type parser struct {
	Query
	problem *answer.Problem
}

// readValues reads every parameter that a resource can have.
func (p *parser) readValues() {
	f := &p.Filter
	p.readWindow()
	p.choice("sort", &p.Sort, Orders())
	p.choice("outcome", &f.Outcome, Outcomes())
	p.duration("min_duration", &f.MinDuration)
	p.number("before", &f.Before, 1, 1<<63)
	p.number("after", &f.After, 0, 1<<63)
	limit := uint64(p.Limit)
	p.number("limit", &limit, 1, MaxListed)
	p.Limit = int(limit)
	p.number("call", &p.Chosen, 1, 1<<63)
	p.choice("format", &p.Format, []string{"hgrm", "hlog"})
	p.choice("fail", &p.Fail, []string{"never", "degraded"})
	f.Tool, f.Session, f.Policy, f.ErrorGroup = p.Text("tool"), p.Text("session"), p.Text("policy"), p.Text("group")
	if f.ErrorType = p.Text("error"); f.ErrorType == "any" {
		f.ErrorType, f.ErrorsOnly = "", true
	}
	if g := f.ErrorGroup; g != "" {
		if _, err := strconv.ParseUint(g, 16, 64); err != nil || len(g) != 16 {
			p.fail("group", "got "+display.Quoted(g)+", want the id of an error group: 16 hexadecimal digits")
		}
	}
}

// Outcomes are the values of the parameter outcome.
func Outcomes() (names []string) {
	for _, o := range toolkit.Outcomes() {
		names = append(names, o.String())
	}
	return names
}

func (p *parser) fail(name, detail string, wanted ...string) {
	if p.problem == nil {
		p.problem = answer.BadParameter(name, detail, wanted...)
	}
}

// Text is a parameter as it was given; "" if it was not.
func (q *Query) Text(name string) string { return q.Values.Get(name) }

// choice reads one of several values.
func (p *parser) choice(name string, to *string, among []string) {
	switch v := p.Text(name); {
	case v == "":
	case slices.Contains(among, v):
		*to = v
	default:
		p.fail(name, "got "+display.Quoted(v)+", want one of those listed", among...)
	}
}

// number reads a whole number from low to high.
func (p *parser) number(name string, to *uint64, low, high uint64) {
	v := p.Text(name)
	if v == "" {
		return
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil || n < low || n > high {
		p.fail(name, fmt.Sprintf("got %s, want a whole number from %d to %d", display.Quoted(v), low, high))
		return
	}
	*to = n
}

// duration reads a duration such as 250ms or 1.5s.
func (p *parser) duration(name string, to *time.Duration) {
	v := p.Text(name)
	if v == "" {
		return
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		p.fail(name, "got "+display.Quoted(v)+", want a duration of 0 or more such as 250ms or 1.5s")
		return
	}
	*to = d
}

// readWindow reads the window by its name or by its bounds.
func (p *parser) readWindow() {
	name, since, until := p.Text("window"), p.time("since"), p.time("until")
	switch w := (stats.Window{Since: since, Until: until}); {
	case p.problem != nil:
	case since.IsZero() && until.IsZero():
		if name == "" {
			return
		}
		var err error
		if p.Window, err = stats.ParseWindow(name); err != nil {
			p.fail("window", "got "+display.Quoted(name)+", want one of those listed", stats.WindowNames()...)
		}
	case name != "":
		p.fail("window", "got it beside since or until, want one of the two")
	case w.Validate() != nil:
		p.fail("until", fmt.Sprintf("got %s, want a time after since, %s", bound(until), bound(since)))
	default:
		p.Window = w
	}
}

// bound is a bound of a window as text.
func bound(t time.Time) string {
	if t.IsZero() {
		return ".."
	}
	return t.UTC().Format(time.RFC3339)
}

// time is a time in RFC 3339 form or in seconds since 1970; zero if none is given. Years outside of 1970 to 2261 are
// errors: nanoseconds in 64 bits do not reach them.
func (p *parser) time(name string) time.Time {
	v := p.Text(name)
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
		p.fail(name, "got "+display.Quoted(v)+", want a time such as 2026-11-21T09:30:00Z, or seconds since 1970")
		return time.Time{}
	}
	return t
}
