// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sqldb_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"

	_ "modernc.org/sqlite"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/sqldb"
)

func ExampleToolset_ReadTools() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	if _, err := db.Exec(`CREATE TABLE fruit (name TEXT); INSERT INTO fruit VALUES ('apple'), ('pear')`); err != nil {
		fmt.Println(err)
		return
	}
	tools, err := sqldb.New(db, sqldb.Options{Dialect: sqldb.SQLite})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tools.ReadTools()...); err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{
		`{"query": "SELECT name FROM fruit WHERE name > ?", "params": ["b"]}`,
		`{"query": "WITH all_of_it AS (SELECT 1) DELETE FROM fruit"}`,
	} {
		answer := registry.Execute(context.Background(), toolkit.Call{Name: "sql_query", Arguments: json.RawMessage(args)})
		fmt.Println(regexp.MustCompile(`[\d.]+}$`).ReplaceAllString(answer.Result.Output, "…}"))
	}
	// Output:
	// {"columns":[{"name":"name","type":"TEXT"}],"rows":[["pear"]],"row_count":1,"truncated":false,"duration_ms":…}
	// tool error: attempt to write a readonly database (8)
}
