// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

type point struct{ x, y float64 }

type series struct {
	label  string
	points []point
}

// chart is a picture of series on two logarithmic axes: a cost that does not grow is a
// level line, one that grows in proportion climbs as steeply as the grid's diagonal.
type chart struct {
	title, across string
	time          bool // values are seconds, else bytes
	series        []series
}

// The picture's measures, in pixels.
const (
	width, height = 720, 380
	left, right   = 70, 210
	top, bottom   = 40, 50
)

// colours are distinguishable for most people with a colour vision deficiency (Okabe and Ito).
var colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}

// svg draws the chart, on white, so that it can be read on a page of any colour.
func (c *chart) svg() string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
			`font-family="sans-serif" font-size="12" role="img">`+"\n",
		width, height, width, height,
	)
	fmt.Fprintf(&b, `<title>%s</title><rect width="100%%" height="100%%" fill="#fff"/>`+"\n", html.EscapeString(c.title))
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(c.title))
	x, y := c.scales()
	for e := x.from; e <= x.to; e++ {
		at := x.at(math.Pow10(e))
		fmt.Fprintf(
			&b,
			`<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, top, height-bottom, at, height-bottom+18, count(e),
		)
	}
	for e := y.from; e <= y.to; e++ {
		at := y.at(math.Pow10(e))
		fmt.Fprintf(
			&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, at, width-right, left-6, at+4, c.value(e),
		)
	}
	fmt.Fprintf(
		&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+width-right)/2, height-12,
		html.EscapeString(c.across),
	)
	for i, s := range c.series {
		colour := colours[i%len(colours)]
		b.WriteString(`<path fill="none" stroke-width="2" stroke="` + colour + `" d="`)
		for n, p := range s.points {
			fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(n, 1)], x.at(p.x), y.at(p.y))
		}
		b.WriteString("\"/>\n")
		for _, p := range s.points {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x.at(p.x), y.at(p.y), colour)
		}
		fmt.Fprintf(
			&b, "\n"+`<text x="%d" y="%d" fill="%s">%s</text>`+"\n", width-right+12, top+12+18*i, colour,
			html.EscapeString(s.label),
		)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// An axis maps values to pixels by their logarithm, between two powers of ten.
type axis struct {
	from, to     int
	first, along float64 // the pixel of 10^from, and the pixels up to 10^to
}

func (a axis) at(v float64) float64 {
	return a.first + a.along*(math.Log10(v)-float64(a.from))/float64(max(1, a.to-a.from))
}

// scales are axes that hold all points.
func (c *chart) scales() (x, y axis) {
	low, high := point{math.Inf(1), math.Inf(1)}, point{}
	for _, s := range c.series {
		for _, p := range s.points {
			low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	power := func(v float64, round func(float64) float64) int { return int(round(math.Log10(v))) }
	x = axis{power(low.x, math.Floor), power(high.x, math.Ceil), left, width - right - left}
	y = axis{power(low.y, math.Floor), power(high.y, math.Ceil), height - bottom, -(height - bottom - top)}
	return x, y
}

// count writes 10^e.
func count(e int) string {
	switch {
	case e >= 6:
		return fmt.Sprintf("%.0f M", math.Pow10(e-6))
	case e >= 4:
		return fmt.Sprintf("%.0f k", math.Pow10(e-3))
	}
	return fmt.Sprintf("%.0f", math.Pow10(e))
}

// value writes 10^e of what the chart's values are.
func (c *chart) value(e int) string {
	if c.time {
		return duration(math.Pow10(e))
	}
	switch {
	case e >= 6:
		return fmt.Sprintf("%.0f MB", math.Pow10(e-6))
	case e >= 3:
		return fmt.Sprintf("%.0f kB", math.Pow10(e-3))
	}
	return fmt.Sprintf("%.0f B", math.Pow10(e))
}
