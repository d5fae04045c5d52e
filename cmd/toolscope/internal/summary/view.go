// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package summary

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// How many rows are printed of what there may be more of.
const (
	listedErrors   = 10
	listedSessions = 10
)

// View is what the stats and report commands print: the same tables, for a running
// program and for a log.
type View struct {
	Snapshot *stats.Snapshot
	Before   *stats.Snapshot      // of the window before; nil if there is none
	Sessions []stats.SessionStats // nil to print none
	Loops    []stats.Loop
	Window   string // "" for the span that the snapshot has
	Tool     string // "" for all
	Sort     string // one of [OrderNames]
	Rows     int    // how many tools are printed; 0 for all
	// Latest is when the latest call ended, if the snapshot has none; zero if that is not known.
	Latest time.Time
}

// JSON is a view as --json prints it.
type JSON struct {
	Source string `json:"source"`
	*stats.Summary
	Sessions []stats.SessionStats `json:"sessions,omitempty"`
	Loops    []stats.Loop         `json:"loops,omitempty"`
	Log      *logfile.Counts      `json:"log,omitempty"`
}

// JSON returns what --json prints of a view.
func (v *View) JSON(source string) JSON {
	return JSON{Source: source, Summary: v.Summary(), Sessions: v.Sessions, Loops: v.Loops}
}

// Summary is that of the tools shown, sorted.
func (v *View) Summary() *stats.Summary {
	s := stats.Summarise(v.selected(v.Snapshot), v.selected(v.Before))
	if v.Window != "" {
		s.Window = v.Window
	}
	SortTools(s.Tools, v.Sort)
	return s
}

// selected is what a snapshot has of the tool that is asked for.
func (v *View) selected(s *stats.Snapshot) *stats.Snapshot {
	if s == nil || v.Tool == "" {
		return s
	}
	some := *s
	some.Tools = slices.DeleteFunc(slices.Clone(s.Tools), func(t stats.ToolSnapshot) bool { return t.Tool != v.Tool })
	some.Errors = slices.DeleteFunc(slices.Clone(s.Errors), func(g stats.ErrorGroup) bool { return g.Tool != v.Tool })
	some.OtherErrors, some.MaxUnlisted = 0, 0
	return &some
}

// Print writes the tables. timed is false for a log without times.
func (v *View) Print(w io.Writer, source string, timed bool) error {
	var b strings.Builder
	v.Write(&b, source, screen.PaintFor(w), timed)
	_, err := io.WriteString(w, b.String())
	return err
}

// Write writes the tables in the given paint.
func (v *View) Write(b *strings.Builder, source string, p screen.Paint, timed bool) {
	s := v.Summary()
	v.writeTitle(b, display.Clip(source, 100), s, p, timed)
	if len(s.Tools) == 0 {
		b.WriteString("No calls.")
		if !v.Latest.IsZero() {
			fmt.Fprintf(b, " The latest ended at %s: --window total shows all.", v.Latest.Local().Format(time.DateTime))
		}
		b.WriteString("\n")
		return
	}
	tools := v.tools(s)
	tools.Print(b, p)
	if tools.Note != "" {
		b.WriteString(tools.Note + "\n")
	}
	for _, t := range []*screen.Table{errorTable(s), policyTable(s), v.sessionTable()} {
		if len(t.Rows) > 0 {
			b.WriteString("\n")
			t.Print(b, p)
		}
		if t.Note != "" {
			b.WriteString(t.Note + "\n")
		}
	}
}

// writeTitle writes what the tables are of.
func (v *View) writeTitle(b *strings.Builder, source string, s *stats.Summary, p screen.Paint, timed bool) {
	facts := ""
	if timed {
		facts += fmt.Sprintf("  %s to %s", s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime))
	}
	if v.Window != "" {
		facts += "  window " + display.Clip(v.Window, 60)
	}
	if s.Processes > 1 {
		facts += fmt.Sprintf("  %d processes", s.Processes)
	}
	if s.Overall.Previous != nil {
		facts += "  ± against the window before"
	}
	b.WriteString(p.In(screen.Bold, source))
	if p.Cells > 0 && screen.Width(source+facts) > p.Cells {
		b.WriteString("\n")
		facts = strings.TrimPrefix(facts, "  ")
	}
	b.WriteString(p.In(screen.Quiet, facts) + "\n\n")
}
