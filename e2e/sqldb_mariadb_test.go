// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
)

// mariaShop fills a database in which the user agent may do everything.
func mariaShop(t *testing.T, m *mariaDB) (admin *sql.DB) {
	t.Helper()
	admin = m.open(t, "root", "", "?multiStatements=true")
	run(
		t,
		admin,
		"CREATE DATABASE shop",
		"CREATE USER agent@localhost",
		"GRANT ALL ON shop.* TO agent@localhost",
		"CREATE USER scribe@localhost",
		"GRANT ALL ON shop.* TO scribe@localhost",
		"GRANT FILE ON *.* TO scribe@localhost",
		"CREATE TABLE shop.items (id int PRIMARY KEY, name varchar(20) NOT NULL, price decimal(8,2))",
		"INSERT INTO shop.items VALUES (1, 'apple', 1.10), (2, 'pear', 2.20), (3, 'plum', NULL)",
		"CREATE TABLE shop.notes (id int PRIMARY KEY) ENGINE=MyISAM",
		"INSERT INTO shop.notes VALUES (1)",
		"CREATE SEQUENCE shop.numbers",
		"CREATE FUNCTION shop.inserts() RETURNS int BEGIN INSERT INTO shop.items VALUES (10, 'x', 1); RETURN 1; END",
		"CREATE FUNCTION shop.notes() RETURNS int BEGIN INSERT INTO shop.notes VALUES (10); RETURN 1; END",
		"CREATE FUNCTION shop.temporary() RETURNS int BEGIN CREATE TEMPORARY TABLE shop.t (id int); RETURN 1; END",
		"CREATE PROCEDURE shop.procedure_() BEGIN COMMIT; INSERT INTO shop.items VALUES (11, 'x', 1); COMMIT; END",
		"CREATE VIEW shop.writing AS SELECT shop.inserts() AS n",
		"FLUSH PRIVILEGES",
	)
	return admin
}

func mariaState(t *testing.T, admin *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, query := range []string{
		"SELECT GROUP_CONCAT(CONCAT_WS('|', id, name, price) ORDER BY id) FROM shop.items",
		"SELECT GROUP_CONCAT(id ORDER BY id) FROM shop.notes",
		"SELECT CONCAT(next_not_cached_value, ' ', cycle_count) FROM shop.numbers",
		"SELECT GROUP_CONCAT(CONCAT(table_schema, '.', table_name) ORDER BY 1) FROM information_schema.tables WHERE " +
			"table_schema NOT IN ('information_schema', 'performance_schema')",
		"SELECT GROUP_CONCAT(routine_name ORDER BY 1) FROM information_schema.routines WHERE routine_schema = 'shop'",
		"SELECT GROUP_CONCAT(CONCAT(user, host) ORDER BY 1) FROM mysql.user",
		"SELECT CONCAT(@@global.read_only, @@global.max_statement_time, @@global.sql_mode)",
	} {
		var s sql.NullString
		if err := admin.QueryRowContext(t.Context(), query).Scan(&s); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		b.WriteString(s.String + "\n")
	}
	return b.String()
}

func mariaTools(
	t *testing.T,
	db *sql.DB,
	o sqldb.Options,
) func(ctx context.Context, tool, member, text string) toolkit.Result {
	t.Helper()
	o.Dialect = sqldb.MySQL
	tools, err := sqldb.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := errors.Join(r.Register(tools.ReadTools()...), r.Register(tools.WriteTool())); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, tool, member, text string) toolkit.Result {
		args, err := json.Marshal(map[string]any{member: text})
		if err != nil {
			t.Fatal(err)
		}
		return r.Execute(ctx, toolkit.Call{Name: tool, Arguments: args}).Result
	}
}

// mariaWrites are ways to change something. Each must fail.
var mariaWrites = []string{
	"INSERT INTO items VALUES (9, 'x', 1)", "REPLACE INTO items VALUES (1, 'x', 1)",
	"UPDATE items SET price = 0", "DELETE FROM items", "TRUNCATE items",
	"INSERT INTO notes VALUES (9)", "CREATE TABLE made (id int)", "CREATE TABLE made AS SELECT 1",
	"DROP TABLE items", "ALTER TABLE items ADD COLUMN x int",
	"CREATE INDEX i ON items (name)", "RENAME TABLE items TO things", "OPTIMIZE TABLE items",
	"ANALYZE TABLE items", "REPAIR TABLE notes",
	"GRANT ALL ON shop.items TO root@localhost", "CREATE USER more@localhost", "SET PASSWORD = PASSWORD('x')",
	"WITH x AS (SELECT 1 AS id) DELETE FROM items", "WITH x AS (SELECT 1 AS id) UPDATE items, x SET price = 0",
	"WITH x AS (SELECT 9) INSERT INTO items SELECT 9, 'x', 1",
	"SELECT inserts()", "SELECT notes()", "SELECT * FROM items WHERE id = inserts()", "SELECT * FROM writing",
	"TABLE writing", "VALUES (inserts())",
	"SELECT NEXTVAL(numbers)", "SELECT SETVAL(numbers, 100)", "SELECT * FROM items INTO OUTFILE 'DIR/out'",
	"SELECT 'x' INTO DUMPFILE 'DIR/out'",
	"SELECT 1 /*! INTO OUTFILE 'DIR/out' */", "SELECT 1 /*M! INTO OUTFILE 'DIR/out' */",
	"(SELECT 1) UNION (SELECT 2 INTO OUTFILE 'DIR/out')",
	"SELECT 1; DELETE FROM items", "SELECT 1; COMMIT; DELETE FROM items", "COMMIT; DELETE FROM items",
	";DELETE FROM items", "SELECT 1 /* ; */; DELETE FROM items",
	"SELECT 'a\\'; DELETE FROM items -- '", "/*! DELETE FROM items */", "/*!50000 DELETE FROM items */",
	"-- x\nDELETE FROM items", "# x\nDELETE FROM items",
	"COMMIT", "ROLLBACK", "BEGIN", "START TRANSACTION READ WRITE", "SET TRANSACTION READ WRITE",
	"SET autocommit = 1", "SET GLOBAL read_only = 1", "SAVEPOINT s",
	"CALL procedure_()", "DO inserts()", "DO RELEASE_LOCK('x')", "PREPARE p FROM 'DELETE FROM items'",
	"EXECUTE p", "EXECUTE IMMEDIATE 'DELETE FROM items'",
	"LOCK TABLES items WRITE", "UNLOCK TABLES", "FLUSH TABLES", "HANDLER items OPEN",
	"LOAD DATA INFILE 'DIR/in' INTO TABLE items", "LOAD DATA LOCAL INFILE 'DIR/in' INTO TABLE items",
	"XA START 'x'", "KILL 1", "SHUTDOWN", "INSTALL SONAME 'x'", "CHANGE MASTER TO MASTER_HOST = 'x'",
	"RESET MASTER", "BINLOG 'x'", "ANALYZE DELETE FROM items", "ANALYZE FORMAT=JSON UPDATE items SET price = 0",
	"EXPLAIN ANALYZE DELETE FROM items", "BEGIN NOT ATOMIC DELETE FROM items", "IF 1 THEN DELETE FROM items",
}

// TestMariaDBRefusesWrites tries to write through the reading tools with a user who may, with a
// driver that would run several statements.
func TestMariaDBRefusesWrites(t *testing.T) {
	m := startMariaDB(t)
	admin := mariaShop(t, m)
	before := mariaState(t, admin)
	agent := m.open(t, "agent", "shop", "?multiStatements=true")
	agent.SetMaxOpenConns(1)
	query := mariaTools(t, agent, sqldb.Options{})
	for _, tool := range []string{"sql_query", "sql_explain"} {
		for _, w := range mariaWrites {
			w = strings.ReplaceAll(w, "DIR", m.dir)
			if res := query(t.Context(), tool, "query", w); res.Fault == nil && tool == "sql_query" {
				t.Errorf("%s: %s: got %.200s, want it refused", tool, w, res.Output)
			}
			if after := mariaState(t, admin); after != before {
				t.Fatalf("%s: %s: the database has changed:\n%s\nit was\n%s", tool, w, after, before)
			}
			if _, err := os.Stat(filepath.Join(m.dir, "out")); err == nil {
				t.Fatalf("%s: %s: a file was written", tool, w)
			}
		}
	}
	t.Logf("%d ways to write tried by 2 tools", len(mariaWrites))

	// An account that may write files gets nothing, not even an answer.
	scribe := mariaTools(t, m.open(t, "scribe", "shop", ""), sqldb.Options{})
	if res := scribe(t.Context(), "sql_query", "query", "SELECT 'x' INTO DUMPFILE '"+filepath.Join(m.dir, "out")+"'"); !errors.Is(
		res.Fault,
		toolkit.ErrPermissionDenied,
	) {
		t.Errorf("the privilege FILE: got %s", res.Output)
	}
	if _, err := os.Stat(filepath.Join(m.dir, "out")); err == nil {
		t.Error("the privilege FILE: a file was written")
	}

	// A call leaves nothing to the next: no variable, no lock, no temporary table.
	for _, q := range []string{"SELECT 7 INTO @left", "SELECT GET_LOCK('left', 0)", "SELECT temporary()", "SELECT @x := 1"} {
		query(t.Context(), "sql_query", "query", q)
	}
	if res := query(t.Context(), "sql_query", "query", "SELECT @left, IS_FREE_LOCK('left')"); res.Fault != nil ||
		!strings.Contains(res.Output, `[[null,1]]`) {
		t.Errorf("left to the next call: %s", res.Output)
	}
	if res := query(t.Context(), "sql_exec", "statement", "INSERT INTO items VALUES (9, 'x', 1)"); res.Fault != nil ||
		!strings.Contains(res.Output, `"rows_affected":1`) {
		t.Errorf("sql_exec: got %s, want it to write", res.Output)
	}
}

func TestMariaDBReads(t *testing.T) {
	m := startMariaDB(t)
	admin := mariaShop(t, m)
	agent := m.open(t, "agent", "shop", "")
	query := mariaTools(t, agent, sqldb.Options{MaxRows: 2})
	for _, test := range []struct{ tool, member, text, want string }{
		{"sql_tables", "x", "", `["shop","items","BASE TABLE"]`},
		{"sql_describe", "table", "items", `["name","varchar(20)","NO",null,""]`},
		{"sql_describe", "table", "shop.items", `["id","int(11)","NO",null,"PRI"]`},
		{"sql_query", "query", "SELECT name, price FROM items WHERE id = 1;", `[["apple","1.10"]]`},
		{"sql_query", "query", "SELECT id FROM items ORDER BY id", `"truncated":true`},
		{"sql_query", "query", "SHOW TABLES LIKE 'items'", `[["items"]]`},
		{"sql_explain", "query", "SELECT name FROM items WHERE id = 1", "PRIMARY"},
	} {
		if res := query(t.Context(), test.tool, test.member, test.text); res.Fault != nil ||
			!strings.Contains(res.Output, test.want) {
			t.Errorf("%s %s: got %s, want %s", test.tool, test.text, res.Output, test.want)
		}
	}

	// What is over its time ends on the server as well.
	limited := mariaTools(t, agent, sqldb.Options{Timeout: 300 * time.Millisecond})
	for _, endless := range []string{
		"SELECT SLEEP(600)", "SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b, seq_1_to_1000 c",
	} {
		if res := limited(t.Context(), "sql_query", "query", endless); !errors.Is(res.Fault, toolkit.ErrTimeout) {
			t.Errorf("%s: got %s, want a timeout", endless, res.Output)
		}
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			var n int
			if err := admin.QueryRowContext(
				t.Context(),
				"SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'agent' AND command = 'Query'",
			).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%s: the server still runs it", endless)
				break
			}
		}
	}
}
