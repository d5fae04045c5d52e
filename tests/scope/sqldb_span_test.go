// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tracing"
)

// TestPasswordsOfADatabaseAreNotOnSpans queries and writes real rows: the values of a column that is named
// password, and the parameters for it, do not reach the spans; the model gets them, and other columns stay.
func TestPasswordsOfADatabaseAreNotOnSpans(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE users (id INTEGER, name TEXT, password TEXT, api_key TEXT);
		INSERT INTO users VALUES (1, 'anna', 'meadow-river-17', 'kestrel4501'), (2, 'bruno', 'Hazel53!', 'x81kqPl02m')`); err != nil {
		t.Fatal(err)
	}
	tools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(append(tools.ReadTools(), tools.WriteTool())...); err != nil {
		t.Fatal(err)
	}
	scope, spans := newScope(t, toolscope.Options{Content: tracing.ContentOn})
	execute := scope.Wrap(registry.Handle, registry)
	for _, call := range []toolkit.Call{
		{Name: "sql_query", Arguments: json.RawMessage(`{"query":"SELECT id, name, password, api_key FROM users"}`)},
		{Name: "sql_query", Arguments: json.RawMessage(
			`{"query":"SELECT name FROM users WHERE password = ?","params":["meadow-river-17"]}`)},
		{Name: "sql_exec", Arguments: json.RawMessage(
			`{"statement":"INSERT INTO users (id, name, password) VALUES (?, ?, ?)","params":[3,"chloe","Falcon+6120"]}`)},
		{Name: "sql_exec", Arguments: json.RawMessage(
			`{"statement":"UPDATE users SET password = ? WHERE id = ?","params":["copper-drift-88",3]}`)},
		{Name: "sql_exec", Arguments: json.RawMessage(`{"statement":"UPDATE users SET password = 'Orchid_3391' WHERE id = 2"}`)},
	} {
		res, err := execute(t.Context(), call)
		if err != nil || res.Fault != nil {
			t.Fatalf("%s: got %v and %v", call.Arguments, err, res.Output)
		}
		if strings.Contains(string(call.Arguments), "api_key FROM") && !strings.Contains(res.Output, "meadow-river-17") {
			t.Errorf("the model got %s, want the rows as they are", res.Output)
		}
	}
	all := ""
	for _, s := range spans.Ended() {
		for _, kv := range s.Attributes() {
			all += string(kv.Key) + "=" + kv.Value.String() + "\n"
		}
	}
	for _, secret := range []string{"meadow-river-17", "Hazel53!", "kestrel4501", "x81kqPl02m", "Falcon+6120",
		"copper-drift-88", "Orchid_3391"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is on a span", secret)
		}
	}
	for _, stays := range []string{"anna", "bruno", "chloe", "WHERE id = ?"} {
		if !strings.Contains(all, stays) {
			t.Errorf("%s is on no span", stays)
		}
	}
	if t.Failed() {
		t.Log(all)
	}
}
