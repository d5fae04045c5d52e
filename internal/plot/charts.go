// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// The sizes of the plots, in units of their pictures.
const (
	distColumns, distWidth, distHeight = 44, 176, 30
	sparkWidth, sparkHeight            = 100, 30
	heatRows                           = 26
)

// Distribution draws how often which running times occurred, all on one axis
// that tools can be compared on. What lies beyond p95 and p99 has colours of its own; a
// line stands at the median.
func Distribution(h *stats.Histogram, axis Scale) template.HTML {
	if h.Count() == 0 {
		return ""
	}
	p50, p95, p99 := h.Quantile(0.5), h.Quantile(0.95), h.Quantile(0.99)
	name := fmt.Sprintf("p50 %s, p95 %s, p99 %s, longest %s, of %s calls that ran",
		display.Duration(p50), display.Duration(p95), display.Duration(p99), display.Duration(h.Max()), display.Count(h.Count()))
	s := newSVG("dist", distWidth, distHeight, true, name)
	counts := axis.counts(h, distColumns)
	most := float64(slices.Max(counts))
	const step, base = float64(distWidth) / distColumns, distHeight - 1
	s.line("axis", 0, base+0.5, distWidth, base+0.5)
	for i, n := range counts {
		if n == 0 {
			continue
		}
		class, from := "bar", axis.value(float64(i)/distColumns)
		switch {
		case from >= p99:
			class = "bar far"
		case from >= p95:
			class = "bar tail"
		}
		height := max(1.5, float64(n)/most*(base-1))
		s.rect(class, float64(i)*step, base-height, step-0.6, height)
	}
	x := axis.at(p50) * distWidth
	s.line("median", x, 0, x, base)
	return s.html()
}

// Axis labels the axis of distributions, as many decades as there is room for.
func Axis(axis Scale) template.HTML {
	s := newSVG("axis", distWidth, 12, false, "the axis of running times")
	const room = 40.0
	free := 0.0
	for _, t := range axis.decades() {
		x := t.At * distWidth
		if x < free || x > distWidth-room/2 {
			continue
		}
		s.line("axis", x, 9, x, 12)
		s.text("label", x+2, 10, t.Label)
		free = x + room + 8
	}
	return s.html()
}

// Trend draws values over time as an area, with those of bad, if there are
// any, in front of it. The name says what they are.
func Trend(values, bad []float64, name string) template.HTML {
	if len(values) == 0 {
		return ""
	}
	s := newSVG("trend", sparkWidth, sparkHeight, true, name)
	top := slices.Max(values)
	place := func(values []float64) []point {
		points := make([]point, len(values))
		for i, v := range values {
			x := sparkWidth / 2.0
			if len(values) > 1 {
				x = float64(i) / float64(len(values)-1) * sparkWidth
			}
			points[i] = point{x, sparkHeight - 1}
			if top > 0 {
				points[i].Y -= v / top * (sparkHeight - 3)
			}
		}
		return points
	}
	points := place(values)
	s.area("fill", points, sparkHeight)
	s.polyline("stroke", points, sparkWidth)
	if len(bad) == len(values) && slices.Max(bad) > 0 {
		s.area("fill bad", place(bad), sparkHeight)
	}
	return s.html()
}

// HeatColumn is one part of the time that a heat map shows.
type HeatColumn struct {
	From, To time.Time
	Executed *stats.Histogram
}

// HeatMap is a picture with its axes, which are text of the page, so that the
// picture can be stretched and the text not.
type HeatMap struct {
	Picture template.HTML
	Y       template.HTML // the labels of the durations, a picture of fixed size
	X       []string      // the labels of times, evenly spread from left to right
}

const heatHeight = 208.0

// Heat draws how many calls took how long, over time: a stronger colour is more. Lines
// follow the median and the 99th percentile.
func Heat(columns []HeatColumn, axis Scale, name string) HeatMap {
	n := len(columns)
	if n == 0 {
		return HeatMap{}
	}
	const row = heatHeight / heatRows
	s := newSVG("heat", float64(n), heatHeight, true, name)
	counts, most := make([][]uint64, n), uint64(1)
	for i, c := range columns {
		counts[i] = axis.counts(c.Executed, heatRows)
		most = max(most, slices.Max(counts[i]))
	}
	for _, t := range axis.decades() {
		y := (1 - t.At) * heatHeight
		s.line("grid", 0, y, float64(n), y)
	}
	var shades [heatShades + 1][]point // the cells of each shade, by their upper left corner
	median, p99 := make([]point, n), make([]point, n)
	for i, c := range columns {
		for r, count := range counts[i] {
			if shade := heatShade(count, most); shade > 0 {
				shades[shade] = append(shades[shade], point{float64(i), heatHeight - float64(r+1)*row})
			}
		}
		median[i], p99[i] = point{float64(i) + 0.5, math.NaN()}, point{float64(i) + 0.5, math.NaN()}
		if c.Executed.Count() > 0 {
			median[i].Y = (1 - axis.at(c.Executed.Quantile(0.5))) * heatHeight
			p99[i].Y = (1 - axis.at(c.Executed.Quantile(0.99))) * heatHeight
		}
	}
	for shade, cells := range shades {
		s.cells("h"+strconv.Itoa(shade), cells, 1, row)
	}
	s.polyline("p99", p99, 1)
	s.polyline("p50", median, 1)
	for i, c := range columns { // on top, so that pointers find the column's figures
		text := c.From.Format(ClockLayout) + ": no calls"
		if h := c.Executed; h.Count() > 0 {
			text = fmt.Sprintf("%s: %s calls ran, p50 %s, p99 %s, longest %s", c.From.Format(ClockLayout), display.Count(h.Count()),
				display.Duration(h.Quantile(0.5)), display.Duration(h.Quantile(0.99)), display.Duration(h.Max()))
		}
		s.namedRect("column", float64(i), 0, 1, heatHeight, text)
	}
	return HeatMap{Picture: s.html(), Y: heatLabels(axis), X: timeLabels(columns[0].From, columns[n-1].To)}
}

// Share draws a part of the time spent in tools.
func Share(part float64) template.HTML { return Bar(part, "of the time spent in tools") }

// Bar draws a part of 1; of says what it is a part of.
func Bar(part float64, of string) template.HTML {
	s := newSVG("share", 100, 6, true, display.Percent(part)+" "+of)
	s.rect("rest", 0, 0, 100, 6)
	s.rect("part", 0, 0, 100*min(1, max(0, part)), 6)
	return s.html()
}

// heatShades is how many shades a heat map has.
const heatShades = 9

// heatShade is 1 to heatShades, by the square root, so that single slow calls can be
// seen beside thousands of quick ones; 0 for none.
func heatShade(count, most uint64) int {
	if count == 0 {
		return 0
	}
	return min(heatShades, max(1, int(math.Ceil(math.Sqrt(float64(count)/float64(most))*heatShades))))
}

func heatLabels(axis Scale) template.HTML {
	s := newSVG("ylabels", 52, heatHeight, false, "the axis of running times")
	for _, t := range axis.decades() {
		s.text("label", 46, min(heatHeight-3, max(10, (1-t.At)*heatHeight+4)), t.Label)
	}
	return s.html()
}

// ClockLayout is how times of day are shown.
const ClockLayout = "15:04:05"

// timeLabels are five times from left to right.
func timeLabels(from, to time.Time) []string {
	layout := ClockLayout
	switch span := to.Sub(from); {
	case span > 36*time.Hour:
		layout = "Jan 2 15:04"
	case span > 20*time.Minute:
		layout = "15:04"
	}
	labels := make([]string, 5)
	for i := range labels {
		labels[i] = from.Add(to.Sub(from) * time.Duration(i) / 4).Format(layout)
	}
	return labels
}

// A Line is the calls and errors of a tool, or of all, over time.
type Line struct{ Calls, Errors []float64 }
