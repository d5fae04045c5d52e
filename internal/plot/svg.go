// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
)

// svg writes one picture. It is the few elements that the dashboard's plots are
// made of. The plotting libraries looked at draw on fonts and bitmaps of their
// own and set colours as attributes, so that a page could neither follow a dark
// scheme nor forbid inline styles; here colours are classes of the page's style
// sheet, texts are escaped, and a number that is none is drawn as 0.
type svg struct{ b strings.Builder }

// newSVG begins a picture of w by h units with a name that screen readers read
// and pointers show. A stretched one fills whatever room its class gives it, lines
// keeping their width.
func newSVG(class string, w, h float64, stretched bool, name string) *svg {
	s := &svg{}
	s.b.WriteString(`<svg class="`)
	s.b.WriteString(class)
	s.b.WriteString(`" role="img" viewBox="0 0 `)
	s.number(w)
	s.b.WriteByte(' ')
	s.number(h)
	s.b.WriteByte('"')
	if stretched {
		s.b.WriteString(` preserveAspectRatio="none"`)
	} else {
		s.attr("width", w)
		s.attr("height", h)
	}
	s.b.WriteByte('>')
	s.title(name)
	return s
}

func (s *svg) title(name string) {
	s.b.WriteString("<title>")
	s.escape(name)
	s.b.WriteString("</title>")
}

func (s *svg) rect(class string, x, y, w, h float64) {
	s.openRect(class, x, y, w, h)
	s.b.WriteString("/>")
}

// namedRect is a rectangle that pointers show a text for.
func (s *svg) namedRect(class string, x, y, w, h float64, name string) {
	s.openRect(class, x, y, w, h)
	s.b.WriteByte('>')
	s.title(name)
	s.b.WriteString("</rect>")
}

func (s *svg) openRect(class string, x, y, w, h float64) {
	s.b.WriteString(`<rect class="`)
	s.b.WriteString(class)
	s.b.WriteByte('"')
	s.attr("x", x)
	s.attr("y", y)
	s.attr("width", w)
	s.attr("height", h)
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	s.b.WriteString(`<line class="`)
	s.b.WriteString(class)
	s.b.WriteByte('"')
	s.attr("x1", x1)
	s.attr("y1", y1)
	s.attr("x2", x2)
	s.attr("y2", y2)
	s.b.WriteString("/>")
}

func (s *svg) text(class string, x, y float64, text string) {
	s.b.WriteString(`<text class="`)
	s.b.WriteString(class)
	s.b.WriteByte('"')
	s.attr("x", x)
	s.attr("y", y)
	s.b.WriteByte('>')
	s.escape(text)
	s.b.WriteString("</text>")
}

// A point is a place in a picture; one whose Y is not a number is a gap.
type point struct{ X, Y float64 }

// polyline draws lines between points, leaving gaps out. A point between two gaps is
// a short dash of the given length.
func (s *svg) polyline(class string, points []point, dash float64) {
	s.b.WriteString(`<path class="`)
	s.b.WriteString(class)
	s.b.WriteString(`" d="`)
	pen := false
	for i, p := range points {
		if math.IsNaN(p.Y) {
			pen = false
			continue
		}
		if pen {
			s.to('L', p)
			continue
		}
		pen = true
		if i+1 == len(points) || math.IsNaN(points[i+1].Y) {
			s.to('M', point{p.X - dash/2, p.Y})
			s.to('L', point{p.X + dash/2, p.Y})
			continue
		}
		s.to('M', p)
	}
	s.b.WriteString(`"/>`)
}

// cells draws rectangles of one size at the upper left corners given.
func (s *svg) cells(class string, corners []point, w, h float64) {
	if len(corners) == 0 {
		return
	}
	s.b.WriteString(`<path class="`)
	s.b.WriteString(class)
	s.b.WriteString(`" d="`)
	for _, c := range corners {
		s.to('M', c)
		s.b.WriteByte('h')
		s.number(w)
		s.b.WriteByte('v')
		s.number(h)
		s.b.WriteByte('h')
		s.number(-w)
		s.b.WriteByte('z')
	}
	s.b.WriteString(`"/>`)
}

// area fills what lies between points and the line y = base.
func (s *svg) area(class string, points []point, base float64) {
	if len(points) == 0 {
		return
	}
	s.b.WriteString(`<path class="`)
	s.b.WriteString(class)
	s.b.WriteString(`" d="`)
	s.to('M', point{points[0].X, base})
	for _, p := range points {
		s.to('L', p)
	}
	s.to('L', point{points[len(points)-1].X, base})
	s.b.WriteString(`Z"/>`)
}

func (s *svg) to(how byte, p point) {
	s.b.WriteByte(how)
	s.number(p.X)
	s.b.WriteByte(' ')
	s.number(p.Y)
}

func (s *svg) attr(name string, v float64) {
	s.b.WriteByte(' ')
	s.b.WriteString(name)
	s.b.WriteString(`="`)
	s.number(v)
	s.b.WriteByte('"')
}

func (s *svg) number(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	s.b.WriteString(strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64))
}

func (s *svg) escape(text string) { s.b.WriteString(template.HTMLEscapeString(display.Plain(text))) }

// html ends the picture. What is in it was escaped above or is a number.
func (s *svg) html() template.HTML {
	s.b.WriteString("</svg>")
	return template.HTML(s.b.String())
}
