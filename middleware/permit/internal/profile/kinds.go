// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// kind reports whether a word is of a kind, and notes it if it may be a path.
func (c *checker) kind(kind string, w shell.Word) bool {
	t := w.Text
	switch kind {
	case "text", "any":
		return true
	case "none":
		return false
	case "path":
		c.use.Paths = append(c.use.Paths, w)
		return true
	case "write":
		c.use.Writes = append(c.use.Writes, w)
		return true
	}
	if !w.Known {
		return false
	}
	switch kind {
	case "local":
		c.use.Paths = append(c.use.Paths, w)
		return !strings.Contains(t, ":")
	case "code":
		c.use.Paths = append(c.use.Paths, w)
		return t != "-" && !strings.HasPrefix(t, "/dev/") && !strings.HasPrefix(t, "/proc/")
	case "name":
		c.use.Paths = append(c.use.Paths, w)
		return plainName(t, "._/@:+^~-")
	case "script":
		return plainName(t, ":_.-")
	case "format":
		return strings.HasPrefix(t, "+")
	case "target":
		c.use.Paths = append(c.use.Paths, w)
		return !strings.ContainsAny(t, "=$`")
	case "assign":
		name, value, _ := strings.Cut(t, "=")
		name = strings.TrimRight(name, ":+?!")
		return !strings.ContainsAny(value, "$`") && name != "SHELL" && name != ".SHELLFLAGS" && !shell.Dangerous(name)
	case "url":
		return t != "" && t[0] != '-' && !strings.Contains(t, "::")
	case "sql":
		return plainSQL(t)
	}
	key, _, _ := strings.Cut(strings.ToLower(t), "=")
	for _, v := range c.p.values[kind] {
		if prefix, any := strings.CutSuffix(v, "*"); any && strings.HasPrefix(t, prefix) || v == key || v == t ||
			any && strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// plainName reports whether t has only letters, digits and some signs.
func plainName(t, signs string) bool {
	for i := range len(t) {
		if c := t[i]; !shell.IsLetter(c) && !shell.IsDigit(c) && strings.IndexByte(signs, c) < 0 {
			return false
		}
	}
	return t != "" && t[0] != '-'
}

// sqlFunctions are the functions of SQLite that are known to compute only, and words that may stand before a
// parenthesis.
const sqlFunctions = ` count sum avg min max total length lower upper substr substring coalesce ifnull nullif iif round abs
	date time datetime julianday strftime unixepoch group_concat string_agg typeof replace trim ltrim rtrim instr hex cast in
	values over exists and or not as where on when then select from join union except intersect like glob between sqlite_version
	json_extract json_array_length json_valid json_type row_number rank dense_rank lag lead partition distinct by using if `

// sqlStarts are the statements that change no other file.
const sqlStarts = ` select with explain values insert update delete create drop alter begin commit rollback analyze reindex `

// plainSQL reports whether a text has only statements of SQL that work on the open database, and no command of the
// program's own.
func plainSQL(t string) bool {
	before, first := "", true
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case shell.IsLetter(c):
			from := i
			for i < len(t) && (shell.IsLetter(t[i]) || shell.IsDigit(t[i])) {
				i++
			}
			before = strings.ToLower(t[from:i])
			if first && !strings.Contains(sqlStarts, " "+before+" ") || sqlElsewhere[before] {
				return false
			}
			first = false
			continue
		case c == '\'' || c == '"':
			n := strings.IndexByte(t[i+1:], c)
			if n < 0 {
				return false
			}
			before, i = "a quoted name", i+n+1
		case c == '(':
			if before != "" && !strings.Contains(sqlWords, " "+before+" ") {
				return false
			}
			before = ""
		case c == ';':
			before, first = "", true
		case c == '`' || c == '[' || first && strings.IndexByte(" \t\n", c) < 0 || c == '-' && strings.HasPrefix(t[i:], "--") || c == '/' && strings.HasPrefix(t[i:], "/*"):
			return false
		case c != ' ' && c != '\t' && c != '\n':
			before = ""
		}
		i++
	}
	return true
}

var (
	sqlWords     = " " + strings.Join(strings.Fields(sqlFunctions), " ") + " "
	sqlElsewhere = shell.NameSet("attach detach vacuum pragma virtual load_extension")
)
