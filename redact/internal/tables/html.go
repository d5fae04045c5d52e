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
		p = chars.SkipAny(s[:min(len(s), stop+8)], stop, " :*\n")
		if p == stop || p+1 >= len(s) || s[p] != '<' || !chars.IsLetter(s[p+1]) {
			return c, false
		}
		loose = true
	}
	if p = chars.Skip(s, p, chars.Space); p < len(s) && s[p] != '<' {
		p = chars.SkipAny(s[:min(len(s), p+4)], p, ": ")
		return text(s, p), true
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
		switch {
		case chars.HasFold(tag, 1, "th"), chars.HasFold(tag, 1, "tr"):
			return c, false
		}
		p += end + 1
		if p = chars.Skip(s, p, chars.Space); p < len(s) && s[p] != '<' {
			return text(s, p), loose || strings.HasPrefix(tag, "<br")
		}
	}
	return c, false
}

// closeTag is where what follows begins if the element around a name ends at stop; else 0.
func closeTag(s string, stop int) int {
	p := chars.SkipAny(s[:min(len(s), stop+8)], stop, " :*\n")
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

func text(s string, p int) Cell {
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
	low := max(0, stop-maxLine)
	row := strings.LastIndex(s[low:stop], "<tr")
	if row < 0 {
		return nil, stop + maxLine
	}
	column := strings.Count(s[low+row:stop], "<th") - 1
	if column < 0 {
		return nil, stop + maxLine
	}
	high := len(s)
	p := stop
	for {
		i := strings.Index(s[p:min(high, p+maxLine)], "<tr")
		if i < 0 {
			return cells, p + maxLine
		}
		if t := strings.Index(s[p:p+i], "</table"); t >= 0 {
			return cells, p + maxLine
		}
		p += i + len("<tr")
		end := min(high, p+maxLine)
		if i = strings.Index(s[p:end], "</tr"); i >= 0 {
			end = p + i
		}
		if strings.Contains(s[p:end], "<th") && !strings.Contains(s[p:end], "<td") {
			return cells, p + maxLine
		}
		q := p
		for n := 0; n <= column && q < end; n++ {
			i := strings.Index(s[q:end], "<td")
			if i < 0 {
				q = end
				break
			}
			q += i + len("<td")
		}
		for q < end {
			gt := strings.IndexByte(s[q:end], '>')
			if gt < 0 {
				break
			}
			q = chars.Skip(s, q+gt+1, chars.Space)
			if q < end && s[q] != '<' {
				cells = append(cells, text(s, q))
				break
			}
		}
		p = end
	}
}
