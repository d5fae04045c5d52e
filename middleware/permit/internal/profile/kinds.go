// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
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
	case "change":
		c.use.Paths, c.use.Changes = append(c.use.Paths, w), append(c.use.Changes, w)
		return true
	}
	if !w.Known {
		return false
	}
	switch kind {
	case "dir":
		c.use.Paths = append(c.use.Paths, w)
		c.use.Dirs = append(c.use.Dirs, t)
		return true
	case "archive": // of another host, if it has a colon
		c.archives = append(c.archives, w)
		return !strings.Contains(t, ":")
	case "pattern": // of the names that an option lists
		return slices.ContainsFunc(c.seen, func(o string) bool { return lists[o] }) && t != "" && t[0] != '-'
	case "include": // of the names that a search opens
		c.use.Only = append(c.use.Only, t)
		return true
	case "node": // which is no file of options
		c.use.Paths = append(c.use.Paths, w)
		return !strings.HasPrefix(t, "@")
	case "module": // what follows is the module's
		if p := Find(t); p != nil && p.Name == "pytest" {
			c.module = p
		}
		return t == "pytest" || t == "unittest"
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
	case "program": // awk's
		return !strings.Contains(t, "ENVIRON")
	case "filter": // jq's modules are files, and $ENV is the environment
		return !strings.Contains(t, "import") && !strings.Contains(t, "include") && !strings.Contains(t, "env") &&
			!strings.Contains(t, "ENV")
	}
	key, _, _ := strings.Cut(strings.ToLower(t), "=")
	return slices.ContainsFunc(c.p.values[kind], func(v string) bool { return glob.Match(v, t) || glob.Match(v, key) })
}

// lists are options of git branch and git tag with which they make nothing.
var lists = shell.NameSet("-l --list --contains --no-contains --merged --no-merged --points-at")

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
	before, first := "", true // the last word, and whether a statement begins
	for i := 0; i < len(t); {
		token := sqlToken(t[i:])
		i += len(token)
		switch word := strings.ToLower(token); {
		case token == "":
			return false
		case shell.IsLetter(token[0]):
			if first && !strings.Contains(sqlStarts, " "+word+" ") || sqlElsewhere[word] {
				return false
			}
			before, first = word, false
		case strings.Trim(token, " \t\n") == "":
		case first && token != ";" || token == "(" && before != "" && !strings.Contains(sqlWords, " "+before+" "):
			return false
		case token[0] == '\'' || token[0] == '"':
			if sqlElsewhere[strings.ToLower(strings.Trim(token, `'"`))] {
				return false
			}
			before = "a quoted name"
		default:
			before, first = "", token == ";"
		}
	}
	return true
}

// sqlToken is the first word, text or sign of SQL; "" if it is a comment, another form of quotes, or has no end.
func sqlToken(t string) string {
	switch c := t[0]; {
	case shell.IsLetter(c):
		n := 1
		for n < len(t) && (shell.IsLetter(t[n]) || shell.IsDigit(t[n])) {
			n++
		}
		return t[:n]
	case c == '\'' || c == '"':
		if n := strings.IndexByte(t[1:], c); n >= 0 {
			return t[:n+2]
		}
		return ""
	case c == '`' || c == '[' || strings.HasPrefix(t, "--") || strings.HasPrefix(t, "/*"):
		return ""
	}
	return t[:1]
}

var (
	sqlWords     = " " + strings.Join(strings.Fields(sqlFunctions), " ") + " "
	sqlElsewhere = shell.NameSet("attach detach vacuum pragma virtual load_extension fsdir zipfile csv " +
		" vsv lines sqlite_dbpage readfile writefile edit fts3_tokenizer")
)
