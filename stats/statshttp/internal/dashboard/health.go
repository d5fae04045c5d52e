// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
)

// errorPart is the table of error groups.
type errorPart struct {
	Rows  []errorRow
	Note  string // what is not listed
	Clear string // leads away from the group that calls are shown of; "" if there is none
}

type errorRow struct {
	stats.ErrorGroup
	Trend    template.HTML
	Seen     string
	Traces   []traceLink
	Calls    string // leads to the calls
	Current  bool
	Sureness string // by how much the count may be too low; "" if it is exact
}

func (p *page) errorPart() (part errorPart) {
	groups := api.GroupsOf(p.summary.Errors, p.tool)
	for _, g := range api.Head(groups, maxErrors) {
		trend := make([]float64, len(g.Trend))
		for i, n := range g.Trend {
			trend[i] = float64(n)
		}
		row := errorRow{
			ErrorGroup: g, Trend: plot.Trend(trend, nil, "Errors of this kind over time"),
			Seen:  "latest " + ago(p.Now.Sub(g.LastSeen)) + ", first " + ago(p.Now.Sub(g.FirstSeen)),
			Calls: p.href("group", g.ID, "call", "") + "#calls", Current: g.ID == p.Filter.ErrorGroup,
		}
		if g.CountMax > g.Count {
			row.Sureness = "at most " + display.Count(g.CountMax)
		}
		for i, id := range g.TraceIDs {
			row.Traces = append(row.Traces, traceLink{"trace " + strconv.Itoa(i+1), id, p.TraceURL(id)})
		}
		if row.Current {
			part.Clear = p.href("group", "", "call", "") + "#errors"
		}
		part.Rows = append(part.Rows, row)
	}
	if more := len(groups) - len(part.Rows); more > 0 {
		part.Note = fmt.Sprintf("%d more groups. ", more)
	}
	if s := p.summary; s.OtherErrors > 0 && p.tool == "" {
		part.Note += fmt.Sprintf("%s errors belong to no group kept; none of those occurred more than %s times.",
			display.Count(s.OtherErrors), display.Count(s.MaxUnlisted))
	}
	return part
}

// ago is how long something is past, coarsely.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// healthPart is what the page says of sessions, loops and streaks.
type healthPart struct {
	*stats.Health
	Rows []sessionRow
	More int
}

type sessionRow struct {
	stats.SessionStats
	Href  string
	Seen  string
	Loops []loopRow
}

type loopRow struct {
	stats.Loop
	Trace traceLink
}

func (p *page) healthPart() healthPart {
	part := healthPart{Health: p.Recorder.Health(p.Window)}
	part.Streaks = api.Head(slices.DeleteFunc(part.Streaks, func(s stats.Streak) bool {
		return s.Worst < 3 || p.tool != "" && s.Tool != p.tool
	}), 5)
	loops := p.Recorder.Loops()
	for _, s := range p.Recorder.Sessions(maxSessions) {
		row := sessionRow{
			SessionStats: s, Href: p.href("session", s.Session, "call", "") + "#calls", Seen: ago(p.Now.Sub(s.LastSeen)),
		}
		for _, l := range loops {
			if l.Session == s.Session && len(row.Loops) < maxLoops {
				row.Loops = append(row.Loops, loopRow{l, traceLink{"trace", l.TraceID, p.TraceURL(l.TraceID)}})
			}
		}
		part.Rows = append(part.Rows, row)
	}
	part.More = max(0, part.Sessions-len(part.Rows))
	return part
}
