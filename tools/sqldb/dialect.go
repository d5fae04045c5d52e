// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// dialect is what differs between databases.
type dialect struct {
	// reads are the words with which a statement that reads begins.
	reads []string
	// explainRuns says that EXPLAIN may run what it explains without the
	// database's guard: SQLite runs a PRAGMA while it compiles it.
	explainRuns bool
	// explain stands before a statement to see its plan instead of running it.
	explain string
	// tables lists schema, name and type of what can be queried.
	tables string
	// describe lists a table's columns; its parameters are the schema, "" for
	// any, and the table.
	describe string
	// readOnly runs work on a connection where the database refuses writes.
	readOnly readOnly
}

var dialects = map[Dialect]dialect{
	SQLite: {
		reads:       []string{"SELECT", "WITH", "VALUES", "EXPLAIN"},
		explainRuns: true,
		explain:     "EXPLAIN QUERY PLAN ",
		tables: `SELECT schema, name, type FROM pragma_table_list
			WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY schema, name`,
		describe: `SELECT c.name, c.type, c."notnull" = 0 AS nullable, c.dflt_value AS "default", c.pk > 0 AS primary_key
			FROM pragma_table_list AS t, pragma_table_xinfo(t.name, t.schema) AS c
			WHERE (?1 = '' OR t.schema = ?1) AND t.name = ?2 ORDER BY t.schema, c.cid`,
		readOnly: queryOnly,
	},
	PostgreSQL: {
		reads:   []string{"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"},
		explain: "EXPLAIN ",
		tables: `SELECT table_schema AS schema, table_name AS name, table_type AS type FROM information_schema.tables
			WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`,
		describe: `SELECT column_name AS name, data_type AS type, is_nullable AS nullable, column_default AS "default"
			FROM information_schema.columns
			WHERE (CAST($1 AS text) = '' OR table_schema = $1) AND table_name = $2 ORDER BY table_schema, ordinal_position`,
		readOnly: postgresReadOnly,
	},
	MySQL: {
		reads:   []string{"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"},
		explain: "EXPLAIN ",
		tables: `SELECT table_schema AS "schema", table_name AS name, table_type AS type FROM information_schema.tables
			WHERE table_schema = DATABASE() ORDER BY 1, 2`,
		describe: `SELECT column_name AS name, column_type AS type, is_nullable AS nullable, column_default AS ` +
			`"default", column_key AS "key"
			FROM information_schema.columns
			WHERE table_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND table_name = ? ORDER BY ordinal_position`,
		readOnly: mysqlReadOnly,
	},
}

// checkOne takes one statement: a semicolon stands at the end or nowhere. Drivers
// run all statements they are given, and to look for a semicolon outside of
// quotes and comments one would have to read SQL exactly as the database does.
func checkOne(field, statement string) error {
	body := strings.TrimRight(statement, "; \t\r\n\f\v")
	switch {
	case strings.TrimSpace(body) == "":
		return arg.Invalid(field, "no text", "one SQL statement")
	case strings.ContainsRune(statement, 0):
		return arg.Invalid(field, "a NUL character", "text without")
	case strings.Contains(body, ";"):
		return arg.Invalid(field, "a semicolon inside the statement", "one statement; give text that contains a semicolon in params")
	}
	return nil
}

// checkReads takes a statement that begins with a word that reads. The database
// still judges it; this keeps out what a read-only connection takes though it changes
// settings or files.
func (d dialect) checkReads(field, statement string, explained bool) error {
	word, rest := firstWord(statement)
	for _, r := range d.reads {
		if word != r {
			continue
		}
		if word != "EXPLAIN" || !d.explainRuns {
			return nil
		}
		if explained {
			break
		}
		if query, plan := firstWord(rest); query == "QUERY" {
			if query, rest = firstWord(plan); query != "PLAN" {
				break
			}
		}
		return d.checkReads(field, rest, true)
	}
	got := "a statement that does not begin with a word"
	if word != "" {
		got = fmt.Sprintf("a statement that begins with %.20q", word)
	}
	return arg.Invalid(field, got, "one that begins with "+strings.Join(d.reads, ", "))
}

// checkExplained takes a statement that can be explained: one that does not begin
// with EXPLAIN itself, whose options could make the database run it. Explaining a
// statement that writes is fine, since it is not run.
func (d dialect) checkExplained(field, statement string) error {
	if word, _ := firstWord(statement); !slices.Contains(
		[]string{"SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "REPLACE"}, word) {
		return arg.Invalid(field, fmt.Sprintf("a statement that begins with %.20q", word),
			"one that begins with SELECT, WITH, VALUES, TABLE, INSERT, UPDATE, DELETE or REPLACE")
	}
	return nil
}

// firstWord gives the first word in capitals, after blanks, parentheses, and lines that
// begin with "-- ", which are a comment everywhere.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t\r\n\f\v(")
	for strings.HasPrefix(s, "-- ") {
		_, below, _ := strings.Cut(s, "\n")
		s = strings.TrimLeft(below, " \t\r\n\f\v(")
	}
	end := 0
	for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z' || s[end] == '_') {
		end++
	}
	return strings.ToUpper(s[:end]), s[end:]
}
