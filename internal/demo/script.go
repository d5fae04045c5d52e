// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
)

// The names of the real tools and of their arguments, in one place.
const (
	fileList   = "file_list"
	fileRead   = "file_read"
	fileSearch = "file_search"
	fileInfo   = "file_info"
	fileWrite  = "file_write"
	fileEdit   = "file_edit"
	shellRun   = "shell_run"
	sqlTables  = "sql_tables"
	sqlSchema  = "sql_describe"
	sqlQuery   = "sql_query"
	sqlExec    = "sql_exec"
)

// explore looks around in the directory the demo was started in.
func (m *model) explore() turn {
	reads := make([]toolkit.Call, 0, 8)
	for i := range 8 {
		reads = append(reads, m.call(fileRead, "path", m.file(i)))
	}
	return turn{"What is in this directory?", [][]toolkit.Call{
		{m.call(fileList, "path", ".")},
		reads,
		{
			m.call(fileSearch, "text", "func "),
			m.call(fileInfo, "path", m.file(0)),
			m.call(shellRun, "command", "ls | wc -l"),
			m.call(shellRun, "command", "git log --oneline | head -5"),
		},
		{m.call(fileRead, "path", m.file(0)), m.call(fileRead, "path", m.file(0))}, // the same again, as models do
	}}
}

// write changes files in the scratch workspace.
func (m *model) write() turn {
	const note = "# Notes\n\nThe build is green.\nThe release is planned for Friday.\n"
	return turn{"Write down what you found.", [][]toolkit.Call{
		{m.call(fileWrite, "path", "scratch:notes.md", "content", note)},
		{m.call(fileEdit, "path", "scratch:notes.md", "source_text", "Friday", "target_text", "Monday")},
		{m.call(fileEdit, "path", "scratch:notes.md", "source_text", "Saturday", "target_text", "Sunday")}, // not there: a soft failure
		{m.call(fileRead, "path", "scratch:notes.md"), m.call(fileRead, "path", "../../../../etc/passwd")}, // refused by the sandbox
	}}
}

// database fills and queries an SQLite database.
func (m *model) database() turn {
	var orders [][]toolkit.Call
	orders = append(orders, []toolkit.Call{m.call(sqlExec, "statement", "CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT NOT NULL, amount REAL NOT NULL)")})
	for i, city := range []string{"Oslo", "Bergen", "Oslo", "Tromsø", "Bergen", "Oslo"} {
		orders = append(orders, []toolkit.Call{m.call(sqlExec, "statement", fmt.Sprintf("INSERT INTO orders (city, amount) VALUES ('%s', %d.50)", city, 10*(i+1)))})
	}
	return turn{"How much did each city order?", append(orders,
		[]toolkit.Call{m.call(sqlTables), m.call(sqlSchema, "table", "orders")},
		[]toolkit.Call{
			m.call(sqlQuery, "query", "SELECT city, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY city ORDER BY total DESC"),
			m.call(sqlQuery, "query", "SELECT * FROM orders ORDER BY id"),
			m.call(sqlQuery, "query", "SELECT nothing FROM nowhere"), // fails
			m.call(sqlQuery, "query", "DELETE FROM orders"),          // refused: read-only
		},
	)}
}

// troubles shows every way a call can end badly.
func (m *model) troubles() turn {
	return turn{"Refund invoice 4711 and export the report.", [][]toolkit.Call{
		{
			m.call("report_export", "topic", "sales"),
			m.call("payment_refund", "topic", "4711"),
			m.call("legacy_parse", "topic", "2026;4711;open"),
			m.call("invoice_find", "topic", "4711"), // no such tool
			m.raw("log_dump", `{"topic": 42}`),      // not what the schema says
			m.raw("log_dump", `{"topic": "api`),     // cut off by the model
		},
		{m.call("log_dump", "topic", "billing")}, // several MiB
		{m.call("payment_refund", "topic", "4712"), m.call("payment_refund", "topic", "4713"), m.call("legacy_parse", "topic", "2026;4712;open")},
	}}
}

// leaks puts secrets where they occur in real sessions: in arguments, results and
// errors.
func (m *model) leaks() turn {
	password, token := m.secret("password").Value, m.secret("GitHub token").Value
	return turn{"Check the deployment.", [][]toolkit.Call{
		{
			m.call("config_read", "topic", "production", "password", password),
			m.call("config_read", "topic", "staging", "headers", map[string]string{"Authorization": "Bearer " + m.secret("bearer token").Value}),
			m.call(shellRun, "command", "echo deploy --token "+token),
			m.call(shellRun, "command", "echo "+m.secret("URL password").Text),
			m.call(sqlExec, "statement", "INSERT INTO orders (city, amount) VALUES ('"+m.secret("e-mail address").Value+"', 1)"),
			m.call(fileWrite, "path", "scratch:.env", "content", m.secret("AWS key id").Text+"\n"+m.secret("API key").Text+"\n"),
		},
	}}
}

// delegate hands a question to a sub-agent, which makes calls of its own.
func (m *model) delegate() turn {
	return turn{"Let the researcher look for tests.", [][]toolkit.Call{{m.call(delegateTool, "question", "Where are the tests?")}}}
}

// research is what the sub-agent does.
func (m *model) research() []toolkit.Call {
	return []toolkit.Call{
		m.call(fileSearch, "text", "Test"),
		m.call(fileRead, "path", m.file(3)),
		m.call(shellRun, "command", "sleep 0.02; echo done"),
	}
}

// more goes on exploring, for sessions longer than the script.
func (m *model) more(round int) turn {
	batch := make([]toolkit.Call, 0, 6)
	for i := range 3 {
		batch = append(batch, m.call(fileRead, "path", m.file(8+3*round+i)))
	}
	batch = append(batch,
		m.call(fileSearch, "text", []string{"import", "return", "error", "the"}[round%4]),
		m.call(shellRun, "command", "wc -l "+shellQuote(m.file(round))),
		m.call(sqlQuery, "query", fmt.Sprintf("SELECT * FROM orders WHERE id > %d", round%5)),
	)
	return turn{fmt.Sprintf("Look further (%d).", round+1), [][]toolkit.Call{batch}}
}
