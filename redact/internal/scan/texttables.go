// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/tables"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// tableHit removes the cells below the title [start,stop) of a column, and those of all other
// columns of the table with a telling title. It reports whether the name is such a title.
func (sc *Scanner) tableHit(s string, start, stop int) bool {
	t := &sc.tables
	if start < t.title {
		return true
	}
	if sc.insertHit(s, start) {
		return true
	}
	if start < t.rows {
		from, to, ok := tables.Line(s, start)
		if strings.IndexByte(s[from:to], '|') < 0 {
			sc.payDense(costOfInside)
		} else {
			sc.pay(costOfInside)
		}
		sc.pay(to - from)
		return ok && sc.cellBeside(s, from, to, start, stop, tables.DelimsIn(s[from:to]))
	}
	if start < t.lines {
		return false
	}
	from, to, ok := tables.Line(s, start)
	sc.Count(to - from)
	sc.pay(350 + to - from)
	t.lines = to
	if !ok {
		return false
	}
	in := tables.DelimsIn(s[from:to])
	if to+1 >= len(s) {
		return sc.cellBeside(s, from, to, start, stop, in)
	}
	if sc.stackHit(s, from, to) {
		return true
	}
	table, ok := tables.Open(s, from, to, in)
	if sc.cellBeside(s, from, to, start, stop, in) {
		return true
	}
	if !ok {
		return false
	}
	columns := sc.columns(s, table.Header)
	if columns == nil {
		return false
	}
	sc.pay(costOfTable)
	t.title = to
	sc.takeRows(s, &table, columns)
	t.rows = table.End()
	sc.Count(t.rows - to)
	return true
}

// stackHit removes the telling cells of a table that has one cell on each line and whose first title is the
// line [from,to). It reports whether there is such a table.
func (sc *Scanner) stackHit(s string, from, to int) bool {
	cells, n, end := tables.Stack(s, from, to)
	if n <= 0 {
		return false
	}
	if columns := sc.columns(s, cells[:n]); columns != nil {
		sc.pay(150 * len(cells))
		for i, c := range cells[n:] {
			sc.cell(s, c, columns[i%n], true)
		}
	}
	sc.tables.title, sc.tables.lines = cells[n-1].End, end
	return true
}

// takeRows removes the values in the rows of a table whose columns mean what columns says.
func (sc *Scanner) takeRows(s string, table *tables.Table, columns []names.Verdict) {
	var row []tables.Cell
	for {
		if row = table.Next(s, row); row == nil {
			return
		}
		sc.budget.at = row[0].Start
		sc.pay(150 * len(row))
		for i, v := range columns {
			text := s[row[i].Start:row[i].End]
			if !table.Loose() || values.LooksLikePassword(text) || v.Kind == kinds.Password && values.MayBeSimple(text) {
				sc.cell(s, row[i], v, true)
			}
		}
	}
}

// cellBeside removes the cell behind the one that holds the name [start,stop), on its line [from,to), if the
// name tells and the cell looks like a value. The titles of a table are no such line. The line has the
// delimiters of in.
func (sc *Scanner) cellBeside(s string, from, to, start, stop int, in tables.Delims) bool {
	name, value, ok := tables.Follower(s, from, to, start, stop, in)
	if !ok {
		return false
	}
	v, text := sc.classify(names.OfInput(s[name.Start:name.End])), s[value.Start:value.End]
	if isPersonal(v) && chars.IsDigit(s[name.End-1]) && !strings.ContainsAny(s[name.End:value.Start], "|\t│") {
		return false // the value begins in the name
	}
	if strings.ContainsAny(s[name.Start:name.End], "/[(") || !isPersonal(v) && (v.Level == names.Harmless ||
		sc.classify(text).Level > names.Harmless ||
		!values.LooksLikePassword(text) && !(v.Kind == kinds.Password && s[name.End-1] != 's' && values.MayBeSimple(text))) {
		return false
	}
	n := len(sc.Spans)
	sc.cell(s, value, v, true)
	return len(sc.Spans) > n
}

// statementHit removes the values that are listed behind the statement of SQL around i for its parameters.
func (sc *Scanner) statementHit(s string, i int) {
	if i < sc.tables.stated { // its parameters have been read
		return
	}
	sql, list := tables.Arguments(s, sc.tables.verbless, i)
	sc.spend(sql.End - sql.Start)
	sc.pay(costOfByte*(sql.End-sql.Start) + 2*costOfByte*min(i-sc.tables.verbless, tables.MaxStatement))
	if sc.tables.stated = sql.End; sql.End == 0 {
		sc.tables.verbless = i
	}
	if len(list) == 0 {
		return
	}
	params := tables.Params(s[sql.Start:sql.End])
	for k, c := range list {
		if n := tables.Values(s, list, params, k); n >= 0 && n < len(params) {
			sc.cell(s, c, sc.classify(params[n]), true)
		}
	}
}

// isParameter reports whether v is a parameter of SQL.
func isParameter(v string) bool {
	switch v = strings.TrimRight(v, ",)"); {
	case v == "?" || v == "%s":
		return true
	case len(v) > 1 && strings.IndexByte("$:@?", v[0]) >= 0:
		return chars.IsDigits(strings.TrimPrefix(v[1:], "p"))
	}
	return false
}

// columns returns what the titles of columns say of the values below; nil if none tells.
func (sc *Scanner) columns(s string, titles []tables.Cell) (list []names.Verdict) {
	for i, c := range titles {
		v := sc.classify(s[c.Start:c.End])
		if v.Level == names.Harmless {
			v = names.OfTitle(s[c.Start:c.End])
		}
		if v.Level > names.Harmless {
			if list == nil {
				list = make([]names.Verdict, len(titles))
			}
			list[i] = v
		}
	}
	return list
}

// cell removes the value of a cell below a title if it is a secret.
func (sc *Scanner) cell(s string, c tables.Cell, v names.Verdict, quoted bool) {
	if v.Level == names.Harmless || c.End <= c.Start || strings.HasPrefix(s[c.Start:c.End], marks.Head) &&
		marks.IsMark(s[c.Start:c.End]) {
		return
	}
	sc.pay(costOfCell)
	if !sc.judge(s[c.Start:c.End], "", v, values.Operand{Start: c.Start, End: c.End, Op: ':', Quoted: quoted}, false) {
		return
	}
	settled := sc.settled
	sc.settled = min(sc.settled, c.Start)
	sc.takeNamed(s, c.Start, c.End, v.Kind)
	sc.settled = settled
}

// insertHit removes the values of INSERT's columns if the name at start is one of them.
func (sc *Scanner) insertHit(s string, start int) bool {
	if start < sc.tables.plain {
		return false
	}
	if start > 0 && (s[start-1] == '\'' || s[start-1] == '"') { // it may be in a row of code
		sc.pay(costOfCell)
	}
	names, tuple, end := tables.Columns(s, start)
	if tuple == 0 {
		sc.tables.plain = end
		return false
	}
	sc.tables.title = max(tuple, end)
	columns := sc.columns(s, names)
	var row []tables.Cell
	if first := chars.Skip(s, tuple+1, chars.Space); columns != nil && first < len(s) && strings.IndexByte("?%$@:",
		s[first]) >= 0 {
		sc.statementHit(s, start)
	}
	for at := tuple; at > 0 && columns != nil; {
		row, tuple = tables.Tuple(s, at, row[:0])
		if row == nil {
			sc.pay(costOfByte * min(tables.MaxTuple, len(s)-at))
			break
		}
		sc.budget.at = at
		for i, c := range row {
			quoted := s[at] == '\n' || c.Start > 0 && strings.IndexByte("'\"", s[c.Start-1]) >= 0
			if i < len(columns) && (quoted || s[at] != ' ') { // SELECT has names of columns, too
				sc.cell(s, c, columns[i], quoted)
			}
		}
		sc.pay(costOfByte*(row[len(row)-1].End-at) + 200*len(row))
		at = tuple
	}
	return true
}

// elementHit removes the text that belongs to the name which stops at stop as elements of HTML and
// XML do: the next element, or the cells of a column.
func (sc *Scanner) elementHit(s string, stop int, v names.Verdict) {
	if stop < len(s) && s[stop] == '>' {
		sc.pay(costOfElement)
	}
	cells, end := []tables.Cell(nil), stop
	c, loose := tables.Beside(s, stop)
	isTitle := c.End > c.Start && chars.IsUpper(s[c.Start]) && chars.Skip(s, c.Start, chars.Lower|chars.Upper) == c.End
	if c.End <= c.Start || isTitle || tables.InHead(s, stop) {
		cells, end = tables.Below(s, stop)
	}
	if c.End > c.Start && len(cells) == 0 {
		text := s[c.Start:c.End]
		remark := loose || strings.Contains(s[stop:c.Start], "<li") || values.IsRemark(text) ||
			chars.HasFold(s, max(0, stop-5), ">pass") // the end of a test
		if isPersonal(v) || !remark || values.LooksLikePassword(text) {
			sc.cell(s, c, v, true)
		}
		return
	}
	sc.pay(3 * costOfByte * (min(end, len(s)) - stop))
	for _, c := range cells {
		sc.budget.at = c.Start
		sc.spend(c.End - c.Start + 1)
		sc.cell(s, c, v, true)
	}
}
