// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// maxColumns is how far the columns of an INSERT reach, in bytes.
const maxColumns = 4 << 10

// columnsEnd is the end of what may be a list of columns around i.
func columnsEnd(s string, i int) int {
	p := i
	for p < len(s) && p-i < maxColumns && (chars.Class[s[p]]&(chars.Name|chars.Space|chars.Comma) != 0 ||
		s[p] >= 0x80 || strings.IndexByte("\"`[]\\", s[p]) >= 0) {
		p++
	}
	return p
}

// Columns returns the names in the parentheses around i if VALUES and a tuple follow them, and
// where the first tuple begins. If there are none, none is before end.
func Columns(s string, i int) (names []Cell, tuple, stop int) {
	if i > 0 && (s[i-1] == '\'' || s[i-1] == '"') {
		if names, tuple = titleRow(s, i); tuple > 0 {
			return names, tuple, tuple
		}
	}
	stop = columnsEnd(s, i)
	if stop == len(s) || s[stop] != ')' {
		return nil, 0, stop
	}
	names, tuple = columnsTo(s, i, stop)
	return names, tuple, stop
}

// titleRow returns the literals of the row of code around i, which is in one of them, if rows follow it, and where
// the first one begins: [('login', 'password'), ('ann', 'x')].
func titleRow(s string, i int) (titles []Cell, tuple int) {
	open := strings.LastIndexAny(s[max(0, i-maxElement):i], "([\n")
	if open < 0 {
		return nil, 0
	}
	if open += max(0, i-maxElement); open == 0 || s[open] == '\n' || s[open-1] != '[' && s[open-1] != '(' {
		return nil, 0
	}
	titles, next := Tuple(s[:min(len(s), open+maxElement)], open, nil)
	for _, c := range titles {
		if quote := s[c.Start-1]; quote != '\'' && quote != '"' || !chars.IsFieldLike(s[c.Start:c.End]) {
			return nil, 0
		}
	}
	if len(titles) < 2 || len(titles) == 2 && titles[0].Start == i { // a list of pairs
		return nil, 0
	}
	return titles, next
}

// columnsTo is Columns for a list that ends at stop.
func columnsTo(s string, i, stop int) (names []Cell, tuple int) {
	low, end := max(0, i-maxColumns), stop-i
	p, open := rowsBehind(s, stop+1), chars.LastByte(s[low:i], '(')
	if p == 0 && open > 0 {
		p = rowsBefore(s, low+open)
	}
	if p == 0 || open < 0 || columnsEnd(s, low+open+1) != stop {
		return nil, 0
	}
	for from := low + open + 1; from <= i+end; {
		stop := i + end
		if n := strings.IndexByte(s[from:stop], ','); n >= 0 {
			stop = from + n
		}
		names = append(names, name(s, from, stop))
		from = stop + 1
	}
	return names, p
}

// rowsBehind is where the first row begins, before its values, behind the list of columns that ends at p: VALUES (,
// = (, AS (VALUES (, SELECT; 0 if none does.
func rowsBehind(s string, p int) int {
	const most = 96 // OUTPUT inserted.id
	high := min(len(s), p+most)
	p = chars.Skip(s, p, chars.Space)
	if chars.HasFold(s, p, "select ") {
		return p + len("select") // the blank
	}
	if chars.HasFold(s, p, "from stdin") {
		if n := strings.IndexByte(s[p:high], '\n'); n > 0 {
			return p + n // before the first line
		}
		return 0
	}
	for ; p < high && s[p] != '(' && s[p] != ';' && s[p] != '\''; p++ {
		switch {
		case chars.HasFold(s, p, "as (values"):
			p += len("as (") - 1
		case s[p] == '=' && s[p-1] == ' ' && !strings.HasPrefix(s[p:], "=>"), chars.HasFold(s, p, "values"):
			q := p + 1
			if s[p] != '=' {
				q = p + len("values")
			}
			if q = chars.Skip(s, q, chars.Space); chars.HasFold(s, q, "row(") {
				q += len("row")
			}
			if q < len(s) && s[q] == '(' {
				return q
			}
			return 0
		}
	}
	return 0
}

// rowsBefore is where the first row begins before the list of columns that begins at open and names them: (VALUES (…))
// AS t (; 0 if none does.
func rowsBefore(s string, open int) int {
	p := chars.SkipBack(s, 0, open, chars.Blank)
	p = chars.SkipBack(s, 0, p, chars.Name)
	p = chars.SkipBack(s, 0, p, chars.Space)
	if chars.HasFold(s, p-len(" as"), " as") {
		p = chars.SkipBack(s, 0, p-len(" as"), chars.Space)
	}
	if p < 2 || p == open || s[p-1] != ')' {
		return 0
	}
	low := max(0, p-MaxStatement)
	for q := chars.LastByte(s[low:p], '('); q > 0; q = chars.LastByte(s[low:low+q], '(') {
		if end := chars.SkipBack(s, low, low+q, chars.Space); chars.EndsFold(s[low:end], "values") {
			return low + q
		}
	}
	return 0
}

// name is [p,end) without blanks and the quotes of identifiers around it.
func name(s string, p, end int) Cell {
	const around = " \t\r\n\"`[]"
	p = chars.SkipAny(s[:end], p, around)
	return Cell{p, chars.SkipBackAny(s, p, end, around)}
}

// MaxTuple is the longest tuple, in bytes.
const MaxTuple = 16 << 10

// Tuple returns the values of the tuple that begins at p, with its parenthesis or behind SELECT, and where the next one begins; 0
// if none does.
func Tuple(s string, p int, row []Cell) (values []Cell, next int) {
	if s[p] == '\n' {
		return copied(s, p+1, row)
	}
	from, depth := p+1, 0
	for q := p + 1; q < len(s) && q-p < MaxTuple; q++ {
		c := s[q]
		switch {
		case c == '\'' || c == '"':
			q = quoteEnd(s, q)
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case (c == ';' || c == '\n' || chars.HasFold(s, q, " from ") || chars.HasFold(s, q, " where ")) && depth == 0 &&
			s[p] == ' ':
			return append(row, literal(s, from, q)), 0
		case c == ';' && depth == 0:
			return nil, 0
		case (c == ',' || c == ')' || c == ']' && s[p] == '[') && depth == 0:
			row = append(row, literal(s, from, q))
			if from = q + 1; c != ',' {
				return row, nextTuple(s, from)
			}
		}
	}
	if s[p] == ' ' && len(s)-p < MaxTuple {
		return append(row, literal(s, from, len(s))), 0
	}
	return nil, 0
}

// copied returns the values of the line at p, as COPY of PostgreSQL has them: with tabs, or else commas, between.
func copied(s string, p int, row []Cell) (values []Cell, next int) {
	from, to, ok := Line(s, p)
	if !ok || from == to || s[from] == '\\' && to-from == 2 {
		return nil, 0
	}
	delim := "\t"
	if strings.IndexByte(s[from:to], '\t') < 0 {
		delim = ","
	}
	if to+1 < len(s) {
		next = to
	}
	return split(row, s, from, to, delim), next
}

// quoteEnd is where the quote at p closes.
func quoteEnd(s string, p int) int {
	quote := s[p]
	for p++; p < len(s) && s[p] != quote; p++ {
		if s[p] == '\\' {
			p++
		}
	}
	return p
}

// nextTuple is where a tuple begins behind the one that ends at p; 0 if none does.
func nextTuple(s string, p int) int {
	if p = chars.Skip(s, p, chars.Space); p == len(s) || s[p] != ',' {
		return 0
	}
	if p = chars.Skip(s, p+1, chars.Space); chars.HasFold(s, p, "row(") {
		p += len("row")
	}
	if p == len(s) || s[p] != '(' && s[p] != '[' {
		return 0
	}
	return p
}

// literal is the inside of the SQL literal [p,end), such as 'x', N'x' or E'x'.
func literal(s string, p, end int) Cell {
	p = chars.Skip(s[:end], p, chars.Space)
	end = chars.SkipBack(s, p, end, chars.Space)
	if end-p >= 3 && s[p+1] == '\'' && chars.IsLetter(s[p]) {
		p++
	}
	if end-p >= 2 && (s[p] == '\'' || s[p] == '"') && s[end-1] == s[p] {
		return Cell{p + 1, end - 1}
	}
	return Cell{p, end}
}

// maxParams is how many parameters of a statement are read.
const maxParams = 256

// Params returns for each positional parameter of a statement ($1, ?, ?1, %s, @p1) the name that it
// is the value of; "" where none is found.
func Params(sql string) (names []string) {
	for p, n := 0, 0; p < len(sql) && n < maxParams; p++ {
		if sql[p] == '\'' {
			if i := strings.IndexByte(sql[p+1:], '\''); i >= 0 {
				p += i + 1
			}
			continue
		}
		index := paramAt(sql, p, n)
		if index < 0 || index >= maxParams {
			continue
		}
		n++
		for len(names) <= index {
			names = append(names, "")
		}
		names[index] = paramName(sql, p)
	}
	return names
}

// paramAt is the number of the parameter at p, which is the next one, of this number, if it has none; -1 if there is
// no parameter.
func paramAt(sql string, p, next int) int {
	digits, numbered := p+1, true
	switch c := sql[p]; {
	case c == '?':
		numbered = digits < len(sql) && chars.IsDigit(sql[digits])
	case c == '%' && strings.HasPrefix(sql[p:], "%s"):
		numbered = false
	case c == '@' && strings.HasPrefix(sql[p:], "@p"):
		digits++
	case c != '$':
		return -1
	}
	if !numbered {
		return next
	}
	end := chars.Skip(sql, digits, chars.Digit)
	if end == digits || end-digits > 3 {
		return -1
	}
	index := 0
	for _, d := range []byte(sql[digits:end]) {
		index = index*10 + int(d-'0')
	}
	return index - 1
}

// Named returns the name that the parameter :name, @name or $name of a statement is the value of; "" if there is no
// such parameter.
func Named(sql, name string) string {
	if name = strings.TrimLeft(name, ":@$"); name == "" {
		return ""
	}
	for p := 0; p < len(sql); p++ {
		i := strings.Index(sql[p:], name)
		if i < 0 {
			break
		}
		p += i
		if end := p + len(name); p > 0 && strings.IndexByte(":@$", sql[p-1]) >= 0 &&
			(end == len(sql) || chars.Class[sql[end]]&chars.Name == 0) {
			return paramName(sql, p-1)
		}
	}
	return ""
}

// paramName is the name that the parameter at p is the value of: the column compared with it or
// set to it, or the one at its place in an INSERT.
func paramName(sql string, p int) string {
	q := chars.SkipBackAny(sql, 0, p, " \t\r\n=<>!~(")
	for _, word := range [...]string{"like", "ilike", "in"} {
		if rest, ok := strings.CutSuffix(strings.ToLower(sql[max(0, q-6):q]), word); ok && strings.HasSuffix(rest,
			" ") {
			q = chars.SkipBack(sql, 0, q-len(word), chars.Space)
		}
	}
	if q < p && strings.ContainsAny(sql[q:p], "=<>~") || q < p && strings.Contains(sql[q:p], " ") {
		end := chars.SkipBackAny(sql, 0, q, "\"`])")
		start := chars.SkipBack(sql, 0, end, chars.Name)
		if word := sql[start:end]; word != "" && !chars.EqualFold(word, "values") {
			return word
		}
	}
	open := chars.LastByte(sql[:p], '(')
	if open < 0 {
		return ""
	}
	end := chars.LastByte(sql[:open], ')')
	if end < 0 {
		return ""
	}
	columns, tuple := columnsTo(sql, end, end)
	if column := strings.Count(sql[open:p], ","); tuple > 0 && column < len(columns) {
		return sql[columns[column].Start:columns[column].End]
	}
	return ""
}

// verbs begin statements that have parameters.
var verbs = [...]string{"insert into", "update ", "select ", "delete from", "merge into", "replace into", "with "}

// MaxStatement is the longest statement whose parameters are looked for behind it, in bytes.
const MaxStatement = 2 << 10

// Arguments returns the statement around i, which begins at low or behind it, and the values for its parameters that
// are listed behind it, as calls and logs have them: "…", [1, "x"]; …, ("x", 1); … params: ["x"]; $1 = 'x', $2 = '1'.
func Arguments(s string, low, i int) (sql Cell, list []Cell) {
	start := statementStart(s, max(low, i-MaxStatement), i)
	if start < 0 {
		return sql, nil
	}
	end, quote := min(len(s), i+MaxStatement), byte('\n')
	if start > 0 && strings.IndexByte("\"'`", s[start-1]) >= 0 {
		quote = s[start-1]
	}
	if n := strings.IndexByte(s[i:min(len(s), i+MaxStatement)], quote); n >= 0 {
		end = i + n
	}
	p := end
	if quote == '\n' {
		p = start + listLabel(s[start:end])
	}
	sql = Cell{start, p}
	if p = listStart(s, p, p == end, p == end && quote == '\n'); p == 0 {
		return sql, nil
	}
	return sql, items(s, p)
}

// statementStart is where the statement around i begins, not before low; -1 if there is none.
func statementStart(s string, low, i int) int {
	start := -1
	for _, verb := range verbs {
		for p := i - len(verb); p >= low && p > start; p-- {
			if chars.HasFold(s, p, verb) && (p == 0 || !chars.IsAlnum(s[p-1])) {
				start = p
			}
		}
	}
	return start
}

// listLabels stand between a statement and the list of its parameters' values.
var listLabels = [...]string{" params", " bindings", " binds", " parameters", " -- ", " [[\"", " args:", " args=",
	" values:", " values="}

// listLabel is where the first of listLabels begins in a line, or the length of the line.
func listLabel(line string) int {
	first := len(line)
	for _, label := range listLabels {
		for p := strings.IndexByte(line, ' '); p >= 0 && p < first; {
			if chars.HasFold(line, p, label) {
				first = p
				break
			}
			n := strings.IndexByte(line[p+1:], ' ')
			if n < 0 {
				break
			}
			p += 1 + n
		}
	}
	return first
}

// listStart is where the list of values begins behind p, in a call, behind a label, or in the call behind a
// semicolon that executes the statement; 0 if none does. closed tells that the statement's quote is at p, bare that
// its line ends there: then only a label is followed.
func listStart(s string, p int, closed, bare bool) int {
	const execute = "execute("
	first, last := p, byte(',')
	for limit := min(len(s), p+80); p < limit; p++ {
		c := s[p]
		switch {
		case bare && c != ':':
		case c == '[' || c == '(' || c == '$' && p+1 < limit && chars.IsDigit(s[p+1]),
			(c == '"' || c == '\'') && !(closed && p == first):
			end := quoteEnd(s[:limit], p)
			if q := chars.Skip(s[:limit], min(limit, end+1), chars.Blank); q == limit || s[q] != ':' {
				return p
			}
			p = end // the name of a member
		case c == ':' && p+1 < limit && s[p+1] == ' ' && isListLabel(s[first:p]):
			return p + 2
		case c == '{', c == '\n' && last != ',':
			return 0
		case c == ';':
			n := strings.Index(s[p:limit], execute)
			if n < 0 {
				return 0
			}
			return p + n + len(execute)
		}
		if !chars.IsSpace(c) {
			last = c
		}
	}
	return 0
}

// isListLabel reports whether v ends with one of listLabels.
func isListLabel(v string) bool {
	for _, label := range listLabels[:4] {
		if chars.EndsFold(v, label) {
			return true
		}
	}
	return false
}

// Values says which of n parameters the value at place k of a list of so many is for, if the list repeats them: as
// tuples, or as pairs of a name and a value. names are those of the parameters. It is -1 for a name.
func Values(s string, list []Cell, names []string, k int) int {
	n := len(names)
	if len(list) == 2*n && n > 0 && chars.EqualFold(s[list[0].Start:list[0].End], names[0]) {
		if k%2 == 0 {
			return -1
		}
		return k / 2
	}
	return k % max(1, n)
}

// items are the values of the list at p, and of the lists in it.
func items(s string, p int) (list []Cell) {
	open := chars.SkipAny(s[:min(len(s), p+2)], p, "[(")
	nested := open-p == 2
	for p = open; len(list) < maxParams; p++ {
		c, end := item(s, chars.SkipAny(s, p, " \t\r\n"))
		if end == 0 {
			break
		}
		list = append(list, c)
		p = chars.Skip(s, end, chars.Blank)
		if nested && p < len(s) && (s[p] == ')' || s[p] == ']') { // ("a", 1), ("b", 2)
			if p = chars.SkipAny(s[:min(len(s), p+3)], p+1, ", "); p < len(s) && (s[p] == '(' || s[p] == '[') {
				continue
			}
			break
		}
		if p >= len(s) || s[p] != ',' {
			break
		}
	}
	return list
}

// item is the value at p of a list, and where it ends; 0 if there is none.
func item(s string, p int) (c Cell, end int) {
	if p < len(s) && s[p] == '$' { // $1 =
		if q := chars.SkipAny(s, chars.Skip(s, p+1, chars.Digit), " ="); q < len(s) && s[q] == '\'' {
			p = q
		}
	}
	if p >= len(s) {
		return c, 0
	}
	if quote := s[p]; quote == '"' || quote == '\'' {
		n := strings.IndexByte(s[p+1:min(len(s), p+1+MaxTuple)], quote)
		if n < 0 {
			return c, 0
		}
		return Cell{p + 1, p + 1 + n}, p + n + 2
	}
	for end = p; end < len(s) && end-p < maxValue && strings.IndexByte(",])};\n", s[end]) < 0; {
		end++
	}
	c = Cell{p, end}
	if open := chars.LastByte(s[p:end], '('); open > 0 && end < len(s) && s[end] == ')' { // x(String)
		c.End = p + open
		end++
	}
	return c, end
}

// maxValue is the longest value of a list without quotes, in bytes.
const maxValue = 128
