// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/syntax"
	"github.com/toolscope/toolscope/redact/internal/tables"
)

// A grid is what a frame knows of a table in JSON.
type grid struct {
	columns []names.Verdict // of the rows in another member of this object
	rows    []names.Verdict // of the rows that are this array's items
	cells   []names.Verdict // of the cells that are this array's items
	headed  bool            // the first row has the titles
	row     bool            // this object is a row: its arrays have the cells of columns
	sql     [2]int          // the statement in this object, as it is written
}

// maxTitles is how much of a list of titles is read, in bytes.
const maxTitles = 16 << 10

// gridOf fills in what f, the array that begins at i, knows of a table.
func (sc *Scanner) gridOf(f *frame, s string, i, base int) {
	first := syntax.SkipBlank(s, i+1)
	if first >= len(s) {
		return
	}
	if len(sc.frames) > base {
		parent := &sc.frames[len(sc.frames)-1]
		switch {
		case parent.object && !f.object:
			sc.memberGrid(f, parent, s, i, base)
		case parent.object:
		case f.object:
			if f.grid.row = parent.isRow(); f.grid.row {
				f.grid.columns = parent.grid.rows
			}
		case sc.rowGrid(f, parent):
			return
		}
	}
	if f.object || f.grid.rows != nil {
		return
	}
	if s[first] == '{' { // [{"cells": ["user", …
		p := syntax.SkipBlank(s, first+1)
		if p >= len(s) || s[p] != '"' {
			return
		}
		end, _, _ := syntax.QuotedEnd(s, p+1)
		if p = syntax.SkipBlank(s, end+1); p >= len(s) || s[p] != ':' {
			return
		}
		first = syntax.SkipBlank(s, p+1)
	}
	if first < len(s) && s[first] == '[' {
		sc.headedGrid(f, s, first)
	}
}

// isRow reports whether the item of an array at which the walk is, is a row of a table.
func (f *frame) isRow() bool { return f.grid.rows != nil && !(f.grid.headed && f.index == 0) }

// rowGrid fills in what f knows of the array that it is an item of: a row of its table, or the parameters of the
// statement in it.
func (sc *Scanner) rowGrid(f, parent *frame) bool {
	switch {
	case parent.grid.sql[1] > 0:
		f.grid.cells = sc.params(parent.src[parent.grid.sql[0]:parent.grid.sql[1]])
	case parent.isRow():
		f.grid.cells = parent.grid.rows
	default:
		return false
	}
	return true
}

// memberGrid fills in what f, a member of parent, knows by its name: that it has titles, rows, or parameters.
func (sc *Scanner) memberGrid(f, parent *frame, s string, i, base int) {
	first := s[syntax.SkipBlank(s, i+1)]
	key := parent.src[parent.keyStart:parent.keyEnd]
	nested := first == '[' || first == '{'
	switch {
	case parent.grid.row:
		f.grid.cells = parent.grid.columns
	case isTitles(key) && first != '[':
		list, _ := sc.titles(s, i, false)
		if list == nil {
			return
		}
		for n := len(sc.frames) - 1; n >= max(base, len(sc.frames)-3) && sc.frames[n].object; n-- {
			sc.frames[n].grid.columns = list // {"schema":{"fields":…},"rows":…}
		}
	case first == '[' || isRows(key) && (nested || parent.grid.columns != nil || !isParams(key)):
		for n := len(sc.frames) - 2; n >= max(base, len(sc.frames)-4) && parent.grid.columns == nil; n-- {
			parent.grid.columns = sc.frames[n].grid.columns
		}
		if parent.grid.columns == nil && first == '[' {
			sc.behind(parent, s, i)
		}
		if nested {
			f.grid.rows = parent.grid.columns
		} else {
			f.grid.cells = parent.grid.columns
		}
	case isParams(key):
		if parent.grid.sql[1] == 0 {
			sc.behind(parent, s, i)
		}
		f.grid.cells = sc.params(parent.src[parent.grid.sql[0]:parent.grid.sql[1]])
	}
}

// headedGrid fills in what the first row of f, which begins at first, says of the others if it has titles.
func (sc *Scanner) headedGrid(f *frame, s string, first int) {
	list, end := sc.titles(s, first, true)
	if list == nil {
		return
	}
	if end = chars.SkipAny(s[:min(len(s), end+8)], end, " \n}"); end < len(s) && s[end] == ',' {
		end = syntax.SkipBlank(s, end+1)
		if p := syntax.SkipBlank(s, min(len(s), end+1)); len(list) == 2 && list[1].Level == names.Harmless && p < len(s) &&
			s[p] == '"' {
			if v, _ := sc.title(s, p, true); v.Level > names.Harmless { // a list of pairs
				return
			}
		}
		f.grid.rows, f.grid.headed = list, end < len(s) && (s[end] == '[' || s[end] == '{')
	}
}

// titlesWords are in the names of lists of titles.
const titlesWords = "column field head cols title names meta keys rowtype attributes"

func isTitles(key string) bool {
	for word, rest := "", titlesWords; rest != ""; {
		if word, rest, _ = strings.Cut(rest, " "); chars.ContainsFold(key, word) {
			return !strings.HasPrefix(key, "_")
		}
	}
	return false
}

func isRows(key string) bool {
	switch key {
	case "rows", "data", "values", "records", "results", "items", "cells", "row", "_fields":
		return true
	}
	return false
}

func isParams(key string) bool {
	switch key {
	case "params", "args", "parameters", "arguments", "bindings", "binds", "values", "vars":
		return true
	}
	return false
}

// hasParameters reports whether v is a statement of SQL with parameters.
func hasParameters(v string) bool {
	return len(v) > 16 && strings.ContainsAny(v, "?$%@") && (chars.HasFold(v, 0, "insert") ||
		chars.HasFold(v, 0, "update") ||
		chars.HasFold(v, 0, "select") || chars.HasFold(v, 0, "delete"))
}

func isStatement(key string) bool {
	switch key {
	case "query", "sql", "statement", "stmt", "text", "command":
		return true
	}
	return false
}

// titles reads the list of titles at i, strings or objects with a name, and returns what they say
// and where the list ends. It is nil if none tells. A plain one has strings alone, two or more.
func (sc *Scanner) titles(s string, i int, plain bool) (list []names.Verdict, end int) {
	told := false
	p := syntax.SkipBlank(s, i+1)
	for p < len(s) && p-i < maxTitles {
		v, stop := sc.title(s, p, plain)
		if p = stop; p == 0 {
			return nil, 0
		}
		told = told || v.Level > names.Harmless
		list = append(list, v)
		p = syntax.SkipBlank(s, p)
		if p < len(s) && s[p] == ']' {
			p++
			break
		}
		if p >= len(s) || s[p] != ',' {
			return nil, 0
		}
		p = syntax.SkipBlank(s, p+1)
	}
	sc.Count(p - i)
	if !told || plain && len(list) < 2 {
		return nil, 0
	}
	return list, p
}

// title reads the title at p, and returns what it says and where it ends; 0 if there is none.
func (sc *Scanner) title(s string, p int, plain bool) (v names.Verdict, end int) {
	if s[p] == '"' {
		stop, _, closed := syntax.QuotedEnd(s, p+1)
		if !closed || plain && stop-p > names.MaxName {
			return v, 0
		}
		return sc.classify(s[p+1 : stop]), stop + 1
	}
	stop := syntax.SkipValue(s, p)
	if stop <= p || plain && (s[p] != '{' || stop-p > 2*names.MaxName) {
		return v, 0
	}
	if s[p] == '{' {
		v = sc.classify(titleOf(s[p:stop], plain))
	}
	return v, stop
}

// titleNames are the names of a column's title in the object that describes it; the last is that of any string.
var titleNames = [...]string{`"name"`, `"field"`, `"column_name"`, `"label"`, `"title"`, `"key"`, `"id"`, `":`}

// titleOf is the name in an object that describes a column; of a cell, its first string.
func titleOf(object string, cell bool) string {
	for _, name := range &titleNames {
		i := strings.Index(object, name)
		if i < 0 || (name == `":`) != cell {
			continue
		}
		if i += len(name); !cell {
			if i = syntax.SkipBlank(object, i); i >= len(object) || object[i] != ':' {
				continue
			}
			i++
		}
		if i = syntax.SkipBlank(object, i); i < len(object) && object[i] == '"' {
			end, _ := syntax.StringEnd(object, i+1)
			return object[i+1 : end]
		}
	}
	return ""
}

// maxBehind is how many members behind the rows are searched for their titles.
const maxBehind = 16

// behind looks for the titles, or the statement, of the array at i in the members behind it.
func (sc *Scanner) behind(f *frame, s string, i int) {
	p := syntax.SkipValue(s, i)
	for range maxBehind {
		sc.spend((p - i) / 16)
		i = p
		if p = syntax.SkipBlank(s, p); p >= len(s) || s[p] != ',' {
			return
		}
		if p = syntax.SkipBlank(s, p+1); p >= len(s) || s[p] != '"' {
			return
		}
		end, _ := syntax.StringEnd(s, p+1)
		key := s[p+1 : end]
		if p = syntax.SkipBlank(s, end+1); p >= len(s) || s[p] != ':' {
			return
		}
		if p = syntax.SkipBlank(s, p+1); p >= len(s) {
			return
		}
		stop := syntax.SkipValue(s, p)
		switch {
		case isTitles(key) && s[p] == '[':
			f.grid.columns, _ = sc.titles(s, p, false)
		case isStatement(key) && s[p] == '"':
			f.grid.sql = [2]int{p + 1, max(p+1, stop-1)}
		}
		p = stop
	}
}

// params returns what a statement, as it is written in JSON, says of its parameters; nil if nothing.
func (sc *Scanner) params(sql string) (list []names.Verdict) {
	if strings.IndexByte(sql, '\\') >= 0 {
		sql = string(codec.JSON.Decode(nil, sql))
	}
	sc.spend(len(sql))
	told := false
	for _, name := range tables.Params(sql) {
		v := sc.classify(name)
		told = told || v.Level > names.Harmless
		list = append(list, v)
	}
	if !told {
		return nil
	}
	return list
}
