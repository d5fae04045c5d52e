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
		strings.IndexByte("\"`[]\\", s[p]) >= 0) {
		p++
	}
	return p
}

// Columns returns the names in the parentheses around i if VALUES and a tuple follow them, and
// where the first tuple begins. If there are none, none is before end.
func Columns(s string, i int) (names []Cell, tuple, stop int) {
	stop = columnsEnd(s, i)
	if stop == len(s) || s[stop] != ')' {
		return nil, 0, stop
	}
	names, tuple = columnsTo(s, i, stop)
	return names, tuple, stop
}

// columnsTo is Columns for a list that ends at stop.
func columnsTo(s string, i, stop int) (names []Cell, tuple int) {
	p := chars.Skip(s, stop+1, chars.Space)
	if !chars.HasFold(s, p, "values") {
		return nil, 0
	}
	low, end := max(0, i-maxColumns), stop-i
	open := strings.LastIndexByte(s[low:i], '(')
	if open < 0 || columnsEnd(s, low+open+1) != stop {
		return nil, 0
	}
	if p = chars.Skip(s, p+len("values"), chars.Space); p == len(s) || s[p] != '(' {
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

// name is [p,end) without blanks and the quotes of identifiers around it.
func name(s string, p, end int) Cell {
	const around = " \t\r\n\"`[]"
	p = chars.SkipAny(s[:end], p, around)
	return Cell{p, chars.SkipBackAny(s, p, end, around)}
}

// MaxTuple is the longest tuple, in bytes.
const MaxTuple = 16 << 10

// Tuple returns the values of the tuple whose parenthesis is at p, and where the next one begins; 0
// if none does.
func Tuple(s string, p int, row []Cell) (values []Cell, next int) {
	from, depth := p+1, 0
	for q := p + 1; q < len(s) && q-p < MaxTuple; q++ {
		switch c := s[q]; c {
		case '\'', '"':
			for q++; q < len(s) && s[q] != c; q++ {
				if s[q] == '\\' {
					q++
				}
			}
		case '(':
			depth++
		case ',', ')':
			if c == ')' && depth > 0 {
				depth--
				continue
			}
			if depth > 0 {
				continue
			}
			row = append(row, literal(s, from, q))
			if from = q + 1; c == ')' {
				q = chars.Skip(s, q+1, chars.Space)
				if q < len(s) && s[q] == ',' {
					if q = chars.Skip(s, q+1, chars.Space); q < len(s) && s[q] == '(' {
						return row, q
					}
				}
				return row, 0
			}
		case ';':
			return nil, 0
		}
	}
	return nil, 0
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

// Params returns for each positional parameter of a statement ($1, ?, %s, @p1) the name that it
// is the value of; "" where none is found.
func Params(sql string) (names []string) {
	n := 0
	for p := 0; p < len(sql) && n < maxParams; p++ {
		index := n
		switch c := sql[p]; {
		case c == '\'':
			if i := strings.IndexByte(sql[p+1:], '\''); i >= 0 {
				p += i + 1
			}
			continue
		case c == '?', c == '%' && p+1 < len(sql) && sql[p+1] == 's':
		case (c == '$' || c == '@' && p+1 < len(sql) && sql[p+1] == 'p') && p+1 < len(sql):
			q := p + 1
			if c == '@' {
				q++
			}
			end := chars.Skip(sql, q, chars.Digit)
			if end == q || end-q > 3 {
				continue
			}
			index = 0
			for _, d := range []byte(sql[q:end]) {
				index = index*10 + int(d-'0')
			}
			if index--; index < 0 || index >= maxParams {
				continue
			}
		default:
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
	open := strings.LastIndexByte(sql[:p], '(')
	if open < 0 {
		return ""
	}
	end := strings.LastIndexByte(sql[:open], ')')
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

// maxStatement is the longest statement whose parameters are looked for behind it, in bytes.
const maxStatement = 2 << 10

// Arguments returns the statement around i and the values for its parameters that are listed behind it, as
// calls and logs have them: "…", [1, "x"]; …, ("x", 1); … params: ["x"]; $1 = 'x', $2 = '1'.
func Arguments(s string, i int) (sql Cell, list []Cell) {
	low := max(0, i-maxStatement)
	start := -1
	for _, verb := range verbs {
		for p := i - len(verb); p >= low && p > start; p-- {
			if chars.HasFold(s, p, verb) && (p == 0 || !chars.IsAlnum(s[p-1])) {
				start = p
			}
		}
	}
	if start < 0 {
		return sql, nil
	}
	end := len(s)
	quote := byte('\n')
	if start > 0 && strings.IndexByte("\"'`", s[start-1]) >= 0 {
		quote = s[start-1]
	}
	if n := strings.IndexByte(s[i:min(len(s), i+maxStatement)], quote); n >= 0 {
		end = i + n
	}
	sql = Cell{start, end}
	p := end
	if n := strings.Index(s[start:end], " params"); quote == '\n' && n > 0 {
		p = start + n
	} else if n = strings.Index(s[start:end], "-- "); quote == '\n' && n > 0 {
		p = start + n
	}
	sql.End = p
	for limit := min(len(s), p+80); p < limit && strings.IndexByte("[($", s[p]) < 0 && (p == end || s[p] != '"' &&
		s[p] != '\''); p++ {
		if s[p] == ';' || s[p] == '{' {
			return sql, nil
		}
	}
	return sql, items(s, p)
}

// items are the values of the list at p.
func items(s string, p int) (list []Cell) {
	if p < len(s) && (s[p] == '[' || s[p] == '(') {
		p++
	}
	for len(list) < maxParams && p < len(s) {
		p = chars.SkipAny(s, p, " \t\r\n")
		if p < len(s) && s[p] == '$' { // $1 =
			if q := chars.SkipAny(s, chars.Skip(s, p+1, chars.Digit), " ="); q < len(s) && s[q] == '\'' {
				p = q
			}
		}
		if p >= len(s) {
			break
		}
		end := p
		if c := s[p]; c == '"' || c == '\'' {
			n := strings.IndexByte(s[p+1:min(len(s), p+1+MaxTuple)], c)
			if n < 0 {
				break
			}
			list = append(list, Cell{p + 1, p + 1 + n})
			end = p + n + 2
		} else {
			for end < len(s) && end-p < maxTitle && strings.IndexByte(",])};\n", s[end]) < 0 {
				end++
			}
			list = append(list, Cell{p, end})
		}
		if p = chars.Skip(s, end, chars.Blank); p >= len(s) || s[p] != ',' {
			break
		}
		p++
	}
	return list
}
