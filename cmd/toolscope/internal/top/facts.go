// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// facts is what is said of the one thing that a place shows.
func (m *Model) facts(pl *place, p screen.Paint) []string {
	switch pl.kind {
	case oneTool:
		return m.toolFacts(pl.key, p)
	case oneSession:
		return m.sessionFacts(pl.key, p)
	case oneError:
		return m.errorFacts(pl.key, p)
	case oneCall:
		return m.callFacts(&pl.call, p)
	case oneRunning:
		return m.runningFacts(&pl.running, p)
	case oneFrame:
		return m.frameFacts(&pl.frame, p)
	}
	return nil
}

// fact is a name and its value; "" if there is no value.
func fact(name, value string) string { return some(value != "", name+" "+value) }

// counted is a fact unless n is 0, and spent one unless ms is.
func counted(name string, n uint64) string { return fact(name, some(n > 0, display.Count(n))) }
func spent(name string, ms float64) string { return fact(name, some(ms > 0, display.Milliseconds(ms))) }

func (m *Model) toolFacts(name string, p screen.Paint) []string {
	x := m.state.tool(name)
	if x == nil {
		return []string{p.In(screen.Quiet, "No calls of this tool in this window.")}
	}
	failed := fmt.Sprintf("errors %s (%s)", display.Percent(x.ErrorRate), display.Count(x.Errors))
	lines := joined(m.width, []string{
		display.Number(x.Calls, "call"), fact("rate", display.Rate(x.Calls, x.CallsPerSecond)),
		p.In(some(x.Errors > 0, screen.Red), failed),
		some(x.InFlight > 0, p.In(screen.Amber, fmt.Sprint(x.InFlight, " running"))),
		fact("hits", some(x.HitRatio > 0, display.Percent(x.HitRatio))),
		counted("refused", x.Refused), counted("retries", x.Retries),
		some(x.Streak > 1, p.In(screen.Red, fmt.Sprint(x.Streak, " failures in a row"))),
	})
	ran := func(name string, ms float64) string { return fact(name, summary.Ran(x, ms)) }
	lines = append(lines, joined(m.width, []string{
		ran("p50", x.P50Ms), ran("p90", x.P90Ms), ran("p95", x.P95Ms), p.In(screen.Bold, ran("p99", x.P99Ms)),
		ran("p99.9", x.P999Ms), ran("max", x.MaxMs), ran("mean", x.MeanMs),
	})...)
	lines = append(lines, before(x, m.width)...)
	var more []string
	for _, e := range x.ErrorTypes {
		more = append(more, p.In(screen.Red, screen.Safe(e.Type)+" "+display.Count(e.Count)))
	}
	for _, w := range []struct {
		name string
		wait *stats.Wait
	}{{"queue", x.Queue}, {"approval", x.Approval}, {"backoff", x.Backoff}} {
		if w.wait != nil {
			p95 := display.Milliseconds(w.wait.P95Ms)
			more = append(more, fmt.Sprintf("%s waited in %s, p95 %s", display.Count(w.wait.Count), w.name, p95))
		}
	}
	more = append(more, some(x.BytesIn > 0, "arguments "+display.Bytes(x.BytesIn)),
		some(x.BytesOut > 0, "results "+display.Bytes(x.BytesOut)))
	lines = append(lines, joined(m.width, more)...)
	if trend := screen.Spark(m.state.Trend[name], max(1, m.width-8)); strings.TrimSpace(trend) != "" {
		lines = append(lines, "trend   "+p.In(screen.Blue, trend))
	}
	return append(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "")
}

// before compares a tool with the window before.
func before(x *stats.ToolStats, cells int) []string {
	if x.Previous == nil {
		return nil
	}
	calls, _ := display.Change(x.Previous.CallsPerSecond, x.CallsPerSecond)
	p99, _ := display.Change(x.Previous.P99Ms, x.P99Ms)
	errors, _ := display.Points(x.Previous.ErrorRate, x.ErrorRate)
	if calls+p99 == "" {
		return nil
	}
	return joined(cells, []string{"against the window before:", fact("calls", calls), fact("p99", p99), fact("errors", errors)})
}

func (m *Model) sessionFacts(id string, p screen.Paint) []string {
	var lines []string
	for _, s := range m.state.Sessions {
		if s.Session != id {
			continue
		}
		lines = joined(m.width, []string{
			display.Number(s.Calls, "call"), p.In(some(s.Errors > 0, screen.Red), display.Number(s.Errors, "error")),
			fact("worst row of errors", some(s.WorstStreak > 1, display.Count(s.WorstStreak))),
			counted("refused", s.Refused), counted("turns", s.Turns),
			fact("in tools", display.Milliseconds(s.RunMs)), spent("waited", s.WaitMs),
			fact("cost", some(s.Cost > 0, display.Three(s.Cost))),
			fact("agent", screen.Safe(s.Agent)), fact("tenant", screen.Safe(s.Tenant)),
			fact("first seen", m.ago(s.FirstSeen)), fact("last seen", m.ago(s.LastSeen)),
		})
		break
	}
	for _, l := range m.state.Loops {
		if l.Session == id && l.Times > 1 {
			text := fmt.Sprintf("loop: the same call of %s %s", screen.Safe(l.Tool), display.Number(l.Times, "time"))
			if l.Stopped > 0 {
				text += ", stopped " + display.Number(l.Stopped, "time")
			}
			lines = append(lines, p.In(screen.Amber, screen.Clip(text, m.width)))
		}
	}
	return append(lines, "")
}

func (m *Model) errorFacts(id string, p screen.Paint) []string {
	for _, g := range m.state.Summary.Errors {
		if g.ID != id {
			continue
		}
		count := display.Number(g.Count, "time")
		if g.CountMax > g.Count {
			count = display.Count(g.Count) + " to " + display.Count(g.CountMax) + " times"
		}
		lines := joined(m.width, []string{
			p.In(screen.Bold, screen.Safe(g.Tool)), p.In(screen.Red, screen.Safe(g.Type)), count,
			"first " + m.ago(g.FirstSeen), "last " + m.ago(g.LastSeen),
		})
		lines = append(lines, screen.Wrap(g.Message, m.width)...)
		if g.Example != "" && g.Example != g.Message {
			lines = append(append(lines, p.In(screen.Quiet, "for example")), screen.Wrap(g.Example, m.width)...)
		}
		for _, t := range g.TraceIDs {
			lines = append(lines, p.In(screen.Quiet, screen.Clip("trace "+screen.Safe(t), m.width)))
		}
		return append(lines, "")
	}
	return []string{p.In(screen.Quiet, "This error is not in this window."), ""}
}

func (m *Model) callFacts(c *Call, p screen.Paint) []string {
	end, colour := ended(c)
	tags := make([]string, 0, len(c.Policies))
	for _, t := range c.Policies {
		tags = append(tags, screen.Safe(t.Key)+some(t.Value != "", "="+screen.Safe(t.Value)))
	}
	ran := some(c.RunMs > 0 && c.RunMs != c.DurationMs, display.Milliseconds(c.RunMs))
	lines := joined(m.width, append([]string{
		p.In(screen.Bold, screen.Safe(c.Tool)), p.In(colour, end), "took " + display.Milliseconds(c.DurationMs),
		fact("ran", ran), spent("in the queue", c.QueueMs), spent("waited for a person", c.ApprovalMs),
		spent("before retries", c.BackoffMs), spent("answer made before", c.AgeMs),
		fact("attempts", some(c.Attempts > 1, fmt.Sprint(c.Attempts))),
		fact("made before", some(c.Repeat > 0, display.Number(uint64(c.Repeat), "time"))),
		"began " + m.moment(c.Time), fact("session", screen.Safe(c.Session)), fact("agent", screen.Safe(c.Agent)),
		fact("turn", some(c.Turn > 0, fmt.Sprint(c.Turn))), fact("program", screen.Safe(c.Program)),
		fact("trace", c.TraceID), fact("span", c.SpanID), fact("answered by trace", c.OriginTraceID),
	}, tags...))
	if c.Error != "" {
		lines = append(append(lines, "", p.In(screen.Red, "Error")), screen.Wrap(c.Error, m.width)...)
	}
	content, known := m.content(c)
	if !known {
		return append(lines, "", p.In(screen.Quiet, "Asking for arguments and result …"))
	}
	if content.Why != "" {
		lines = append(append(lines, ""), screen.Wrap(content.Why, m.width)...)
	}
	lines = append(lines, block("Arguments", content.Arguments, m.width, p)...)
	return append(lines, block("Result", content.Result, m.width, p)...)
}

func (m *Model) moment(at time.Time) string {
	if at.IsZero() {
		return "–"
	}
	return at.In(m.options.Zone).Format("2006-01-02 15:04:05.000")
}

// block is a text under a title, JSON indented; none if the text is "".
func block(title, text string, cells int, p screen.Paint) []string {
	if text == "" {
		return nil
	}
	var indented strings.Builder
	trimmed := strings.TrimSpace(text)
	if trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && len(text) <= screen.MaxWrapped {
		var v json.RawMessage
		if json.Unmarshal([]byte(trimmed), &v) == nil {
			e := json.NewEncoder(&indented)
			e.SetIndent("", "  ")
			e.SetEscapeHTML(false)
			_ = e.Encode(v)
			text = indented.String()
		}
	}
	return append([]string{"", p.In(screen.Bold, title)}, screen.Wrap(text, cells)...)
}

func (m *Model) runningFacts(c *Running, p screen.Paint) []string {
	state := p.In(screen.Green, "has ended; the list of calls has it")
	for i := range m.state.Running {
		if m.state.Running[i].rowKey() == c.rowKey() {
			state = p.In(screen.Amber, "running for "+stopwatch(m.elapsed(&m.state.Running[i])))
		}
	}
	lines := joined(m.width, []string{
		p.In(screen.Bold, screen.Safe(c.Tool)), state, "since " + m.moment(c.Start),
		fact("session", screen.Safe(c.Session)), fact("agent", screen.Safe(c.Agent)),
		fact("program", screen.Safe(c.Program)), fact("trace", c.TraceID), fact("span", c.SpanID),
	})
	if x := m.state.tool(c.Tool); x != nil && x.Executed > 0 {
		ran := func(name string, ms float64) string { return fact(name, summary.Ran(x, ms)) }
		lines = append(lines, joined(m.width, []string{
			"its tool took:", ran("p50", x.P50Ms), ran("p95", x.P95Ms), ran("p99", x.P99Ms), ran("max", x.MaxMs),
		})...)
	}
	return append(lines, block("Arguments", c.Arguments, m.width, p)...)
}
