// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"bytes"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// Text returns a summary as plain-text tables. note is a sentence below the title; "" for none.
func Text(title, note string, s *stats.Summary) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", display.Plain(title))
	if note != "" {
		fmt.Fprintln(&b, note)
	}
	if len(s.Tools) == 0 {
		b.WriteString("No calls.\n")
		return b.Bytes()
	}
	fmt.Fprintf(&b, "%s to %s\n\n", s.From.Format(time.RFC3339), s.To.Format(time.RFC3339))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tCALLS\tERRORS\tMEDIAN\tP95\tP99\tLONGEST\tTIME")
	all := s.Overall
	all.Tool = "all"
	for _, t := range append([]stats.ToolStats{all}, s.Tools...) {
		times := "–\t–\t–\t–"
		if t.Executed > 0 {
			times = display.Milliseconds(t.P50Ms) + "\t" + display.Milliseconds(t.P95Ms) + "\t" +
				display.Milliseconds(t.P99Ms) + "\t" + display.Milliseconds(t.MaxMs)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", display.Clip(t.Tool, 60), display.Count(t.Calls), display.Count(t.Errors), times,
			display.Milliseconds(t.TotalMs))
	}
	_ = w.Flush() // to a buffer
	if len(s.Errors) == 0 {
		return b.Bytes()
	}
	b.WriteString("\n")
	fmt.Fprintln(w, "ERRORS\tTOOL\tTYPE\tMESSAGE")
	for _, g := range s.Errors {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", display.Count(g.Count), display.Clip(g.Tool, 40), display.Plain(g.Type),
			display.Clip(g.Message, 200))
	}
	_ = w.Flush()
	return b.Bytes()
}
