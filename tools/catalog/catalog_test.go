// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"database/sql"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/data"
	"github.com/toolscope/toolscope/tools/files"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
	"github.com/toolscope/toolscope/tools/sqldb"
	"github.com/toolscope/toolscope/tools/weather"
	"github.com/toolscope/toolscope/tools/web"
)

func names(r *toolkit.Registry) (list []string) {
	for _, d := range r.Definitions() {
		list = append(list, d.Name)
	}
	return list
}

// TestZeroValueIsSafe checks each tool of the zero options for what it says of itself, and
// that a write is refused.
func TestZeroValueIsSafe(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.New(catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	for _, d := range tools.Registry.Definitions() {
		if d.ReadOnly != toolkit.Yes || d.Destructive != toolkit.No || d.OpenWorld != toolkit.No || d.Risk != toolkit.RiskLow {
			t.Errorf("%s: got read-only %d, destructive %d, open world %d, risk %s", d.Name, d.ReadOnly,
				d.Destructive, d.OpenWorld, d.Risk)
		}
	}
	if res, err := tools.Handler(t.Context(),
		toolkit.Call{Name: "file_read", Arguments: []byte(`{"path":"a.txt"}`)}); err != nil ||
		!strings.Contains(res.Output, "hello") {
		t.Errorf("got %v and %q", err, res.Output)
	}
	for _, name := range []string{"file_write", "shell_run", "sql_exec", "web_fetch", "python_run", "agent_delegate"} {
		if tools.Registry.Lookup(name) != nil {
			t.Errorf("got %s in the zero options' tools", name)
		}
	}
}

func TestEverything(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wrapped := 0
	tools, err := catalog.New(catalog.Options{
		Dir: dir, Write: true, Shell: new(shell.Options), Jobs: new(shell.JobOptions),
		DB: db, SQL: sqldb.Options{Dialect: sqldb.SQLite}, SQLWrite: true,
		Web:     &web.Options{AllowAddrs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Weather: new(weather.Options), Python: new(python.Options),
		Model: agent.Model(func(_ context.Context, r agent.Request) (agent.Reply, error) {
			if last := r.Messages[len(r.Messages)-1]; last.Role == agent.RoleTool {
				return agent.Reply{Text: last.Text}, nil
			}
			return agent.Reply{Calls: []toolkit.Call{
				{ID: "1", Name: "file_write", Arguments: []byte(`{"path":"b.txt","content":"x"}`)}}}, nil
		}),
		Wrap: func(r *toolkit.Registry) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				wrapped++
				return r.Handle(ctx, call)
			}
		},
		SkipMissing: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	t.Logf("missing on this machine: %q", tools.Missing)
	got := names(tools.Registry)
	for _, name := range []string{"file_read", "file_write", "calculator", "sql_query", "sql_exec", "weather", "agent_delegate"} {
		if !slices.Contains(got, name) {
			t.Errorf("got %q, want %s in it", got, name)
		}
	}
	for _, name := range []string{"shell_run", "shell_poll", "python_run"} {
		if !slices.Contains(got, name) && len(tools.Missing) == 0 {
			t.Errorf("got %q, want %s in it or told as missing", got, name)
		}
	}
	// The sub-agent's call goes through the wrapped handler, and works in Dir.
	res, err := tools.Handler(t.Context(), toolkit.Call{Name: "agent_delegate", Arguments: []byte(`{"tasks":["write"]}`)})
	if err != nil || res.Fault != nil || wrapped != 2 {
		t.Errorf("got %v, %v, %d calls through the handler, want 2", err, res.Fault, wrapped)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Error(err)
	}
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
	if err := tools.Close(); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for want, o := range map[string]catalog.Options{
		"catalog: files: Options.Roots[0].Path": {Dir: "no/such/dir"},
		"catalog: files: Options.Refuse[0]":     {Files: files.Options{Refuse: []string{"["}}},
		"catalog: shell: Options.Timeout":       {Shell: &shell.Options{Timeout: -1}},
		"catalog: shell: JobOptions.MaxJobs":    {Jobs: &shell.JobOptions{MaxJobs: -1}},
		"catalog: sqldb: Options.Dialect":       {DB: new(sql.DB)},
		"catalog: data: Options.MaxInput":       {Data: data.Options{MaxInput: -1}},
		"catalog: weather: Options.Timeout":     {Weather: &weather.Options{Timeout: -1}},
		"catalog: python: Options.Level":        {Python: &python.Options{Level: "x"}},
		"catalog: agent: Options.MaxTurns": {
			Model: func(context.Context, agent.Request) (agent.Reply, error) { return agent.Reply{}, nil },
			Agent: agent.Options{MaxTurns: -1}},
		"catalog: web: Options.":                   {Web: &web.Options{Timeout: -1}},
		"catalog: Options.Wrap: got a nil handler": {Wrap: func(*toolkit.Registry) toolkit.Handler { return nil }},
	} {
		if _, err := catalog.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := (*catalog.Catalog)(nil).Close(); err != nil {
		t.Error(err)
	}
}

func TestMissing(t *testing.T) {
	o := catalog.Options{Shell: &shell.Options{Shell: "no-such-shell"}, Python: &python.Options{Python: "no-such-python"}}
	if _, err := catalog.New(o); err == nil {
		t.Error("got no error for a shell that there is not")
	}
	o.SkipMissing = true
	tools, err := catalog.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	if len(tools.Missing) != 2 || tools.Registry.Lookup("shell_run") != nil || tools.Registry.Lookup("python_run") != nil {
		t.Errorf("got %q missing", tools.Missing)
	}
	if res := tools.Registry.Execute(t.Context(), toolkit.Call{Name: "python_run"}).Result; !errors.Is(res.Fault,
		toolkit.ErrUnknownTool) {
		t.Errorf("got %v", res.Fault)
	}
}
