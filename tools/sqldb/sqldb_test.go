// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
)

// open makes a database of one table with three rows and a view, in a file.
func open(t *testing.T) (*sql.DB, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range []string{
		`CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL DEFAULT 1.5, picture BLOB)`,
		`INSERT INTO items VALUES (1, 'apple', 0.5, NULL), (2, 'a;b <c>', 2, x'ff00'), (9007199254740993, 'pear', NULL, NULL)`,
		`CREATE VIEW cheap AS SELECT name FROM items WHERE price < 1`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return db, dir
}

func registry(t *testing.T, db *sql.DB, o sqldb.Options) *toolkit.Registry {
	t.Helper()
	o.Dialect = sqldb.SQLite
	tools, err := sqldb.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := r.Register(append(tools.ReadTools(), tools.WriteTool())...); err != nil {
		t.Fatal(err)
	}
	return r
}

type answer struct {
	Columns   []struct{ Name, Type string }
	Rows      [][]any
	RowCount  int `json:"row_count"`
	Truncated bool
	Note      string
	Duration  *float64 `json:"duration_ms"`
}

func call(ctx context.Context, r *toolkit.Registry, tool string, args any) toolkit.Result {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return r.Execute(ctx, toolkit.Call{Name: tool, Arguments: text}).Result
}

type object = map[string]any

func parse(t *testing.T, res toolkit.Result) (a answer) {
	t.Helper()
	if res.Fault != nil {
		t.Fatal(res.Output)
	}
	if err := json.Unmarshal([]byte(res.Output), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestQuery(t *testing.T) {
	db, _ := open(t)
	r := registry(t, db, sqldb.Options{})
	tests := []struct{ name, query, params, want string }{
		{"values and types", `SELECT id, name, price, picture FROM items ORDER BY id`, `[]`,
			`{"columns":[{"name":"id","type":"INTEGER"},{"name":"name","type":"TEXT"},{"name":"price",` +
				`"type":"REAL"},{"name":"picture","type":"BLOB"}],` +
				`"rows":[[1,"apple",0.5,null],[2,"a;b ` +
				`<c>",2,"base64:/wA="],[9007199254740993,"pear",null,null]],"row_count":3,"truncated":false,`},
		{"parameters", `SELECT name FROM items WHERE name = ? OR id = ?;`, `["a;b <c>", 9007199254740993]`,
			`"rows":[["a;b <c>"],["pear"]]`},
		{"null, boolean and float", `SELECT ?, ?, ?`, `[null, true, 0.25]`, `"rows":[[null,1,0.25]]`},
		{"common table expression",
			"\n with n(x) as (select 1 union all select x+1 from n where x < 3) select sum(x) from n ; \n", `[]`, `"rows":[[6]]`},
		{"no rows", `SELECT id FROM items WHERE 0`, `[]`, `"rows":[],"row_count":0`},
		{"values", `(VALUES (1))`, `[]`, ``},
		{"explain", `EXPLAIN QUERY PLAN SELECT * FROM items`, `[]`, `SCAN items`},
		{"comments first", "-- how many\n  -- items\nSELECT count(*) FROM items", `[]`, `"rows":[[3]]`},
		{"read-only pragma as a table", `SELECT name FROM pragma_table_info('items') LIMIT 1`, `[]`, `"rows":[["id"]]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			res := call(t.Context(), r, "sql_query", object{"query": test.query, "params": json.RawMessage(test.params)})
			if test.want == "" {
				return // the database's own taste decides
			}
			if res.Fault != nil || !strings.Contains(res.Output, test.want) || !strings.Contains(res.Output, `"duration_ms":`) {
				t.Errorf("got %s (%v), want %s in it", res.Output, res.Fault, test.want)
			}
		})
	}
}

// TestReadOnly tries to write through the reading tool, and looks at the
// database, its directory and the connection's settings afterwards.
func TestReadOnly(t *testing.T) {
	db, dir := open(t)
	db.SetMaxOpenConns(1) // so that a setting that stays would be seen
	r := registry(t, db, sqldb.Options{Timeout: 10 * time.Second})
	other := filepath.Join(dir, "other.db")
	attempts := []string{
		`DELETE FROM items`, `INSERT INTO items(name) VALUES ('x')`, `UPDATE items SET name = 'x'`,
		`DROP TABLE items`, `CREATE TABLE x (y)`,
		`CREATE TEMP TABLE x (y)`, `ALTER TABLE items RENAME TO x`, `REINDEX`, `ANALYZE`, `VACUUM`, `BEGIN IMMEDIATE`,
		`COMMIT`, `SAVEPOINT s`,
		`REPLACE INTO items VALUES (1, 'x', 1, NULL)`,
		`WITH x AS (SELECT 1) DELETE FROM items`, `WITH x AS (SELECT 1) INSERT INTO items(name) SELECT 'x' FROM x`,
		`WITH x AS (SELECT 1) UPDATE items SET name = 'x' RETURNING name`,
		`PRAGMA query_only = 0`, `PRAGMA user_version = 5`, `PRAGMA journal_mode = WAL`, `PRAGMA foreign_keys = 1`,
		`PRAGMA writable_schema = 1`,
		`EXPLAIN PRAGMA query_only = 0`, `EXPLAIN QUERY PLAN PRAGMA foreign_keys = 1`, `EXPLAIN EXPLAIN SELECT 1`, `EXPLAIN`,
		`SELECT 1; DELETE FROM items`, `PRAGMA query_only = 0; DELETE FROM items`, `SELECT 1;;DELETE FROM items;`,
		"SELECT 1;\nDELETE FROM items", "SELECT 1 --'\n; DELETE FROM items --'", `SELECT '/*'; DELETE FROM items --*/'`,
		`SELECT $a('); DELETE FROM items; --')`, "SELECT [']; DELETE FROM items --']",
		"SELECT 1\x00; DELETE FROM items", "/**/ DELETE FROM items", "-- SELECT\nDELETE FROM items",
		"--SELECT\nDELETE FROM items", "-- SELECT 1",
		`SELECT 1 UNION DELETE FROM items`, `SELECT * FROM (DELETE FROM items RETURNING id)`,
		`ATTACH DATABASE '` + other + `' AS other`, `VACUUM INTO '` + other + `'`,
		`EXPLAIN ATTACH DATABASE '` + other + `' AS other`,
		`SELECT load_extension('x')`, `SELECT writefile('` + other + `', 'x')`,
		`SELECT * FROM pragma_journal_mode('WAL')`, `SELECT * FROM pragma_query_only(0)`, `SELECT * FROM pragma_user_version(5)`,
		``, ` ; `, `--`, `'`, `(`, `;`,
	}
	state := func() (s string) {
		for _, q := range []string{
			`SELECT group_concat(id || name) FROM items`, `SELECT group_concat(name) FROM sqlite_schema`,
			`PRAGMA query_only`, `PRAGMA foreign_keys`,
			`PRAGMA user_version`, `PRAGMA journal_mode`, `PRAGMA writable_schema`,
			`SELECT count(*) FROM pragma_database_list WHERE name <> 'temp'`, `SELECT count(*) FROM sqlite_temp_schema`,
		} {
			var v string
			if err := db.QueryRow(q).Scan(&v); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			s += q + ": " + v + "\n"
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			s += f.Name() + "\n"
		}
		return s
	}
	before := state()
	for _, a := range attempts {
		call(t.Context(), r, "sql_explain", object{"query": a})
		if after := state(); after != before {
			t.Fatalf("explaining %q changed the database:\n%s\nbefore:\n%s", a, after, before)
		}
		res := call(t.Context(), r, "sql_query", object{"query": a})
		if res.Fault == nil {
			t.Errorf("%q: got %s, want an error", a, res.Output)
		}
		if after := state(); after != before {
			t.Fatalf("%q changed the database:\n%s\nbefore:\n%s", a, after, before)
		}
	}
	// The same connection writes again for those who may.
	if res := call(t.Context(), r, "sql_exec",
		object{"statement": "DELETE FROM items WHERE id = ?", "params": []any{1}}); res.Fault != nil ||
		!strings.HasPrefix(res.Output, `{"rows_affected":1,"duration_ms":`) {
		t.Errorf("got %s", res.Output)
	}
}

// TestReadOnlyStays checks that a connection opened read-only is given back so.
func TestReadOnlyStays(t *testing.T) {
	db, _ := open(t)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	r := registry(t, db, sqldb.Options{})
	parse(t, call(t.Context(), r, "sql_query", object{"query": "SELECT 1"}))
	if _, err := db.Exec("DELETE FROM items"); err == nil {
		t.Error("the connection writes, want query_only kept")
	}
}

func TestExec(t *testing.T) {
	db, _ := open(t)
	db.SetMaxOpenConns(1)
	r := registry(t, db, sqldb.Options{})
	for _, statement := range []string{"DELETE FROM items; DELETE FROM items", "", "COMMIT", "BEGIN",
		"INSERT INTO nowhere VALUES (1)"} {
		if res := call(t.Context(), r, "sql_exec", object{"statement": statement}); res.Fault == nil {
			t.Errorf("%q: got %s, want an error", statement, res.Output)
		}
	}
	if got := parse(t, call(t.Context(), r, "sql_query", object{"query": "SELECT count(*) FROM items"})).Rows[0][0]; got != 3.0 {
		t.Errorf("got %v items, want 3", got)
	}
}

func TestExplain(t *testing.T) {
	db, _ := open(t)
	r := registry(t, db, sqldb.Options{})
	for query, want := range map[string]string{
		"SELECT * FROM items WHERE id = ?": "SEARCH items USING INTEGER PRIMARY KEY",
		"DELETE FROM items":                `"columns":`,
	} {
		if res := call(t.Context(), r, "sql_explain",
			object{"query": query, "params": []any{1}[:strings.Count(query, "?")]}); res.Fault != nil ||
			!strings.Contains(res.Output, want) {
			t.Errorf("%s: got %s, want %s", query, res.Output, want)
		}
	}
	for _, query := range []string{"PRAGMA query_only = 0", "EXPLAIN SELECT 1", "ANALYZE SELECT 1",
		"(ANALYZE) DELETE FROM items", "", "SELECT 1; SELECT 2"} {
		if res := call(t.Context(), r, "sql_explain", object{"query": query}); !errors.Is(res.Fault,
			toolkit.ErrInvalidArguments) {
			t.Errorf("%q: got %s, want it refused", query, res.Output)
		}
	}
}

func TestSchemaTools(t *testing.T) {
	db, _ := open(t)
	r := registry(t, db, sqldb.Options{})
	if res := call(t.Context(), r, "sql_tables", object{}); !strings.Contains(res.Output,
		`"rows":[["main","cheap","view"],["main","items","table"]]`) {
		t.Errorf("got %s", res.Output)
	}
	for _, name := range []string{"items", "main.items"} {
		res := call(t.Context(), r, "sql_describe", object{"table": name})
		if !strings.Contains(res.Output, `["id","INTEGER",1,null,1],["name","TEXT",0,null,0],["price","REAL",1,"1.5",0]`) {
			t.Errorf("%s: got %s", name, res.Output)
		}
	}
	for _, name := range []string{"", "nothing", "main.nothing", "items'; DROP TABLE items"} {
		if res := call(t.Context(), r, "sql_describe", object{"table": name}); !errors.Is(res.Fault,
			toolkit.ErrInvalidArguments) {
			t.Errorf("%q: got %s", name, res.Output)
		}
	}
}

func TestLimits(t *testing.T) {
	db, _ := open(t)
	const numbers = "WITH n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x < 20) SELECT x FROM n"
	tests := []struct {
		name    string
		options sqldb.Options
		query   string
		rows    int
		note    string
	}{
		{"all fit", sqldb.Options{MaxRows: 20}, numbers, 20, ""},
		{"rows", sqldb.Options{MaxRows: 19}, numbers, 19, "only the first 19 rows"},
		{"bytes", sqldb.Options{MaxBytes: 10}, numbers, 3, "row 4 and those after it do not fit into 10 bytes"},
		{"one huge value", sqldb.Options{MaxBytes: 1000}, "SELECT printf('%.*c', 5000, 'x')", 0, "row 1 and those after it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := parse(t, call(t.Context(), registry(t, db, test.options), "sql_query", object{"query": test.query}))
			if a.RowCount != test.rows || len(a.Rows) != test.rows || a.Truncated != (test.note != "") ||
				!strings.Contains(a.Note, test.note) {
				t.Errorf("got %d rows (%d), truncated %v, note %q, want %d and %q", len(a.Rows), a.RowCount,
					a.Truncated, a.Note, test.rows, test.note)
			}
		})
	}
}

// TestHugeValue checks that a value too large for the answer is not written first: it costs the
// driver's copies only.
func TestHugeValue(t *testing.T) {
	db, _ := open(t)
	r := registry(t, db, sqldb.Options{})
	const size = 32 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := parse(t, call(t.Context(), r, "sql_query",
		object{"query": fmt.Sprintf("SELECT 1, zeroblob(%d) UNION ALL SELECT 2, 'x'", size)}))
	runtime.ReadMemStats(&after)
	if !a.Truncated || a.RowCount != 0 {
		t.Errorf("got %d rows, truncated %v", a.RowCount, a.Truncated)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*size {
		t.Errorf("%d bytes were allocated for a value of %d", used, size)
	}
}

func TestTimeout(t *testing.T) {
	db, _ := open(t)
	db.SetMaxOpenConns(1)
	r := registry(t, db, sqldb.Options{Timeout: 100 * time.Millisecond})
	const endless = "WITH n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT count(*) FROM n"
	start := time.Now()
	res := call(t.Context(), r, "sql_query", object{"query": endless})
	if !errors.Is(res.Fault, toolkit.ErrTimeout) || !strings.Contains(res.Output, "100ms") {
		t.Errorf("got %s, want a timeout", res.Output)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if res := call(t.Context(), r, "sql_exec", object{"statement": "DELETE FROM items"}); res.Fault != nil {
		t.Errorf("after a timeout: got %s, want the connection to write again", res.Output)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if res := call(ctx, r, "sql_query", object{"query": endless}); !errors.Is(res.Fault, toolkit.ErrCanceled) {
		t.Errorf("got %s, want canceled", res.Output)
	}
}

func TestRefusedParams(t *testing.T) {
	db, _ := open(t)
	r := registry(t, db, sqldb.Options{})
	for _, params := range []string{`[[1]]`, `[{}]`, `[1e999]`, `"x"`} {
		res := call(t.Context(), r, "sql_query", object{"query": "SELECT ?", "params": json.RawMessage(params)})
		if !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %s", params, res.Output)
		}
	}
}

func TestNew(t *testing.T) {
	db, _ := open(t)
	if _, err := sqldb.New(nil, sqldb.Options{Dialect: sqldb.SQLite}); err == nil {
		t.Error("nil database: got no error")
	}
	for field, o := range map[string]sqldb.Options{
		"Dialect": {}, "MaxRows": {Dialect: sqldb.MySQL, MaxRows: -1},
		"MaxBytes": {Dialect: sqldb.MySQL, MaxBytes: -1}, "Timeout": {Dialect: sqldb.MySQL, Timeout: -1},
	} {
		if _, err := sqldb.New(db, o); err == nil || !strings.Contains(err.Error(), "Options."+field) {
			t.Errorf("%s: got %v, want an error that names it", field, err)
		}
	}
}

func TestDefinitions(t *testing.T) {
	db, _ := open(t)
	for _, def := range registry(t, db, sqldb.Options{}).Definitions() {
		if err := def.Validate(); err != nil {
			t.Error(err)
		}
		writes := def.Name == "sql_exec"
		if def.ReadOnly != toolkit.HintOf(!writes) || def.Destructive != toolkit.HintOf(writes) ||
			(def.Risk == toolkit.RiskHigh) != writes || def.Title == "" {
			t.Errorf("%s: got read-only %d, destructive %d, risk %s, title %q", def.Name, def.ReadOnly,
				def.Destructive, def.Risk, def.Title)
		}
	}
}

func TestToolsNameTheirDatabase(t *testing.T) {
	for given, want := range map[string]string{"": "database", "db:orders": "db:orders"} {
		db, _ := open(t)
		for _, d := range registry(t, db, sqldb.Options{Dialect: sqldb.SQLite, Resource: given}).Definitions() {
			if len(d.Resources) != 1 || d.Resources[0] != want {
				t.Errorf("%s: got resources %q, want %q", d.Name, d.Resources, want)
			}
		}
	}
}

// The tools over two databases could not be in one registry.
func TestPrefix(t *testing.T) {
	r := new(toolkit.Registry)
	for _, prefix := range []string{"orders_", "stock_"} {
		db, _ := open(t)
		tools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite, Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Register(append(tools.ReadTools(), tools.WriteTool())...); err != nil {
			t.Fatal(err)
		}
	}
	if res := call(t.Context(), r, "orders_sql_exec", object{"statement": "DELETE FROM items"}); res.Fault != nil {
		t.Error(res.Output)
	}
	for name, want := range map[string]int{"orders_sql_query": 0, "stock_sql_query": 3} {
		if got := parse(t, call(t.Context(), r, name, object{"query": "SELECT * FROM items"})); got.RowCount != want {
			t.Errorf("%s: got %d rows, want %d", name, got.RowCount, want)
		}
		if d := r.Lookup(name); d == nil || d.Resources[0] != "database:"+strings.TrimSuffix(name, "sql_query") {
			t.Errorf("%s: got %+v", name, d)
		}
	}
	for _, prefix := range []string{"a b", "ä", strings.Repeat("x", 33)} {
		if _, err := sqldb.New(&sql.DB{}, sqldb.Options{Dialect: sqldb.SQLite, Prefix: prefix}); err == nil {
			t.Errorf("%q: got no error", prefix)
		}
	}
}
