// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

const (
	// maxStack is how many cells of a stacked table are read.
	maxStack = 4 << 10
	// maxAbove is how far above a title the first one may stand, in bytes.
	maxAbove = 512
)

// Stack returns the cells of the table around the line [from,to) if each cell has a line of its own: a list-table of
// reStructuredText (* - x, - x), or a table of MediaWiki (! x, |-, | x). The first columns cells are the titles, and
// whole rows follow. columns is 0 if there is no such table. It ends before end.
func Stack(s string, from, to int) (cells []Cell, columns, end int) {
	p, wiki := stackStart(s, from, to)
	if p < 0 {
		return nil, 0, 0
	}
	for p < len(s) && len(cells) < maxStack {
		_, e, ok := Line(s, p)
		p = chars.Skip(s[:e], p, chars.Blank)
		line := s[p:e]
		first := wiki && strings.HasPrefix(line, "|-") || !wiki && strings.HasPrefix(line, "* - ")
		switch {
		case first && columns == 0 && len(cells) > 0:
			columns = len(cells)
		case first && columns > 0 && len(cells)%columns != 0:
			ok = false
		}
		switch {
		case !ok:
		case first && !wiki:
			cells = append(cells, trim(s, p+len("* - "), e))
		case first:
		case !wiki && strings.HasPrefix(line, "- "):
			cells = append(cells, trim(s, p+len("- "), e))
		case wiki && line != "" && (line[0] == '!' || line[0] == '|' && line != "|}" && columns > 0):
			cells = wikiCells(cells, s, p, e)
		default:
			ok = false
		}
		if !ok {
			break
		}
		p = e + 1
	}
	if columns < 2 {
		return nil, 0, 0
	}
	for _, c := range cells[:columns] {
		if !isTitle(s[c.Start:c.End]) {
			return nil, 0, 0
		}
	}
	return cells[:len(cells)-len(cells)%columns], columns, min(p, len(s))
}

// stackStart is where the line of the first title begins; -1 if the line [from,to) is none of a stacked table.
func stackStart(s string, from, to int) (start int, wiki bool) {
	p := chars.Skip(s[:to], from, chars.Blank)
	switch {
	case p == to:
	case s[p] == '!':
		for start = from; start > 1 && from-start < maxAbove; {
			above, _, _ := Line(s, start-1)
			if s[above] != '!' {
				break
			}
			start = above
		}
		return start, true
	case strings.HasPrefix(s[p:], "* - "):
		return from, false
	case strings.HasPrefix(s[p:], "- "):
		low := max(0, from-maxAbove)
		if i := strings.LastIndex(s[low:from], "* - "); i >= 0 {
			start = chars.SkipBack(s, low, low+i, chars.Blank)
			return start, false
		}
	}
	return -1, false
}

// wikiCells appends the cells of a line of MediaWiki, without their attributes: | x || y, ! scope="col" | x.
func wikiCells(cells []Cell, s string, p, e int) []Cell {
	delim := strings.Repeat(s[p:p+1], 2)
	for p++; p <= e && len(cells) < maxStack; {
		end := e
		if i := strings.Index(s[p:e], delim); i >= 0 {
			end = p + i
		}
		open := p + chars.LastByte(s[p:end], '|') + 1
		c := trim(s, open, end)
		if text := s[c.Start:c.End]; strings.HasPrefix(text, "<code>") && strings.HasSuffix(text, "</code>") {
			c = Cell{c.Start + len("<code>"), c.End - len("</code>")}
		}
		cells = append(cells, c)
		p = end + len(delim)
	}
	return cells
}
