// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// maxElement is how far the next element is looked for, in bytes.
const maxElement = 512

// Beside returns the text of the element behind the one that the name which stops at stop ends:
// <td>name</td><td>text</td>, <dt>, <key>, <label>. loose tells that the text is in no element of its own:
// <b>name:</b> text.
func Beside(s string, stop int) (c Cell, loose bool) {
	p := closeTag(s, stop)
	if p == 0 {
		p = chars.SkipAny(s[:min(len(s), stop+8)], stop, " .:*\n")
		if p+1 >= len(s) || s[p] != '<' || !chars.IsLetter(s[p+1]) || p == stop && !chars.HasFold(s, p, "<input") {
			return c, false
		}
		loose = true
	}
	if p = chars.Skip(s, p, chars.Space); p < len(s) && s[p] != '<' {
		if p = skipLinks(s, p); p >= len(s) || s[p] != '<' {
			return text(s, p), true
		}
	}
	for range 4 { // elements within each other
		p = chars.Skip(s, p, chars.Space)
		end := strings.IndexByte(s[p:min(len(s), p+maxElement)], '>')
		if end < 0 || s[p] != '<' || p+1 >= len(s) || s[p+1] == '/' {
			return c, false
		}
		tag := s[p : p+end]
		if i := strings.Index(tag, ` value="`); i >= 0 {
			from := p + i + len(` value="`)
			return Cell{from, from + max(0, strings.IndexByte(s[from:p+end+1], '"'))}, false
		}
		if chars.HasFold(tag, 1, "th") || isRow(s, p) > 0 || chars.HasFold(tag, 1, "input") {
			return c, false
		}
		if p = chars.Skip(s, p+end+1, chars.Space); p < len(s) && s[p] != '<' {
			return text(s, p), loose || strings.HasPrefix(tag, "<br")
		}
	}
	return c, false
}

// links stand between the element of a name and its value.
var links = [...]string{":", "–", "—", "-", "=", "→", "&nbsp;", " ", "\n"}

// skipLinks passes over some of links.
func skipLinks(s string, p int) int {
	for range 4 {
		for _, link := range links {
			if strings.HasPrefix(s[p:], link) {
				p += len(link)
				break
			}
		}
	}
	return p
}

// closeTag is where what follows begins if the element around a name ends at stop; else 0.
func closeTag(s string, stop int) int {
	p := chars.SkipAny(s[:min(len(s), stop+8)], stop, " .:*\n")
	if strings.HasPrefix(s[p:], "&nbsp;") {
		p += len("&nbsp;")
	}
	if !strings.HasPrefix(s[p:], "</") {
		return 0
	}
	for range 3 {
		end := strings.IndexByte(s[p:min(len(s), p+32)], '>')
		if end < 0 {
			return 0
		}
		p = chars.Skip(s, p+end+1, chars.Space)
		if !strings.HasPrefix(s[p:], "</") {
			break
		}
	}
	return p
}

// Attribute returns the value of the HTML element in which the name [start,stop) is the value of
// another attribute: <input type="password" name="pw" value="x">, <meta name="pw" content="x">,
// <textarea name="pw">x</textarea>.
func Attribute(s string, start, stop int) Cell {
	if c := element(s, start, stop); c.End > c.Start {
		return c
	}
	if start < 2 || stop+1 >= len(s) || s[stop] != '"' && s[stop] != '\'' || s[start-1] != s[stop] ||
		s[start-2] != '=' {
		return Cell{}
	}
	low := max(0, start-maxElement/4)
	open := strings.LastIndexAny(s[low:start], "<>")
	if open < 0 || s[low+open] == '>' {
		return Cell{}
	}
	open += low
	end := strings.IndexByte(s[stop:min(len(s), stop+maxElement)], '>')
	if end < 0 {
		end = min(len(s), stop+maxElement) - stop
	}
	end += stop
	for _, value := range [...]string{" value=", " content="} {
		from := strings.Index(s[open:end], value)
		if from += open + len(value); from < open+len(value) || from >= end || s[from] != '"' && s[from] != '\'' {
			continue
		}
		if n := strings.IndexByte(s[from+1:end], s[from]); n >= 0 && from+1 != start {
			return Cell{from + 1, from + 1 + n}
		}
	}
	if strings.HasPrefix(s[open:], "<textarea") && end < len(s) {
		return text(s, end+1)
	}
	return Cell{}
}

// Nested is the text of the element, or of the one within it, which has the name [start,stop) as an attribute:
// <property name="pw" type="x">x</property>, <setting id="pw"><value>x</value></setting>.
func Nested(s string, start, stop int) Cell {
	if start < 2 || stop >= len(s) || s[stop] != '"' && s[stop] != '\'' || s[start-2] != '=' {
		return Cell{}
	}
	end := strings.IndexAny(s[stop:min(len(s), stop+maxElement)], "<>")
	if end < 0 || s[stop+end] == '<' || s[stop+end-1] == '/' {
		return Cell{}
	}
	p := chars.Skip(s, stop+end+1, chars.Space)
	if p+1 < len(s) && s[p] == '<' && chars.IsLetter(s[p+1]) {
		if end = strings.IndexByte(s[p:min(len(s), p+maxElement)], '>'); end < 0 || s[p+end-1] == '/' {
			return Cell{}
		}
		p = chars.Skip(s, p+end+1, chars.Space)
	}
	return text(s, p)
}

// Inner is the text of the element that begins at p: of <value>x</value>.
func Inner(s string, p int) Cell {
	end := strings.IndexByte(s[p:min(len(s), p+maxElement)], '>')
	if end < 2 || !chars.IsLetter(s[p+1]) || s[p+end-1] == '/' {
		return Cell{}
	}
	return text(s, p+end+1)
}

// element is the text of the element whose name is [start,stop), with a space of names before it and attributes behind
// it: <w:password type="text">x</w:password>.
func element(s string, start, stop int) Cell {
	if start < 2 || stop >= len(s) || s[stop] != ' ' || s[start-1] != '<' && s[start-1] != ':' {
		return Cell{}
	}
	if s[start-1] == ':' && s[chars.SkipBack(s, max(1, start-16), start-1, chars.Alnum)-1] != '<' {
		return Cell{}
	}
	end := strings.IndexByte(s[stop:min(len(s), stop+maxElement)], '>')
	if end < 0 || s[stop+end-1] == '/' {
		return Cell{}
	}
	return text(s, stop+end+1)
}

func text(s string, p int) Cell {
	const section = "<![CDATA["
	if strings.HasPrefix(s[p:], section) {
		p += len(section)
		return Cell{p, p + max(0, strings.Index(s[p:min(len(s), p+maxLine)], "]]>"))}
	}
	end := strings.IndexByte(s[p:min(len(s), p+maxLine)], '<')
	if end < 0 {
		return Cell{}
	}
	return Cell{p, chars.SkipBack(s, p, p+end, chars.Space)}
}

// Below returns the cells of a HTML table below the title of a column that stops at stop, and how far
// it has read.
func Below(s string, stop int) (cells []Cell, end int) {
	if closeTag(s, stop) == 0 {
		return nil, stop
	}
	row := rowBefore(s, max(0, stop-maxLine), stop)
	if row < 0 {
		return nil, stop + maxLine
	}
	column, titled := -1, false
	for p := nextTag(s, row, stop, isCell); p >= 0; p = nextTag(s, p, stop, isCell) {
		column++
		titled = titled || s[p-1]|0x20 == 'h'
	}
	if column < 0 || !titled && !isFirstRow(s, row) {
		return nil, stop + maxLine
	}
	for p := stop; ; {
		from, to, ok := nextRow(s, p)
		if !ok {
			return cells, p + maxLine
		}
		if c := rowCell(s, from, to, column); c.End > c.Start {
			cells = append(cells, c)
		}
		p = to
	}
}

// rowBefore is where the row around stop begins; -1 if none does behind low.
func rowBefore(s string, low, stop int) int {
	for p := stop; ; {
		if p = low + chars.LastByte(s[low:p], '<'); p < low {
			return -1
		}
		if isRow(s, p) > 0 {
			return p
		}
	}
}

// InHead reports whether the element that stops at stop is in a row of <thead>.
func InHead(s string, stop int) bool {
	row := rowBefore(s, max(0, stop-maxElement), stop)
	return row >= 0 && strings.HasSuffix(strings.TrimRight(s[max(0, row-32):row], " \n"), "<thead>")
}

// isFirstRow reports whether the row at p, of plain cells, has titles: it is its table's first one, and the next row
// has as many cells, two or more.
func isFirstRow(s string, p int) bool {
	if before := chars.LastByte(s[max(0, p-maxLine):p], '<'); before >= 0 && s[max(0, p-maxLine)+before+1] == '/' {
		return false
	}
	var counts [2]int
	for i := range counts {
		from, to, _ := nextRow(s, p)
		for c := nextTag(s, from, to, isCell); c >= 0; c = nextTag(s, c, to, isCell) {
			counts[i]++
		}
		p = to
	}
	return counts[0] > 1 && counts[0] == counts[1]
}

// isRow and isCell return the end of the tag's name if one of a row or of a cell is at p; else 0.
func isRow(s string, p int) int { return oneTag(s, p, "tr", "row") }

func isCell(s string, p int) int { return oneTag(s, p, "td", "th", "cell", "entry") }

func oneTag(s string, p int, names ...string) int {
	for _, name := range names {
		if end := p + 1 + len(name); chars.HasFold(s, p+1, name) && end < len(s) && !chars.IsLetter(s[end]) {
			return end
		}
	}
	return 0
}

// nextTag is the end of the name of the next tag in s[p:to] that is one; -1 if there is none.
func nextTag(s string, p, to int, is func(s string, p int) int) int {
	for p < to {
		i := strings.IndexByte(s[p:to], '<')
		if i < 0 {
			break
		}
		p += i
		if end := is(s, p); end > 0 {
			return end
		}
		p++
	}
	return -1
}

// nextRow is the row of cells behind p in the same table; ok is false if there is none, or another one of titles.
func nextRow(s string, p int) (from, to int, ok bool) {
	from = nextTag(s, p, min(len(s), p+maxLine), isRow)
	if from < 0 || strings.Contains(s[p:from], "</table") {
		return 0, 0, false
	}
	to = min(len(s), from+maxLine)
	if end := nextTag(s, from, to, isRow); end > 0 {
		to = chars.LastByte(s[:end], '<')
	}
	row := s[from:to]
	return from, to, !strings.Contains(row, "<th") || strings.Contains(row, "<td")
}

// rowCell is the text in a column of the row [from,to).
func rowCell(s string, from, to, column int) Cell {
	for range column + 1 {
		if from = nextTag(s, from, to, isCell); from < 0 {
			return Cell{}
		}
	}
	for from < to {
		i := strings.IndexByte(s[from:to], '>')
		if i < 0 {
			break
		}
		if from = chars.Skip(s, from+i+1, chars.Space); from < to && s[from] != '<' {
			return text(s, from)
		}
	}
	return Cell{}
}
