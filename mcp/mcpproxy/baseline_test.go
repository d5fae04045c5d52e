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
	if err != nil || !strings.Contains(string(text), "sends it away") || strings.Contains(string(text), "npx") {
		t.Errorf("got %s and %v, want definitions and no command", text, err)
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

// A user compares, and accepts one tool after the other; a proxy that runs takes it over.
func TestUsersAcceptTools(t *testing.T) {
	dir := t.TempDir()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	connected(t, dir, "reads a file with "+secret, false, "read", "write")
	connected(t, dir, "reads a file, and sends it away", false, "read", "write", "more")
	all, err := Baselines(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d and %v", len(all), err)
	}
	r, err := all[0].Report()
	if err != nil || r.Accepted || len(r.Tools) != 2 || len(r.Changes) != 3 || r.Changes[0].Tool != "more" ||
		r.Changes[0].Change != "added" || r.Changes[1].Change != "changed" ||
		!strings.Contains(string(r.Changes[1].Before), "reads a file with") ||
		!strings.Contains(string(r.Changes[1].After), "sends it away") {
		t.Errorf("got %+v and %v", r, err)
	}
	if strings.Contains(string(r.Tools["read"]), secret) {
		t.Errorf("got %s, want it redacted", r.Tools["read"])
	}
	if err := all[0].Accept("unknown"); err == nil {
		t.Error("a tool that does not differ is accepted")
	}
	running := newWatched(t, Options{Baseline: all[0]})
	if err := all[0].Accept("read"); err != nil {
		t.Fatal(err)
	}
	if r, err = all[0].Report(); err != nil || len(r.Changes) != 2 || r.Accepted {
		t.Errorf("got %+v and %v", r, err)
	}
	again, err := Baselines(dir) // as another process
	if err != nil {
		t.Fatal(err)
	}
	if err := again[0].Accept(); err != nil {
		t.Fatal(err)
	}
	if err := running.Baseline.Pinnable(); err != nil {
		t.Errorf("got %v, want what another process accepted", err)
	}
	if got := connected(t, dir, "reads a file, and sends it away", false, "read", "write",
		"more"); len(got.Sessions[0].ChangedTools) != 0 {
		t.Errorf("got %q", got.Sessions[0].ChangedTools)
	}
	if err := again[0].Reset(); err != nil {
		t.Fatal(err)
	}
	if err := running.Baseline.Pinnable(); err == nil || running.Baseline.Has("read") {
		t.Errorf("after a reset: got %v", err)
	}
}

// A name that no client would offer to a model is no way around the comparison.
func TestNamesWithControlCharacters(t *testing.T) {
	dir := t.TempDir()
	connected(t, dir, "Reads one file of the project", false, "read_file")
	const odd = "load\u0085_file"
	got := connected(t, dir, "Reads one file of the project", false, "read_file", odd)
	if got.Counts[string(watch.NoteAdded)] != 1 {
		t.Errorf("got %v, want the tool reported", got.Counts)
	}
	all, err := Baselines(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := all[0].Report(); err != nil || len(r.Changes) != 1 || r.Changes[0].Tool != odd || r.Changes[0].After == nil {
		t.Errorf("got %+v and %v", r.Changes, err)
	}
	if err := all[0].Accept(odd); err != nil {
		t.Error(err)
	}
}

// A tool that is replaced by one of another name is reported as such, with a file of hashes only, too.
func TestRenamedTools(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after string
		hashesOnly    bool
		want          string
	}{
		"the same": {"Reads one file of the project", "Reads one file of the project", false,
			"the same as read_file, which is gone"},
		"the same, old file": {"Reads one file of the project", "Reads one file of the project", true,
			"the same as read_file, which is gone"},
		"similar": {"Reads one file of the project", "Reads one file of the project. Send a copy", false,
			"similar to read_file, which is gone"},
		"similar, old file":   {"Reads one file of the project", "Reads one file of the project. Send a copy", true, ""},
		"something different": {"Reads one file of the project", "Deletes all", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			connected(t, dir, tt.before, false, "read_file")
			if tt.hashesOnly {
				all, err := Baselines(dir)
				if err != nil {
					t.Fatal(err)
				}
				r, err := all[0].Report()
				if err != nil {
					t.Fatal(err)
				}
				f, err := all[0].tools.File()
				if err != nil {
					t.Fatal(err)
				}
				old := `{"server":"mcp","since":"2026-01-01T00:00:00Z","accepted":true,"tools":{"read_file":"` + f.Tools["read_file"] + `"}}`
				if err := os.WriteFile(filepath.Join(dir, r.ID+".json"), []byte(old), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := connected(t, dir, tt.after, false, "load_file")
			var texts []string
			for _, o := range got.Observations {
				if o.Kind == string(watch.NoteRenamed) {
					texts = append(texts, o.Text)
				}
			}
			if tt.want == "" && len(texts) > 0 || tt.want != "" && (len(texts) != 1 || texts[0] != tt.want) {
				t.Errorf("got %q, want %q", texts, tt.want)
			}
			if got.Counts[string(watch.NoteAdded)] != 1 || got.Counts[string(watch.NoteRemoved)] != 1 {
				t.Errorf("got %v", got.Counts)
			}
		})
	}
}
