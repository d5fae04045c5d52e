// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

const (
	colorRed   = "\x1b[31m"
	colorBold  = "\x1b[1m"
	colorReset = "\x1b[0m"
)

// maxToolName is how many characters of a tool's name are printed.
const maxToolName = 32

// writeTable prints a summary as people read it: a row per tool, the overall row,
// and the top errors. Columns of policies nobody uses are left out.
func writeTable(w io.Writer, s *stats.Summary, color bool) error {
	hits := s.Overall.CacheHits+s.Overall.Coalesced+s.Overall.Repeated > 0
	width := len("tool")
	for i := range s.Tools {
		width = max(width, utf8.RuneCountInString(display.Clip(s.Tools[i].Tool, maxToolName)))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := fmt.Sprintf("%-*s\tcalls\terrors\trefused\t", width, "tool")
	if hits {
		head += "hits\t"
	}
	fmt.Fprintln(t, head+"p50\tp95\tp99\tmax\ttime\t")
	for i := range s.Tools {
		writeRow(t, &s.Tools[i], fmt.Sprintf("%-*s", width, display.Clip(s.Tools[i].Tool, maxToolName)), hits)
	}
	if len(s.Tools) != 1 {
		writeRow(t, &s.Overall, fmt.Sprintf("%-*s", width, "all"), hits)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeErrors(w, s, color)
}

func writeRow(w io.Writer, t *stats.ToolStats, name string, hits bool) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t", name, t.Calls, t.Errors, t.Refused)
	if hits {
		fmt.Fprintf(w, "%d\t", t.CacheHits+t.Coalesced+t.Repeated)
	}
	if t.Executed == 0 {
		fmt.Fprint(w, "-\t-\t-\t-\t-\t\n")
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", display.Milliseconds(t.P50Ms), display.Milliseconds(t.P95Ms),
		display.Milliseconds(t.P99Ms), display.Milliseconds(t.MaxMs), display.Percent(t.TimeShare))
}

// shownErrors is how many error groups are printed.
const shownErrors = 10

func writeErrors(w io.Writer, s *stats.Summary, color bool) error {
	if len(s.Errors) == 0 {
		return nil
	}
	bold, red, reset := colorBold, colorRed, colorReset
	if !color {
		bold, red, reset = "", "", ""
	}
	if _, err := fmt.Fprintf(w, "\n%sTop errors%s\n\n", bold, reset); err != nil {
		return err
	}
	width := 0
	for _, e := range s.Errors[:min(len(s.Errors), shownErrors)] {
		width = max(width, utf8.RuneCountInString(display.Clip(e.Tool, maxToolName)))
	}
	for _, e := range s.Errors[:min(len(s.Errors), shownErrors)] {
		_, err := fmt.Fprintf(w, "%6s  %-*s  %s%-17s%s  %s\n", strconv.FormatUint(e.Count, 10), width, display.Clip(e.Tool, maxToolName),
			red, display.Clip(e.Type, 17), reset, display.Clip(e.Message, 100))
		if err != nil {
			return err
		}
	}
	return nil
}
