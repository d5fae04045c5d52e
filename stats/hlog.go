// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"io"
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// WriteHgrm writes the percentile distribution in HdrHistogram's .hgrm form, in milliseconds.
func (h *Histogram) WriteHgrm(w io.Writer) error { return h.raw().WriteHgrm(w) }

// WriteHlog writes the running times of a tool's executed calls in HdrHistogram's .hlog form: a line
// for each snapshot in which it ran, with the tool's name as the tag (what a tag may not have is
// replaced by "_"). All tools together if tool is "".
func WriteHlog(w io.Writer, tool string, intervals ...*Snapshot) error {
	var start time.Time
	if len(intervals) > 0 {
		start = intervals[0].From
	}
	return histogram.WriteHlog(w, tool, start, func(yield func(histogram.Interval) bool) {
		for _, s := range intervals {
			if !yield(histogram.Interval{From: s.From, To: s.To, Histogram: s.Executed(tool).raw()}) {
				return
			}
		}
	})
}

// Executed is the running times of a tool's executed calls, those of all tools if the name is "".
func (s *Snapshot) Executed(tool string) *Histogram {
	var all []*histogram.Histogram
	for i := range s.Tools {
		if tool == "" || s.Tools[i].Tool == tool {
			all = append(all, s.Tools[i].Executed.raw())
		}
	}
	return (*Histogram)(histogram.Merge(all...))
}
