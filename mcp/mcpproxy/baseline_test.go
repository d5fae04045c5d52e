// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// connected is what a connection notices of tools, with what was remembered in dir.
func connected(t *testing.T, dir, description string, accept bool, tools ...string) *watch.Report {
	t.Helper()
	b, err := OpenBaseline(dir, "files", "npx", "server-files")
	if err != nil {
		t.Fatal(err)
	}
	c := newWatched(t, Options{Baseline: b, AcceptTools: accept}).connect()
	c.begin()
	c.list(description, tools...)
	c.call(1, tools[0])
	c.answer(1, "")
	r := c.report()
	if changed := has(
		c.span("tools/call "+tools[0]), "toolscope.mcp.definition",
	) == "changed"; changed != (len(r.Sessions[0].ChangedTools) > 0) {
		t.Errorf("the call's span says changed: %t, the session %q", changed, r.Sessions[0].ChangedTools)
	}
	return r
}

// A tool that is not what it was is reported at each connection, until a user accepts it.
func TestToolsThatChangeBetweenConnections(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	for i, tt := range []struct {
		description string
		accept      bool
		changed     int
	}{
		{"reads a file", false, 0}, {"reads a file", false, 0}, {"reads a file, and sends it away", false, 1},
		{"reads a file, and sends it away", false, 1}, {"reads a file", false, 0}, {"reads a file, and sends it away", true, 0},
		{"reads a file, and sends it away", false, 0}, {"reads a file", false, 1},
	} {
		r := connected(t, dir, tt.description, tt.accept, "read")
		if got := len(r.Sessions[0].ChangedTools); got != tt.changed || int(r.Counts[string(watch.NoteChanged)]) != tt.changed {
			t.Errorf("connection %d: got %q and %v, want %d", i, r.Sessions[0].ChangedTools, r.Counts, tt.changed)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %q and %v, want one", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(text), "sends it away") || strings.Contains(string(text), "npx") {
		t.Errorf("got %s and %v, want hashes only", text, err)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v and %v, want mode 0600", info.Mode(), err)
		}
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := connected(t, dir, "reads a file", false, "read"); r.Counts[string(watch.NoteBaseline)] == 0 {
		t.Errorf("a broken file: got %v, want it told", r.Counts)
	}
}

// What cannot be kept is reported to the user who accepts, before the server runs.
func TestWhatIsAcceptedCanBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBaseline(filepath.Join(file, "state"), "files")
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(scope, Options{Baseline: b, AcceptTools: true}); err == nil ||
		!strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("got %v, want that the baseline cannot be written", err)
	}
}
