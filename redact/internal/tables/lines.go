// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// A Cell is the part [Start,End) of a text, without blanks and quotes around it.
type Cell struct{ Start, End int }

const (
	// maxLine is the longest line that is a table's header, in bytes.
	maxLine = 4 << 10
	// maxCells is how many cells of a line are read.
	maxCells = 256
	// maxTitle is the longest title of a column, in bytes.
	maxTitle = 40
)

// A Table is a header and the lines below it.
type Table struct {
	Header []Cell
	delim  string // between cells; "" stands for two blanks or more
	next   int    // where the next line begins
	ruled  bool   // the header has a line below it that only draws
	marked bool   // |=== is above the header: cells may stand on lines of their own
	cuts   []int  // where the columns begin in a line, if dashes below the titles tell
}

// Line returns the line around i, without its end. ok is false if it is too long.
func Line(s string, i int) (from, to int, ok bool) {
	low, high := max(0, i-maxLine), min(len(s), i+maxLine)
	from = low + chars.LastByte(s[low:i], '\n') + 1
	to = strings.IndexByte(s[i:high], '\n')
	if to < 0 {
		to = high - i
		ok = high == len(s)
	} else {
		ok = true
	}
	return from, i + to, ok && (from > low || low == 0)
}

// Delims are the bytes of a line that delimiters of cells begin with, as a set.
type Delims uint16

const (
	drawnDelim Delims = 1 << iota // │ and the like
	barDelim
	tabDelim
	semicolonDelim
	commaDelim
	blanksDelim // two blanks or more
	dotsDelim   // three dots or more
	ampDelim
	caretDelim
	tildeDelim
	hashDelim
	colonDelim
	quotesDelim // blanks between quoted cells
)

var delimOf = [256]Delims{0xe2: drawnDelim, '|': barDelim, '\t': tabDelim, ';': semicolonDelim, ',': commaDelim,
	' ': blanksDelim, '.': dotsDelim, '&': ampDelim,
	'^': caretDelim, '~': tildeDelim, '#': hashDelim, ':': colonDelim, '"': quotesDelim}

// DelimsIn returns the delimiters that a line may have.
func DelimsIn(line string) (set Delims) {
	for i := range len(line) {
		d := delimOf[line[i]]
		if d&^set == 0 || d == blanksDelim && !strings.HasPrefix(line[i:], "  ") ||
			d == dotsDelim && !strings.HasPrefix(line[i:], "...") ||
			d == quotesDelim && !strings.HasPrefix(line[i:], quotesText) {
			continue
		}
		set |= d
	}
	if line != "" && (line[0] == '!' || line[0] == '^') { // titles of wikis
		set |= barDelim
	}
	return set
}

// Underlined reports whether dashes below a line that ends at to tell where its columns begin.
func Underlined(s string, to int) bool {
	return to+1 < len(s) && (s[to+1] == '-' || s[to+1] == '=') && dashes(s, to+1) != nil
}

// dashes returns where the runs of dashes begin in the line at from that has nothing else; nil if it has only one.
func dashes(s string, from int) (cuts []int) {
	p := from
	for ; p < len(s) && (s[p] == '-' || s[p] == '=' || s[p] == ' '); p++ {
		if s[p] != ' ' && (p == from || s[p-1] == ' ') {
			cuts = append(cuts, p-from)
		}
	}
	if len(cuts) < 2 || p < len(s) && s[p] != '\n' && s[p] != '\r' {
		return nil
	}
	return cuts
}

// delims are those between the cells of tables, and what they begin with.
var delims = [...]struct {
	text string // "" stands for two blanks or more
	of   Delims
}{{drawn, drawnDelim}, {"|", barDelim}, {"\t", tabDelim}, {";", semicolonDelim}, {",", commaDelim},
	{"&", ampDelim}, {"", blanksDelim}, {"^", caretDelim}, {"~", tildeDelim}, {"#", hashDelim}, {quotesText, quotesDelim},
	{quotedColon, colonDelim},
	{":", colonDelim}}

// quotesText is what stands between the insides of quoted cells with a blank between.
const quotesText = `" "`

// quotedColon is what stands between the insides of quoted cells with a colon between.
const quotedColon = `" : "`

// drawn stands for the vertical lines of a drawn table, and for the corners of a frame in which the titles stand.
const drawn = "│"

// nextDelim is where the next delimiter begins; -1 if there is none.
func nextDelim(s, delim string) int {
	if delim != drawn {
		return strings.Index(s, delim)
	}
	for p := 0; ; p++ {
		i := strings.IndexByte(s[p:], drawn[0])
		if i < 0 {
			return -1
		}
		if p += i; p+2 < len(s) && strings.Contains("│┃║┆┊┌┬┐╷", s[p:p+3]) {
			return p
		}
	}
}

// Open reads the line [from,to), which has these delimiters, as the header of a table. ok is false if it is none, or
// if no line with as many cells follows.
func Open(s string, from, to int, in Delims) (t Table, ok bool) {
	first := from
	from, below := headerStart(s, from, to)
	line := s[from:to]
	if Underlined(s, to) {
		in |= blanksDelim
	}
	for _, d := range delims {
		delim := d.text
		if in&d.of == 0 || delim == drawn && nextDelim(line, delim) < 0 ||
			delim == quotedColon && !strings.Contains(line, delim) ||
			delim == ":" && (strings.Count(line, ":") < 2 || strings.IndexByte(line, ' ') >= 0) {
			continue
		}
		t = Table{delim: delim, next: below}
		if below, end, _ := Line(s, t.next); end > below {
			t.ruled = isRule(s[below:end])
		}
		if delim == "" && t.ruled {
			t.cuts = dashes(s, t.next)
		}
		t.marked = delim == "|" && strings.HasSuffix(s[:from], "|===\n")
		if t.Header = split(nil, s, from, to, delim); t.cuts != nil {
			t.Header = cut(nil, s, from, to, t.cuts)
		}
		if len(t.Header) < 2 || !t.isHeader(s) || t.goesOn(s, first) {
			if delim == "\t" || delim == "|" {
				return t, false
			}
			continue
		}
		ahead := t
		row := ahead.Next(s, nil)
		return t, row != nil && ahead.next > t.next
	}
	return openWords(s, from, to)
}

// headerStart is where the titles begin on the header [from,to), behind the mark of a remark, as Zeek's logs have it, or
// behind the option of a table of reStructuredText; below is where its rows begin.
func headerStart(s string, from, to int) (start, below int) {
	line := s[from:to]
	below = min(to+1, len(s))
	switch p := chars.Skip(line, 0, chars.Blank); {
	case strings.HasPrefix(line, "#fields\t"):
		return from + len("#fields\t"), below
	case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "#\t"):
		return from + 2, below
	case strings.HasPrefix(line[p:], ":header:"):
		if n := strings.Index(s[to:min(len(s), to+maxLine)], "\n\n"); n >= 0 {
			below = to + n + 2
		}
		return from + p + len(":header:"), below
	}
	return from, below
}

// openWords reads the line [from,to) as the header of a table whose cells are words with a blank between: three or
// more, above two such lines, or two or more above lines that begin with their number, as R prints them.
func openWords(s string, from, to int) (t Table, ok bool) {
	if to-from > 2*maxTitle || to >= len(s) || chars.Skip(s, from, chars.Name|chars.Blank) != to {
		return t, false
	}
	t = Table{delim: " ", next: to + 1, Header: fields(nil, s, from, to, 9)}
	for _, c := range t.Header {
		if chars.OneOf("the The a an of to in is and or for with your Your my new this", s[c.Start:c.End]) {
			return t, false
		}
	}
	for p, n := t.next, 0; n < 2; n++ {
		_, end, _ := Line(s, p)
		row := fields(nil, s, p, end, len(t.Header)+2)
		numbered := len(row) == len(t.Header)+1 && chars.IsDigits(s[row[0].Start:row[0].End])
		if !numbered && (len(row) < 3 || len(row) != len(t.Header)) || len(t.Header) < 2 {
			return t, false
		}
		p = min(end+1, len(s))
	}
	return t, true
}

// Loose reports whether nothing but a blank or a colon stands between cells: the lines may be something else.
func (t *Table) Loose() bool { return t.delim == " " || t.delim == ":" }

// followers are the delimiters between a cell and the one that tells what it is.
var followers = [...]struct {
	text string
	of   Delims
}{{drawn, drawnDelim}, {"|", barDelim}, {"\t", tabDelim}, {"...", dotsDelim}, {"  ", blanksDelim}}

// Follower returns the cell behind the one that holds the name [start,stop), on its line [from,to); ok is
// false if the name is no cell, or is the last one. The cells are drawn, or stand apart by tabs, by two
// blanks or more, or by a row of dots. The line has the delimiters of in.
func Follower(s string, from, to, start, stop int, in Delims) (name, value Cell, ok bool) {
	line := s[from:to]
	if name, value, ok = pairOf(s, from, to, stop, in); ok {
		return name, value, true
	}
	for _, d := range followers {
		if in&d.of == 0 {
			continue
		}
		delim := d.text
		i := strings.Index(s[stop:to], delim)
		if i < 0 || i > maxTitle && delim != "|" {
			if strings.Contains(line, delim) {
				break
			}
			continue
		}
		open := from
		if n := strings.LastIndex(s[from:start], delim); n >= 0 {
			open = from + n + len(delim)
		}
		name = trim(s, open, stop+i)
		next := stop + i
		if delim == "  " || delim == "..." {
			next = chars.SkipAny(s[:to], next, ". ")
		} else {
			next += len(delim)
			if delim == "|" && next < to && s[next] == '|' { // of wikis
				next++
			}
		}
		end := to
		if delim != "..." {
			end = cellEnd(s, next, to, delim)
		}
		value = trim(s, next, end)
		return name, value, name.End-name.Start <= maxTitle && value.Start < value.End
	}
	return Cell{}, Cell{}, false
}

// pairOf returns the two cells of a line that a comma or semicolon without blanks cuts, of which the first holds the
// name that ends at stop; ok is false if the line above, or the one below, is not cut into two words so as well.
func pairOf(s string, from, to, stop int, in Delims) (name, value Cell, ok bool) {
	if in != commaDelim && in != semicolonDelim {
		return name, value, false
	}
	above, aboveEnd, _ := Line(s, max(0, from-1))
	below, belowEnd, _ := Line(s, min(len(s), to+1))
	cut := isPair(s[from:to])
	if cut < 0 || stop > from+cut || isPair(s[above:aboveEnd]) < 0 && isPair(s[below:belowEnd]) < 0 {
		return name, value, false
	}
	return trim(s, from, from+cut), trim(s, from+cut+1, to), true
}

// isPair is where the one comma or semicolon is that cuts a line without blanks; -1 if there is none.
func isPair(line string) int {
	cut := strings.IndexAny(line, ",;")
	if cut <= 0 || cut+1 == len(line) || strings.IndexByte(line, ' ') >= 0 || strings.ContainsAny(line[cut+1:], ",;") {
		return -1
	}
	return cut
}

// Next returns the cells of the next line, or nil behind the last one. Lines that only draw the
// table are passed over. It appends to row.
func (t *Table) Next(s string, row []Cell) []Cell {
	for t.next < len(s) {
		from, to := t.next, len(s)
		if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
			to = from + i
		}
		if isRule(s[from:to]) && to > from {
			t.next = min(to+1, len(s))
			if _, end, ok := Line(s, t.next); ok && t.delim == drawn && strings.Contains(s[from:to], " ---") {
				t.next = min(end+1, len(s)) // the types of a data frame
			}
			continue
		}
		if t.marked && from == to {
			t.next++
			continue
		}
		if row, to = t.cells(row, s, from, to); row != nil {
			t.next = min(to+1, len(s))
		}
		return row
	}
	return nil
}

// cells cuts the line [from,to), and those behind it that go on with its row; nil if they are none of the table.
func (t *Table) cells(row []Cell, s string, from, to int) (whole []Cell, end int) {
	if t.cuts != nil {
		row = cut(row[:0], s, from, to, t.cuts)
	} else if row = split(row[:0], s, from, to, t.delim); t.marked {
		row, to = t.rest(row, s, from, to)
	} else if n := len(row) - 1; t.delim == drawn && n == len(t.Header) && chars.IsDigit(s[row[0].Start]) {
		row = row[1:] // the number of the row stands before the frame
	}
	if len(row) != len(t.Header) && t.delim == "" {
		row = t.aligned(row[:0], s, from, to)
	}
	if len(row) != len(t.Header) {
		row = t.numbered(row[:0], s, from, to)
	}
	return row, to
}

// rest appends to row the cells of the lines behind the one that ends at to, until it is whole.
func (t *Table) rest(row []Cell, s string, from, to int) (whole []Cell, end int) {
	for len(row) < len(t.Header) && to+1 < len(s) && s[from] == '|' && s[to+1] == '|' && !isRule(s[to+1:to+2]) {
		from, to, _ = Line(s, to+1)
		if isRule(s[from:to]) {
			break
		}
		row = append(row, split(nil, s, from, to, t.delim)...)
	}
	return row, to
}

// cut appends what stands in a line where the columns begin; if no blank is before one, the words of the line.
func cut(cells []Cell, s string, from, to int, cuts []int) []Cell {
	if s[from:to] == "" || s[from] == ' ' && cuts[0] == 0 && strings.Trim(s[from:to], " ") == "" {
		return cells
	}
	for i, at := range cuts {
		a, b := from+at, to
		if i+1 < len(cuts) {
			b = min(to, from+cuts[i+1])
		}
		if a > to || i > 0 && s[a-1] != ' ' {
			return fields(cells[:0], s, from, to, len(cuts)+1)
		}
		cells = append(cells, trim(s, a, b))
	}
	return cells
}

// fields appends the words of a line, at most limit.
func fields(cells []Cell, s string, from, to, limit int) []Cell {
	for p := from; p < to && len(cells) < limit; {
		p = chars.Skip(s[:to], p, chars.Blank)
		end := p
		for end < to && s[end] != ' ' && s[end] != '\r' {
			end++
		}
		if end > p {
			cells = append(cells, Cell{p, end})
		}
		p = end + 1
	}
	return cells
}

// numbered cuts a line that begins with its number, which has no title: data frames are printed so.
func (t *Table) numbered(row []Cell, s string, from, to int) []Cell {
	if t.delim != "" && t.delim != " " {
		return nil
	}
	row = fields(row, s, from, to, len(t.Header)+2)
	if len(row) != len(t.Header)+1 || !chars.IsDigits(s[row[0].Start:row[0].End]) {
		return nil
	}
	return row[1:]
}

// End is where the line begins that has not been read.
func (t *Table) End() int { return t.next }

// isHeader reports whether all cells of the header are titles of columns.
func (t *Table) isHeader(s string) bool {
	words := 3
	if (t.delim == "," || t.delim == ";") && len(t.Header) < 3 {
		words = 1 // running text has commas
	}
	first := t.Header[0].Start
	for i, c := range t.Header {
		title := s[c.Start:c.End]
		if title == "" && i == len(t.Header)-1 && i > 1 && (first == 0 || s[first-1] == '\n') { // a delimiter ends the line
			continue
		}
		if t.ruled && (t.delim == "|" || t.delim == drawn) && len(title) <= maxTitle {
			continue
		}
		quoted := c.Start > 0 && s[c.Start-1] == '"'
		if !isTitle(title) || strings.Count(title, " ") >= words && !quoted {
			return false
		}
	}
	return true
}

// goesOn reports whether the line above the one at from, or above the rule between, has as many cells: then
// the line at from is a row.
func (t *Table) goesOn(s string, from int) bool {
	for range 2 {
		if from < 2 {
			return false
		}
		above, to, ok := Line(s, from-1)
		if !ok || above >= to {
			return false
		}
		if from = above; !isRule(s[above:to]) {
			return len(split(nil, s, above, to, t.delim)) == len(t.Header)
		}
	}
	return false
}

// isTitle reports whether v may be the title of a column.
func isTitle(v string) bool {
	if v == "" || len(v) > maxTitle || chars.IsDigit(v[0]) && len(v) > 2 ||
		strings.Count(v, "(") != strings.Count(v, ")") || // an argument of a call
		chars.LastByte(v, '.') > strings.IndexByte(v, '/') && strings.IndexByte(v, '/') >= 0 { // a file
		return false
	}
	for i := range len(v) {
		if c := v[i]; chars.Class[c]&chars.Name == 0 && c < 0x80 && strings.IndexByte(" /()#*?%'", c) < 0 {
			return false
		}
	}
	return true
}

// isRule reports whether a line only draws a table.
func isRule(line string) bool {
	if types := strings.Trim(line, " "); strings.HasPrefix(types, "<") && strings.HasSuffix(types, ">") &&
		!strings.ContainsAny(types, "/=\"") {
		return true // of a data frame: <chr> <int>
	}
	if line != "" && line[0] == '\\' {
		return !strings.Contains(line, "&") // \hline
	}
	for i := range len(line) {
		if c := line[i]; c < 0x80 && strings.IndexByte("-+=|: \t\r_>", c) < 0 || c >= 0x80 && (c != 0xe2 &&
			(c < 0x80 || c > 0xbf)) {
			return false
		}
	}
	return strings.ContainsAny(line, "-=─═━")
}

// split appends the cells of a line. Empty ones at the ends of a drawn line are dropped.
func split(cells []Cell, s string, from, to int, delim string) []Cell {
	if to > from && s[to-1] == '\r' {
		to--
	}
	switch delim {
	case "":
		return splitBlanks(cells, s, from, to)
	case " ":
		return fields(cells, s, from, to, maxCells)
	case quotesText, quotedColon:
		if from, to = from+1, to-1; to < from {
			return cells
		}
	}
	framed := delim == drawn || delim == "|"
	p := from
	switch delim {
	case drawn:
	case "|":
		p = chars.SkipAny(s[:to], p, "> ")
		if delim = barIn(s[p:to]); delim == "!!" || delim == "||" && s[p+1] != '|' {
			p++
		}
	case "&":
		if i := strings.Index(s[p:to], `\\`); i >= 0 {
			to = p + i
		}
	}
	for len(cells) < maxCells {
		end := cellEnd(s, p, to, delim)
		cells = append(cells, trim(s, p, end))
		if end >= to {
			break
		}
		p = end + len(delim)
	}
	if framed && len(cells) > 1 {
		if c := cells[0]; c.Start == c.End {
			cells = cells[1:]
		}
		if n := len(cells) - 1; cells[n].Start == cells[n].End && closed(s[from:to], delim) {
			cells = cells[:n]
		}
	}
	return cells
}

// cellEnd is where the cell that begins at p ends. Quotes may hold the delimiter.
func cellEnd(s string, p, to int, delim string) int {
	q := chars.Skip(s[:to], p, chars.Blank)
	if q < to && s[q] == '"' {
		for e := q + 1; e < to; e++ {
			if s[e] == '"' {
				if e+1 < to && s[e+1] == '"' {
					e++
					continue
				}
				q = e
				break
			}
		}
	}
	if i := nextDelim(s[q:to], delim); i >= 0 {
		return q + i
	}
	return to
}

// closed reports whether a line ends with a delimiter.
func closed(line, delim string) bool {
	line = strings.TrimRight(line, " ")
	return nextDelim(line[max(0, len(line)-len(delim)):], delim) == 0
}

// barIn is the delimiter of the cells of a line with bars: wikis have || and !!, or ^, between titles.
func barIn(line string) string {
	switch {
	case strings.HasPrefix(line, "!"):
		return "!!"
	case strings.HasPrefix(line, "^"):
		return "^"
	case strings.HasPrefix(line, "||"), strings.HasPrefix(line, "| ") && strings.Contains(line, " || "):
		return "||"
	}
	return "|"
}

// trim is [p,end) without blanks, quotes and the emphasis of Markdown and LaTeX around it.
func trim(s string, p, end int) Cell {
	p = chars.SkipAny(s[:end], p, " \t`*")
	end = chars.SkipBackAny(s, p, end, " \t`*")
	for strings.HasPrefix(s[p:end], "─") {
		p += len("─")
	}
	for strings.HasSuffix(s[p:end], "─") {
		end -= len("─")
	}
	if i := strings.IndexByte(s[p:end], '{'); i > 0 && s[end-1] == '}' && strings.HasPrefix(s[p:], `\text`) {
		return Cell{p + i + 1, end - 1}
	}
	if end-p >= 2 && (s[p] == '"' || s[p] == '\'') && s[end-1] == s[p] {
		p, end = p+1, end-1
	}
	return Cell{p, end}
}

// splitBlanks appends what stands between two blanks or more.
func splitBlanks(cells []Cell, s string, from, to int) []Cell {
	for p := from; p < to && len(cells) < maxCells; {
		p = chars.Skip(s[:to], p, chars.Blank)
		if p == to {
			break
		}
		end := to
		if i := strings.Index(s[p:to], "  "); i >= 0 {
			end = p + i
		}
		cells = append(cells, trim(s, p, end))
		p = end
	}
	return cells
}

// aligned cuts a line where the titles begin, for lines with empty cells or with single blanks
// between cells.
func (t *Table) aligned(row []Cell, s string, from, to int) []Cell {
	first := t.Header[0].Start
	origin := first - chars.LastByte(s[:first], '\n') - 1
	base := first - origin
	if to-from <= t.Header[len(t.Header)-1].Start-base || strings.Trim(s[from:to], " ") == "" {
		return row
	}
	for i, c := range t.Header {
		a, b := from+c.Start-base, to
		if i+1 < len(t.Header) {
			b = from + t.Header[i+1].Start - base
		}
		if i > 0 && s[a-1] != ' ' {
			return row[:0]
		}
		row = append(row, trim(s, a, b))
	}
	return row
}
