// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
)

// shop fills a database whose tables belong to the user agent, who may write to them,
// with functions that try to. It returns the connection of the superuser.
func shop(t *testing.T, pg *postgres) *sql.DB {
	t.Helper()
	run(t, pg.open(t, "user=postgres database=postgres"), "CREATE ROLE agent LOGIN", "CREATE DATABASE shop OWNER agent")
	admin := pg.open(t, "user=postgres database=shop")
	run(t, admin, "CREATE EXTENSION IF NOT EXISTS dblink")
	run(
		t,
		pg.open(t, "user=agent database=shop"),
		"CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL, price numeric(8,2), made timestamptz DEFAULT "+
			"'2026-01-02 03:04:05Z')",
		"INSERT INTO items VALUES (1, 'apple', 1.10), (2, 'pear', 2.20), (3, 'plum', NULL)",
		"CREATE SEQUENCE numbers",
		"CREATE MATERIALIZED VIEW cheap AS SELECT * FROM items WHERE price < 2",
		"CREATE FUNCTION insert_sql() RETURNS int LANGUAGE sql AS $$INSERT INTO items VALUES (10, 'x', 1) RETURNING id$$",
		"CREATE FUNCTION insert_stable() RETURNS int STABLE LANGUAGE plpgsql AS $$BEGIN EXECUTE 'INSERT INTO items "+
			"VALUES (11, ''x'', 1)'; RETURN 1; END$$",
		`CREATE FUNCTION set_read_write() RETURNS int LANGUAGE plpgsql AS $$BEGIN
			SET TRANSACTION READ WRITE; INSERT INTO items VALUES (12, 'x', 1); RETURN 1; END$$`,
		`CREATE FUNCTION set_local() RETURNS int LANGUAGE plpgsql AS $$BEGIN
			SET LOCAL transaction_read_only = off; INSERT INTO items VALUES (13, 'x', 1); RETURN 1; END$$`,
		`CREATE FUNCTION caught() RETURNS int LANGUAGE plpgsql AS $$BEGIN
			BEGIN PERFORM set_config('transaction_read_only', 'off', false); EXCEPTION WHEN OTHERS THEN NULL; END;
			INSERT INTO items VALUES (14, 'x', 1); RETURN 1; END$$`,
		"CREATE FUNCTION commits() RETURNS int LANGUAGE plpgsql AS $$BEGIN COMMIT; INSERT INTO items VALUES (15, "+
			"'x', 1); RETURN 1; END$$",
		"CREATE PROCEDURE procedure() LANGUAGE plpgsql AS $$BEGIN COMMIT; INSERT INTO items VALUES (16, 'x', 1); COMMIT; END$$",
		"CREATE FUNCTION defined() RETURNS int SECURITY DEFINER LANGUAGE sql AS $$DELETE FROM items RETURNING id$$",
		"CREATE FUNCTION temporary() RETURNS int LANGUAGE plpgsql AS $$BEGIN CREATE TEMP TABLE t AS SELECT 1; RETURN 1; END$$",
		"CREATE AGGREGATE inserting(int) (SFUNC = int4pl, STYPE = int, FINALFUNC = abs)",
		"CREATE VIEW writing AS SELECT insert_stable() AS n",
		"GRANT ALL ON ALL TABLES IN SCHEMA public TO agent",
	)
	return admin
}

// state is all of the database that a statement could change, as one text.
func state(t *testing.T, admin *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, query := range []string{
		"SELECT string_agg(i::text, '; ' ORDER BY id) FROM items i",
		"SELECT last_value || ' ' || is_called FROM numbers",
		"SELECT string_agg(nspname || '.' || relname || relkind::text, ' ' ORDER BY nspname, relname) FROM pg_class " +
			"c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname NOT LIKE 'pg\\_%'",
		"SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = " +
			"pronamespace WHERE nspname = 'public'",
		"SELECT count(*)::text FROM pg_largeobject_metadata",
		"SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles",
		"SELECT COALESCE(string_agg(setconfig::text, ' '), '') FROM pg_db_role_setting",
		"SELECT count(*)::text FROM pg_replication_slots",
		"SELECT count(*)::text FROM pg_prepared_xacts",
		"SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension",
		"SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database",
	} {
		var s string
		if err := admin.QueryRowContext(t.Context(), query).Scan(&s); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		b.WriteString(s + "\n")
	}
	return b.String()
}

func sqlTools(
	t *testing.T,
	db *sql.DB,
	o sqldb.Options,
) func(ctx context.Context, tool, query string, params ...any) toolkit.Result {
	t.Helper()
	o.Dialect = sqldb.PostgreSQL
	tools, err := sqldb.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := errors.Join(r.Register(tools.ReadTools()...), r.Register(tools.WriteTool())); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, tool, query string, params ...any) toolkit.Result {
		member := map[string]string{"sql_exec": "statement", "sql_describe": "table"}[tool]
		if member == "" {
			member = "query"
		}
		in := map[string]any{member: query}
		if len(params) > 0 {
			in["params"] = params
		}
		args, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		return r.Execute(ctx, toolkit.Call{Name: tool, Arguments: args}).Result
	}
}

// writes are ways to change something. Each must fail.
var writes = []string{
	// Statements that write.
	"INSERT INTO items VALUES (9, 'x', 1)",
	"UPDATE items SET price = 0",
	"DELETE FROM items",
	"TRUNCATE items",
	"MERGE INTO items USING (VALUES (1)) v(id) ON items.id = v.id WHEN MATCHED THEN DELETE",
	"CREATE TABLE made (id int)",
	"CREATE TABLE made AS SELECT 1",
	"DROP TABLE items",
	"ALTER TABLE items ADD COLUMN x int",
	"CREATE INDEX ON items (name)",
	"REFRESH MATERIALIZED VIEW cheap",
	"VACUUM items",
	"ANALYZE items",
	"GRANT ALL ON items TO public",
	"COMMENT ON TABLE items IS 'x'",
	"REINDEX TABLE items",
	"CLUSTER items USING items_pkey",
	"LOCK TABLE items",
	"CREATE ROLE more",
	"ALTER SYSTEM SET work_mem = '1MB'",
	"ALTER ROLE agent SET work_mem = '1MB'",
	// Statements that read at first sight.
	"WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone",
	"WITH new AS (INSERT INTO items VALUES (9, 'x', 1) RETURNING *) SELECT * FROM new",
	"WITH set AS (UPDATE items SET price = 0 RETURNING *) SELECT * FROM set",
	"WITH x AS (SELECT 1) INSERT INTO items SELECT 9, 'x', 1 FROM x",
	"WITH x AS (SELECT 1) DELETE FROM items USING x",
	"WITH x AS (SELECT 1) UPDATE items SET price = 0 FROM x",
	"WITH x AS (SELECT 1 AS id) MERGE INTO items USING x ON items.id = x.id WHEN MATCHED THEN DELETE",
	"SELECT * INTO made FROM items",
	"SELECT * INTO TEMP made FROM items",
	"WITH x AS (SELECT 1) SELECT * INTO made FROM x",
	"SELECT * FROM items FOR UPDATE",
	"SELECT * FROM items FOR SHARE",
	"SELECT * FROM (SELECT * FROM items FOR NO KEY UPDATE) locked",
	"EXPLAIN ANALYZE INSERT INTO items VALUES (9, 'x', 1)",
	"EXPLAIN (ANALYZE true, BUFFERS) DELETE FROM items",
	"EXPLAIN ANALYZE SELECT insert_sql()",
	"EXPLAIN ANALYZE EXECUTE p",
	// Functions.
	"SELECT insert_sql()",
	"SELECT insert_stable()",
	"SELECT * FROM insert_sql()",
	"SELECT * FROM items WHERE id = insert_stable()",
	"SELECT * FROM items ORDER BY insert_stable()",
	"SELECT * FROM writing",
	"TABLE writing",
	"VALUES (insert_sql())",
	"SELECT set_read_write()",
	"SELECT set_local()",
	"SELECT caught()",
	"SELECT commits()",
	"SELECT defined()",
	"SELECT temporary()",
	"SELECT nextval('numbers')",
	"VALUES (nextval('numbers'))",
	"SELECT setval('numbers', 100)",
	"SELECT query_to_xml('INSERT INTO items VALUES (9, ''x'', 1) RETURNING 1', true, true, '')",
	"SELECT set_config('transaction_read_only', 'off', false)",
	"SELECT set_config('transaction_read_only', 'off', true), insert_sql()",
	"SELECT dblink_exec('host=SOCKET dbname=shop user=agent', 'DELETE FROM items')",
	"SELECT * FROM dblink('host=SOCKET dbname=shop user=agent password=x', 'DELETE FROM items RETURNING id') AS t(id int)",
	"SELECT pg_create_physical_replication_slot('slot')",
	"SELECT pg_reload_conf()",
	"SELECT pg_switch_wal()",
	"SELECT lo_export(1, 'made')",
	"SELECT lo_import('PG_VERSION')",
	// Several statements, and those that start something else.
	"SELECT 1; DELETE FROM items",
	"SELECT 1; COMMIT; DELETE FROM items",
	"COMMIT; DELETE FROM items",
	";DELETE FROM items",
	"SELECT 1 /* ; */; DELETE FROM items",
	"SELECT $$;$$; DELETE FROM items",
	"SET TRANSACTION READ WRITE",
	"SET transaction_read_only = off",
	"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
	"BEGIN READ WRITE",
	"START TRANSACTION READ WRITE",
	"COMMIT",
	"COMMIT AND CHAIN",
	"ROLLBACK",
	"END",
	"SAVEPOINT s",
	"DO $$BEGIN INSERT INTO items VALUES (9, 'x', 1)",
	"CALL procedure()",
	"PREPARE p AS DELETE FROM items",
	"EXECUTE p",
	"DEALLOCATE ALL",
	"DISCARD ALL",
	"DECLARE c CURSOR WITH HOLD FOR SELECT insert_sql()",
	"COPY items TO PROGRAM 'cat'",
	"COPY items TO '/nowhere/items'",
	"COPY items FROM PROGRAM 'echo 9'",
	"COPY (DELETE FROM items RETURNING *) TO STDOUT",
	"LISTEN channel",
	"NOTIFY channel, 'x'",
	"PREPARE TRANSACTION 'x'",
	"SECURITY LABEL ON TABLE items IS 'x'",
	"IMPORT FOREIGN SCHEMA public FROM SERVER s INTO public",
	"LOAD 'auto_explain'",
	"CHECKPOINT",
	"/* comment */ DELETE FROM items",
	"-- comment\nDELETE FROM items",
	"(WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone)",
	"\ufeffDELETE FROM items",
}

// withoutEffect are statements that PostgreSQL runs in a read-only transaction; when it is
// rolled back nothing of them is left.
var withoutEffect = []string{
	"EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1",
	"EXPLAIN (ANALYZE) CREATE MATERIALIZED VIEW made AS SELECT 1",
	"SELECT lo_create(0)",
	"SELECT lo_from_bytea(0, 'x')",
	"SELECT pg_notify('channel', 'x')",
	"SELECT set_config('default_transaction_read_only', 'off', false)",
	"SELECT set_config('search_path', 'nowhere', false)",
	"SELECT set_config('statement_timeout', '0', false)",
	"SELECT set_config('role', 'agent', false)",
	"SELECT txid_current()",
	"SELECT pg_export_snapshot()",
}

// TestPostgreSQLRefusesWrites tries to write through the reading tools with a user who may
// write, over both of the driver's protocols: the simple one runs several statements if
// it is given them.
func TestPostgreSQLRefusesWrites(t *testing.T) {
	pg := startPostgres(t)
	admin := shop(t, pg)
	before := state(t, admin)
	heard := listen(t, pg)
	for _, protocol := range []string{"", " default_query_exec_mode=simple_protocol"} {
		agent := pg.open(t, "user=agent database=shop"+protocol)
		agent.SetMaxOpenConns(1) // what a call leaves behind in its connection meets the next
		query := sqlTools(t, agent, sqldb.Options{})
		for _, tool := range []string{"sql_query", "sql_explain"} {
			for _, w := range writes {
				w = strings.ReplaceAll(w, "SOCKET", pg.socket)
				res := query(t.Context(), tool, w)
				// A plan of a statement that would write is no write; EXPLAIN returns it.
				if res.Fault == nil && tool == "sql_query" {
					t.Errorf("%s%s: %s: got %.200s, want it refused", tool, protocol, w, res.Output)
				}
				if after := state(t, admin); after != before {
					t.Fatalf("%s%s: %s: the database has changed:\n%s\nit was\n%s", tool, protocol, w, after, before)
				}
			}
		}
		for _, w := range withoutEffect {
			if res := query(t.Context(), "sql_query", w); res.Fault != nil {
				t.Logf("%s: refused altogether: %.200s", w, res.Output)
			}
			if after := state(t, admin); after != before {
				t.Fatalf("%s: the database has changed:\n%s", w, after)
			}
		}
		// The one connection is as it was: it reads, and lets sql_exec write.
		const settings = "SELECT current_setting('default_transaction_read_only') || current_setting('search_path') " +
			"|| current_setting('statement_timeout') || current_user"
		var got string
		if err := agent.QueryRowContext(t.Context(), settings).Scan(&got); err != nil ||
			got != `off"$user", public0agent` {
			t.Errorf("settings are left over: %q, %v", got, err)
		}
		if res := query(t.Context(), "sql_exec", "INSERT INTO items VALUES (9, 'x', 1)"); res.Fault != nil ||
			!strings.Contains(res.Output, `"rows_affected":1`) {
			t.Errorf("sql_exec: got %s, want it to write", res.Output)
		}
		if res := query(t.Context(), "sql_exec", "DELETE FROM items WHERE id = $1", 9); res.Fault != nil {
			t.Errorf("sql_exec: got %s, want it to write", res.Output)
		}
	}
	if text := heard(); text != "" {
		t.Errorf("a notification got through: %s", text)
	}
	t.Logf("%d ways to write tried by 2 tools over 2 protocols", len(writes))
}

// TestPostgreSQLLeftOut keeps what the package sqldb says it does not stop: what functions of the
// database do outside of the transaction. If one of these ends, its comment should change.
func TestPostgreSQLLeftOut(t *testing.T) {
	pg := startPostgres(t)
	admin := shop(t, pg)
	agent := pg.open(t, "user=agent database=shop")
	agent.SetMaxOpenConns(1)
	// A message to those who read the write-ahead log is there at once.
	if res := sqlTools(t, agent, sqldb.Options{})(
		t.Context(), "sql_query", "SELECT pg_logical_emit_message(false, 'x', 'y')",
	); res.Fault != nil {
		t.Errorf("a message in the log: got %s", res.Output)
	}
	// A superuser's dblink is a second connection without a read-only transaction.
	super := sqlTools(t, admin, sqldb.Options{})
	if res := super(
		t.Context(), "sql_query", "SELECT dblink_exec($1, 'DELETE FROM items')",
		"host="+pg.socket+" dbname=shop user=postgres",
	); res.Fault != nil {
		t.Errorf("a superuser's dblink: got %s", res.Output)
	}
}

// TestPostgreSQLLocks checks that a lock taken by a query is not kept by its connection.
func TestPostgreSQLLocks(t *testing.T) {
	pg := startPostgres(t)
	admin := shop(t, pg)
	agent := pg.open(t, "user=agent database=shop")
	agent.SetMaxOpenConns(1)
	query := sqlTools(t, agent, sqldb.Options{})
	for _, q := range []string{"SELECT pg_advisory_lock(7)", "SELECT pg_advisory_lock(7), nothing"} {
		query(t.Context(), "sql_query", q)
		var locks int
		if err := admin.QueryRowContext(
			t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
		).Scan(&locks); err != nil ||
			locks != 0 {
			t.Errorf("%s: got %d advisory locks, %v, want none kept", q, locks, err)
		}
	}
	if res := query(t.Context(), "sql_query", "SELECT 1"); res.Fault != nil {
		t.Errorf("afterwards: got %s", res.Output)
	}
}

// listen collects notifications; the function returned tells what came.
func listen(t *testing.T, pg *postgres) func() string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), "host="+pg.socket+" user=agent database=shop")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "LISTEN channel"); err != nil {
		t.Fatal(err)
	}
	return func() string {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if n, err := conn.WaitForNotification(ctx); err == nil {
			return n.Payload
		}
		return ""
	}
}

func TestPostgreSQLReads(t *testing.T) {
	pg := startPostgres(t)
	shop(t, pg)
	query := sqlTools(t, pg.open(t, "user=agent database=shop"), sqldb.Options{MaxRows: 4})
	for _, test := range []struct {
		tool, query string
		params      []any
		want        []string
	}{
		{"sql_tables", "", nil, []string{`["public","items","BASE TABLE"]`, `["public","writing","VIEW"]`}},
		{"sql_describe", "items", nil, []string{`["id","integer","NO",null]`, `["price","numeric","YES",null]`}},
		{"sql_describe", "public.items", nil, []string{`["name","text","NO",null]`}},
		{
			"sql_query", "SELECT * FROM items WHERE id = $1", []any{1},
			[]string{
				`{"name":"price","type":"NUMERIC"}`, `[1,"apple","1.10","2026-01-02T03:04:05Z"]`,
				`"row_count":1,"truncated":false`,
			},
		},
		{
			"sql_query", "SELECT n FROM generate_series(1, 5) n", nil,
			[]string{`[[1],[2],[3],[4]]`, `"truncated":true`, "only the first 4 rows"},
		},
		{"sql_query", "SHOW server_encoding;", nil, []string{`"UTF8"`}},
		{"sql_query", "SELECT $1::text", []any{"a;b"}, []string{`["a;b"]`}},
		{"sql_query", "-- what is dear\nTABLE items", nil, []string{`"apple"`}},
		{"sql_explain", "DELETE FROM items", nil, []string{"Delete on items"}},
		{"sql_explain", "SELECT * FROM items", nil, []string{"Seq Scan"}},
	} {
		res := query(t.Context(), test.tool, test.query, test.params...)
		for _, want := range test.want {
			if res.Fault != nil || !strings.Contains(res.Output, want) {
				t.Errorf("%s %s: got %s, want %s", test.tool, test.query, res.Output, want)
			}
		}
	}
}

// TestPostgresDatabasesInOneRegistry has the tools of two databases, with a prefix for each.
func TestPostgresDatabasesInOneRegistry(t *testing.T) {
	pg := startPostgres(t)
	shop(t, pg)
	run(t, pg.open(t, "user=postgres database=postgres"), "CREATE DATABASE depot OWNER agent")
	run(t, pg.open(t, "user=agent database=depot"), "CREATE TABLE items (id int)", "INSERT INTO items VALUES (7)")
	r := new(toolkit.Registry)
	for _, name := range []string{"shop", "depot"} {
		tools, err := sqldb.New(pg.open(t, "user=agent database="+name),
			sqldb.Options{Dialect: sqldb.PostgreSQL, Prefix: name + "_"})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Register(append(tools.ReadTools(), tools.WriteTool())...); err != nil {
			t.Fatal(err)
		}
	}
	call := func(tool, arguments string) string {
		return r.Execute(t.Context(), toolkit.Call{Name: tool, Arguments: []byte(arguments)}).Result.Output
	}
	if got := call("depot_sql_exec", `{"statement":"DELETE FROM items"}`); !strings.Contains(got, `"rows_affected":1`) {
		t.Errorf("a write to one: got %s", got)
	}
	for tool, want := range map[string]string{"shop_sql_query": "[[3]]", "depot_sql_query": "[[0]]"} {
		if got := call(tool, `{"query":"SELECT count(*)::int FROM items"}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

// TestPostgreSQLTimeout looks at the server for statements that outlive their call.
func TestPostgreSQLTimeout(t *testing.T) {
	pg := startPostgres(t)
	admin := shop(t, pg)
	agent := pg.open(t, "user=agent database=shop")
	agent.SetMaxOpenConns(2)
	limited := sqlTools(t, agent, sqldb.Options{Timeout: 300 * time.Millisecond})
	for _, endless := range []string{
		"SELECT pg_sleep(600)", "SELECT count(*) FROM generate_series(1, 100000000000) n",
		"EXPLAIN ANALYZE SELECT pg_sleep(600)",
	} {
		if res := limited(t.Context(), "sql_query", endless); !errors.Is(res.Fault, toolkit.ErrTimeout) {
			t.Errorf("%s: got %s, want a timeout", endless, res.Output)
		}
		waitForIdle(t, admin, endless)
	}
	if res := limited(t.Context(), "sql_exec", "UPDATE items SET price = 0 WHERE pg_sleep(600) IS NOT NULL"); !errors.Is(
		res.Fault,
		toolkit.ErrTimeout,
	) {
		t.Errorf("sql_exec: got %s, want a timeout", res.Output)
	}
	waitForIdle(t, admin, "sql_exec")

	ctx, cancel := context.WithCancel(t.Context())
	patient := sqlTools(t, agent, sqldb.Options{})
	done := make(chan toolkit.Result)
	go func() { done <- patient(ctx, "sql_query", "SELECT pg_sleep(600)") }()
	for deadline := time.Now().Add(30 * time.Second); running(t, admin) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the query does not run")
		}
	}
	cancel()
	if res := <-done; !errors.Is(res.Fault, toolkit.ErrCanceled) {
		t.Errorf("got %s, want canceled", res.Output)
	}
	waitForIdle(t, admin, "cancelled by the caller")
	if res := patient(t.Context(), "sql_query", "SELECT 1"); res.Fault != nil {
		t.Errorf("afterwards: got %s", res.Output)
	}
}

// running counts the statements of the agent that the server is at.
func running(t *testing.T, admin *sql.DB) (n int) {
	t.Helper()
	if err := admin.QueryRowContext(
		t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE usename = 'agent' AND state <> 'idle'",
	).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func waitForIdle(t *testing.T, admin *sql.DB, what string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); running(t, admin) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%s: the server still runs it after ten seconds", what)
			return
		}
	}
}
