// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"html/template"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/plot"
	"github.com/toolscope/toolscope/stats"
)

// A ToolRow is a tool's row in the table of tools.
type ToolRow struct {
	stats.ToolStats
	Href         string
	Current      bool
	Distribution template.HTML
	Trend        template.HTML
	Share        template.HTML
	HasRun       bool
}

// NewToolRow makes the row of a tool without its link. executed is the running times of its calls.
func NewToolRow(t stats.ToolStats, executed *stats.Histogram, axis plot.Scale, l plot.Line) ToolRow {
	return ToolRow{
		ToolStats: t, HasRun: t.Executed > 0, Distribution: plot.Distribution(executed, axis), Share: plot.Share(t.TimeShare),
		Trend: plot.Trend(l.Calls, l.Errors, "Calls of "+display.Clip(t.Tool, 60)+" over time, errors in front"),
	}
}

// Heat is the heat map of a span of time.
func Heat(columns []plot.HeatColumn, axis plot.Scale, from, to time.Time) plot.HeatMap {
	return plot.Heat(columns, axis, "Heat map of running times from "+from.Format(time.DateTime)+" to "+
		to.Format(time.DateTime)+", with lines for the median and the 99th percentile")
}
