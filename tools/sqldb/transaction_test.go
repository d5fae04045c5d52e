// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
)

// server stands in for a database with transactions and notes what it is asked.
type server struct {
	log            []string
	version        string // what MySQL is asked before a transaction
	filePrivileges int64
}

func (s *server) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *server) Driver() driver.Driver                        { return nil }
func (s *server) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (s *server) Close() error                                 { s.log = append(s.log, "close"); return nil }
func (s *server) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }

func (s *server) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	s.log = append(s.log, fmt.Sprintf("begin read-only=%v", o.ReadOnly))
	return s, nil
}

func (s *server) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s.log = append(s.log, fmt.Sprintf("query %.6s with %d", query, len(args)))
	if strings.HasPrefix(query, "SELECT VERSION()") {
		return &oneRow{s.version, s.filePrivileges}, nil
	}
	return noRows{}, nil
}

func (s *server) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	s.log = append(s.log, fmt.Sprintf("exec %.27s", query))
	return driver.ResultNoRows, nil
}

func (s *server) Commit() error   { s.log = append(s.log, "commit"); return nil }
func (s *server) Rollback() error { s.log = append(s.log, "rollback"); return nil }

type oneRow []driver.Value

func (r *oneRow) Columns() []string { return []string{"version", "files"} }
func (r *oneRow) Close() error      { return nil }
func (r *oneRow) Next(to []driver.Value) error {
	if copy(to, *r) == 0 {
		return io.EOF
	}
	*r = nil
	return nil
}

type noRows struct{}

func (noRows) Columns() []string         { return []string{"n"} }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }

// TestReadOnlyTransaction checks that databases with read-only transactions are
// asked for one around every read, which is rolled back.
func TestReadOnlyTransaction(t *testing.T) {
	for _, test := range []struct {
		dialect sqldb.Dialect
		version string
		want    []string
	}{
		{sqldb.PostgreSQL, "", []string{"begin read-only=true", "exec SET LOCAL statement_timeout",
			"query EXPLAI with 1", "rollback", "exec SELECT pg_advisory_unlock_a"}},
		{sqldb.MySQL, "8.4.3", []string{"query SELECT with 0", "exec SET SESSION max_execution_t",
			"begin read-only=true", "query EXPLAI with 1", "rollback", "close"}},
		{sqldb.MySQL, "11.4.2-MariaDB",
			[]string{"query SELECT with 0", "exec SET SESSION max_statement_t", "begin read-only=true",
				"query EXPLAI with 1", "rollback", "close"}},
	} {
		dialect, s := test.dialect, &server{version: test.version}
		db := sql.OpenDB(s)
		defer db.Close()
		tools, err := sqldb.New(db, sqldb.Options{Dialect: dialect})
		if err != nil {
			t.Fatal(err)
		}
		r := new(toolkit.Registry)
		if err := r.Register(tools.ReadTools()...); err != nil {
			t.Fatal(err)
		}
		run := func(query string) toolkit.Result {
			args, _ := json.Marshal(object{"query": query, "params": []int{1}})
			return r.Execute(t.Context(), toolkit.Call{Name: "sql_query", Arguments: args}).Result
		}
		if res := run("EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1"); res.Fault != nil {
			t.Errorf("%s: got %s", dialect, res.Output)
		}
		if !slices.Equal(s.log, test.want) {
			t.Errorf("%s: got %q, want %q", dialect, s.log, test.want)
		}
		s.log = nil
		for _, query := range []string{
			"COMMIT", "SET TRANSACTION READ WRITE", "COPY items TO '/x'", "COPY items TO PROGRAM 'sh'", "CALL p()",
			"DO $$ $$", "LOCK TABLE items", "LOAD DATA INFILE 'x'",
			"SELECT 1; COMMIT", "SELECT $$;$$", "SELECT '\\'; DELETE FROM items --'", "/*! DELETE FROM items */",
			"PREPARE p AS SELECT 1", "EXECUTE p", "HANDLER t OPEN",
		} {
			if res := run(query); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
				t.Errorf("%s: %s: got %s, want it refused", dialect, query, res.Output)
			}
		}
		if len(s.log) != 0 {
			t.Errorf("%s: refused statements reached the database: %q", dialect, s.log)
		}
	}
}

// TestFilePrivilege checks that MySQL users who could write files get an error that says so.
func TestFilePrivilege(t *testing.T) {
	s := &server{version: "8.4.3", filePrivileges: 1}
	db := sql.OpenDB(s)
	defer db.Close()
	tools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.MySQL})
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := r.Register(tools.ReadTools()...); err != nil {
		t.Fatal(err)
	}
	res := r.Execute(t.Context(), toolkit.Call{Name: "sql_query", Arguments: json.RawMessage(`{"query":"SELECT 1"}`)}).Result
	if !errors.Is(res.Fault, toolkit.ErrPermissionDenied) || !strings.Contains(res.Output, "FILE") {
		t.Errorf("got %s, want it refused", res.Output)
	}
	if want := []string{"query SELECT with 0", "close"}; !slices.Equal(s.log, want) {
		t.Errorf("got %q, want %q", s.log, want)
	}
}
