// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"
	"strings"

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
	filePatch  = "file_patch"
	fileMkdir  = "file_mkdir"
	fileMove   = "file_move"
	fileDelete = "file_delete"
	shellRun   = "shell_run"
	shellStart = "shell_start"
	shellPoll  = "shell_poll"
	shellStop  = "shell_stop"
	sqlTables  = "sql_tables"
	sqlSchema  = "sql_describe"
	sqlQuery   = "sql_query"
	sqlExplain = "sql_explain"
	sqlExec    = "sql_exec"
)

// explore looks around in the directory the demo was started in.
func (m *model) explore() turn {
	reads := make([]toolkit.Call, 0, 8)
	for i := range 8 {
		reads = append(reads, m.call(fileRead, "path", m.file(i)))
	}
	return turn{prompt: "What is in this directory?", batches: [][]toolkit.Call{
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
	return turn{prompt: "Write down what you found.", batches: [][]toolkit.Call{
		{m.call(fileWrite, "path", "scratch:notes.md", "content", note)},
		{m.call(fileEdit, "path", "scratch:notes.md", "source_text", "Friday", "target_text", "Monday")},
		{m.call(
			fileEdit, "path", "scratch:notes.md", "source_text", "Saturday", "target_text", "Sunday",
		)}, // not there: a soft failure
		{
			m.call(fileRead, "path", "scratch:notes.md"), m.call(fileRead, "path", "../../../../etc/passwd"),
		}, // refused by the sandbox
	}}
}

// database fills and queries an SQLite database.
func (m *model) database() turn {
	var orders [][]toolkit.Call
	orders = append(
		orders,
		[]toolkit.Call{m.call(
			sqlExec, "statement",
			"CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT NOT NULL, amount REAL NOT NULL)",
		)},
	)
	for i, city := range []string{"Oslo", "Bergen", "Oslo", "Tromsø", "Bergen", "Oslo"} {
		orders = append(
			orders,
			[]toolkit.Call{m.call(
				sqlExec, "statement",
				fmt.Sprintf("INSERT INTO orders (city, amount) VALUES ('%s', %d.50)", city, 10*(i+1)),
			)},
		)
	}
	return turn{prompt: "How much did each city order?", batches: append(orders,
		[]toolkit.Call{m.call(sqlTables), m.call(sqlSchema, "table", "orders")},
		[]toolkit.Call{
			m.call(
				sqlQuery, "query",
				"SELECT city, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY city ORDER BY total DESC",
			),
			m.call(sqlQuery, "query", "SELECT * FROM orders ORDER BY id"),
			m.call(sqlQuery, "query", "SELECT nothing FROM nowhere"), // fails
			m.call(sqlQuery, "query", "DELETE FROM orders"),          // refused: read-only
		},
	)}
}

// troubles shows every way a call can end badly.
func (m *model) troubles() turn {
	return turn{prompt: "Refund invoice 4711 and export the report.", batches: [][]toolkit.Call{
		{
			m.call("report_export", "topic", "sales"),
			m.call("payment_refund", "topic", "4711"),
			m.call("legacy_parse", "topic", "2026;4711;open"),
			m.call("invoice_find", "topic", "4711"), // no such tool
			m.raw("log_dump", `{"topic": 42}`),      // not what the schema says
			m.raw("log_dump", `{"topic": "api`),     // cut off by the model
		},
		{m.call("log_dump", "topic", "billing")}, // several MiB
		{
			m.call("payment_refund", "topic", "4712"), m.call("payment_refund", "topic", "4713"),
			m.call("legacy_parse", "topic", "2026;4712;open"),
		},
	}}
}

// leaks puts secrets where they occur in real sessions: in arguments, results and
// errors.
func (m *model) leaks() turn {
	password, token := m.secret("password").Value, m.secret("GitHub token").Value
	return turn{prompt: "Check the deployment.", batches: [][]toolkit.Call{
		{
			m.call("config_read", "topic", "production", "password", password),
			m.call(
				"config_read", "topic", "staging", "headers",
				map[string]string{"Authorization": "Bearer " + m.secret("bearer token").Value},
			),
			m.call(shellRun, "command", "echo deploy --token "+token),
			m.call(shellRun, "command", "echo "+m.secret("URL password").Text),
			m.call(sqlExec, "statement", "INSERT INTO orders (city, amount) VALUES ('"+m.secret("e-mail address").Value+"', 1)"),
			m.call(fileWrite, "path", "scratch:.env", "content", m.secret("AWS key id").Text+"\n"+m.secret("API key").Text+"\n"),
		},
	}}
}

// tour uses one tool after the other for a small piece of work: the turn that a golden
// file shows.
func (m *model) tour() turn {
	const note = "# Fjords\n\nSognefjord: 200 km\n"
	const patch = "--- scratch:fjords.md\n+++ scratch:fjords.md\n@@ -1,3 +1,4 @@\n # Fjords\n \n-Sognefjord: 200 " +
		"km\n+Sognefjord: 205 km\n+Hardangerfjord: 179 km\n"
	const program = "import statistics\nlengths = [205, 179]\nprint(statistics.mean(lengths))"
	var batches [][]toolkit.Call
	for _, c := range []toolkit.Call{
		m.call("web_search", "query", "longest fjords of Norway"),
		m.call("web_fetch", "url", m.site+"/fjords", "format", "tables"),
		m.call("web_crawl", "urls", []string{m.site + "/fjords", m.site + "/lakes"}, "format", "text"), // there is no second page
		m.call("weather", "place", "Bergen", "days", 1),
		m.call(fileWrite, "path", "scratch:fjords.md", "content", note),
		m.call(filePatch, "patch", patch),
		m.call(fileMkdir, "path", "scratch:trip"),
		m.call(fileMove, "from", "scratch:fjords.md", "to", "scratch:trip/fjords.md"),
		m.call(fileRead, "path", "scratch:trip/fjords.md"),
		m.call("csv_to_json", "csv", "fjord,km\nSognefjord,205\nHardangerfjord,179\n", "types", true),
		m.call("json", "operation", "query", "json", `[{"km":205},{"km":179}]`, "query", "$[?@.km > 200].km"),
		m.call("text", "operation", "case", "text", "Sogn og Fjordane", "to", "snake"),
		m.call("calculator", "expression", "(205 km + 179 km) / 2 to mile"),
		m.call("date_now", "timezone", "Europe/Oslo"),
		m.call("date", "operation", "diff", "date", "2026-11-21", "other", "2027-05-17"),
		m.call("python_run", "code", program),
		m.call("python_run", "code", "import os\nprint(os.environ)"), // refused before it runs
		m.call(sqlExplain, "query", "SELECT city FROM orders WHERE id = 3"),
		m.call(fileDelete, "path", "scratch:trip", "recursive", true),
		m.call("web_fetch", "url", "http://10.0.0.1/admin"), // refused: not a public address
	} {
		batches = append(batches, []toolkit.Call{c})
	}
	return turn{prompt: "Plan a trip to the fjords.", batches: batches}
}

// job starts commands in the background, asks for the state of one with the id it was given, and
// stops the other.
func (m *model) job() turn {
	return turn{
		prompt: "Run the slow check meanwhile.",
		batches: [][]toolkit.Call{{
			m.call(shellStart, "command", "sleep 0.05; echo checked"),
			m.call(shellStart, "command", "echo waiting; sleep 60"),
			m.call(shellRun, "command", "echo meanwhile"),
		}},
		then: func(last []toolkit.Answer) []toolkit.Call {
			checked, _, _ := strings.Cut(last[0].Result.Output, " ")
			waiting, _, _ := strings.Cut(last[1].Result.Output, " ")
			return []toolkit.Call{m.call(shellPoll, "id", checked, "wait_seconds", 2), m.call(shellStop, "id", waiting)}
		},
	}
}

// delegate hands tasks to sub-agents, which make calls of their own. One of them fails.
func (m *model) delegate() turn {
	return turn{prompt: "Let the researcher look for tests.", batches: [][]toolkit.Call{
		{m.call(delegateTool, "tasks", []string{"Where are the tests?", "Give up at once."})},
	}}
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
	return turn{prompt: fmt.Sprintf("Look further (%d).", round+1), batches: [][]toolkit.Call{batch}}
}

const delegateTool = "agent_delegate"

// shellQuote quotes a path for a POSIX shell.
func shellQuote(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// script is the story every session tells, whatever its length.
func (m *model) script() []turn {
	return []turn{
		m.explore(), m.write(), m.database(), m.tour(), m.job(), m.troubles(), m.leaks(), m.delegate(),
	}
}
