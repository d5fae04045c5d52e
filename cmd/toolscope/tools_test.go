// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTools(t *testing.T) {
	for _, tt := range []struct {
		args           string
		code           int
		stdout, stderr []string
	}{
		{"tools", exitOK, []string{"TOOL", "file_read", "calculator", "reads"}, nil},
		{"tools --all", exitOK, []string{"file_write", "web_fetch", "weather", "may destroy, outside"}, nil},
		{"tools file_read", exitOK, []string{"file_read: Read a file", `"start_line"`, "resources files"}, nil},
		{"tools --json --write", exitOK, []string{`"name":"file_edit"`, `"readOnlyHint":false`, `"riskLevel":"medium"`}, nil},
		{"tools file_write", exitUsage, nil, []string{`got the name "file_write"`}},
		{"tools --python careless", exitError, nil, []string{"python: Options.Level"}},
		{"tools --python-modules numpy", exitUsage, nil, []string{"--python-modules: got no --python"}},
		{"tools --python strict --python-modules a;b", exitError, nil, []string{`python: Options.ExtraModules: got the module "a;b"`}},
		{"tools --python strict --python-modules json,zlib python_run", exitOK, []string{"zlib"}, nil},
		{"tools --dir no/such/dir", exitError, nil, []string{"Roots[0].Path"}},
		{"tools --db no/such.db", exitError, nil, []string{"--db"}},
		{"tools --search nonsense", exitError, nil, []string{"--search"}},
		{"tools --frobnicate", exitUsage, nil, []string{"frobnicate"}},
		{"tools --help", exitOK, []string{"--python LEVEL"}, nil},
		{"call", exitUsage, nil, []string{"got 0 arguments"}},
		{"call --help", exitOK, []string{"--config FILE"}, nil},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(strings.Fields(tt.args), nil, &stdout, &stderr); code != tt.code {
				t.Errorf("got code %d, want %d: %s", code, tt.code, stderr.String())
			}
			for _, want := range tt.stdout {
				if !strings.Contains(stdout.String(), want) {
					t.Errorf("got %s, want %q in it", stdout.String(), want)
				}
			}
			for _, want := range tt.stderr {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("got stderr %s, want %q in it", stderr.String(), want)
				}
			}
		})
	}
}

// call runs `toolscope call` and gives what it printed.
func call(t *testing.T, code int, stdin string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(append([]string{"call"}, args...), strings.NewReader(stdin), &stdout, &stderr); got != code {
		t.Errorf("%q: got code %d, want %d: %s%s", args, got, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func TestCall(t *testing.T) {
	quietEnvironment(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code int
		args []string
		want []string
	}{
		{exitOK, []string{"file_read", `{"path":"a.txt"}`}, []string{"hello\n", "execute_tool file_read", `→ {"path":"a.txt"}`}},
		{exitOK, []string{"--quiet", "calculator", `{"expression":"0.1+0.2"}`}, []string{"0.3"}},
		{exitOK, []string{"--write", "file_write", `{"path":"b.txt","content":"x"}`}, []string{"created"}},
		{
			exitError, []string{"file_write", `{"path":"b.txt","content":"x"}`},
			[]string{"unknown tool", "execute_tool _unknown", "refused"},
		},
		{exitError, []string{"file_read", `{"path":5}`}, []string{"invalid arguments", "refused  invalid_arguments"}},
		{exitError, []string{"file_read", `{"path":"../x"}`}, []string{"permission denied", "permission_denied"}},
	} {
		out := call(t, tt.code, "", append([]string{"--dir", dir}, tt.args...)...)
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: got %s, want %q in it", tt.args, out, want)
			}
		}
	}
	if out := call(t, exitOK, `{"path":"a.txt"}`, "--dir", dir, "--quiet", "file_read", "-"); !strings.Contains(
		out,
		"hello",
	) ||
		strings.Contains(out, "execute_tool") {
		t.Errorf("got %q", out)
	}
}

func TestCallJSON(t *testing.T) {
	quietEnvironment(t)
	var got struct {
		Output    string
		Failed    bool
		ErrorType string  `json:"error_type"`
		TraceID   string  `json:"trace_id"`
		TookMS    float64 `json:"took_ms"`
	}
	out := call(t, exitError, "", "--json", "file_read", `{"path":"no-such-file"}`)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Failed || got.ErrorType != "tool_error" || len(got.TraceID) != 32 || got.TookMS <= 0 ||
		!strings.Contains(got.Output, "does not exist") {
		t.Errorf("got %+v", got)
	}
}

// database makes an SQLite file with one value in the column a of the table t.
func database(t *testing.T, value int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t (a); INSERT INTO t VALUES (?)", value); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several databases are in one set of tools by a name for each: a write to one leaves the other.
func TestCallSeveralDatabases(t *testing.T) {
	quietEnvironment(t)
	orders, stock := "orders="+database(t, 7), "stock="+database(t, 8)
	const query = `{"query":"SELECT a FROM t"}`
	call(t, exitOK, "", "--db", orders, "--db", stock, "--write", "orders_sql_exec", `{"statement":"DELETE FROM t"}`)
	for tool, want := range map[string]string{"orders_sql_query": `"rows":[]`, "stock_sql_query": "[[8]]"} {
		if out := call(t, exitOK, "", "--db", orders, "--db", stock, tool, query); !strings.Contains(out, want) {
			t.Errorf("%s: got %s, want %s in it", tool, out, want)
		}
	}
	var stdout, stderr strings.Builder
	if code := run([]string{"tools", "--db", orders, "--db", "./x=y.db"}, nil, &stdout, &stderr); code != exitUsage ||
		!strings.Contains(stderr.String(), "NAME=FILE") {
		t.Errorf("without a name: got %d and %s", code, stderr.String())
	}
}

func TestCallDatabase(t *testing.T) {
	quietEnvironment(t)
	path := database(t, 7)
	if out := call(t, exitOK, "", "--db", path, "sql_query", `{"query":"SELECT a FROM t"}`); !strings.Contains(
		out,
		"[[7]]",
	) {
		t.Errorf("got %s", out)
	}
	call(t, exitError, "", "--db", path, "sql_exec", `{"statement":"DELETE FROM t"}`)
	call(t, exitOK, "", "--db", path, "--write", "sql_exec", `{"statement":"DELETE FROM t"}`)
}
