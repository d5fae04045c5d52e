// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// logs are the names of the log and of those set aside, and how many lines they have
// together.
func logs(t *testing.T, path string) (names []string, lines int) {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return names, lines
}

func opened(t *testing.T, path string, o Options) *Log {
	t.Helper()
	l, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestLogsAreSetAside(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		files int
		lines int
	}{
		{"never", Options{}, 1, 10},
		{"by size", Options{MaxBytes: 750}, 4, 10},
		{"and the oldest removed", Options{MaxBytes: 750, MaxFiles: 2}, 3, 7},
		{"a line larger than that", Options{MaxBytes: 10}, 10, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			l := opened(t, path, c.o)
			for range 10 {
				if err := l.Write(Event{Kind: "call", Tool: "read"}); err != nil { // about 220 bytes
					t.Fatal(err)
				}
			}
			if names, lines := logs(t, path); len(names) != c.files || lines != c.lines {
				t.Errorf("got %d lines in %q, want %d in %d files", lines, names, c.lines, c.files)
			}
		})
	}
}

// Lines are kept for at least MaxAge, and for a tenth longer at most while there are others.
func TestMaxAge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := opened(t, path, Options{MaxAge: 10 * time.Hour})
	now := time.Now()
	l.now = func() time.Time { return now }
	l.begun = now
	write := func() {
		t.Helper()
		if err := l.Write(Event{Time: now, Kind: "call", Tool: "read"}); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		write()
		now = now.Add(30 * time.Minute)
	}
	if names, lines := logs(t, path); lines != 20 || len(names) < 5 {
		t.Errorf("after 10 hours: got %d lines in %d files, want all 20 in several", lines, len(names))
	}
	for range 20 {
		write()
		now = now.Add(30 * time.Minute)
	}
	if _, lines := logs(t, path); lines < 20 || lines > 25 {
		t.Errorf("after 20 hours: got %d lines, want those of about 11 hours", lines)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := opened(t, path, Options{MaxAge: time.Hour})
	if now.Sub(again.begun) > 3*time.Hour || again.begun.After(now) {
		t.Errorf("opened again: got %v for its first line, want its time", again.begun)
	}
}

// A caller that moves the log away gets what was written until then, and nothing is lost.
func TestLogIsMovedAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := opened(t, path, Options{})
	for i := range 3 {
		if err := l.Write(Event{Kind: "call", Tool: "read"}); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if names, lines := logs(t, path); len(names) != 2 || lines != 3 {
		t.Errorf("got %d lines in %q, want three in two", lines, names)
	}
}

// Several processes set one log aside at the same time.
func TestManySetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var wg sync.WaitGroup
	for range 4 {
		l := opened(t, path, Options{MaxBytes: 1000})
		wg.Go(func() {
			for range 100 {
				if err := l.Write(Event{Kind: "call", Tool: "read"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if names, lines := logs(t, path); lines != 400 || len(names) < 10 {
		t.Errorf("got %d lines in %d files, want 400 in many", lines, len(names))
	}
}

// The directory goes and comes back: lines are lost only between.
func TestDirectoryGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := opened(t, filepath.Join(dir, "audit.jsonl"), Options{MaxBytes: 1000})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Write(Event{Kind: "call"}); err == nil || l.Lost() != 1 {
		t.Errorf("without its directory: got %v, %d lost, want an error", err, l.Lost())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.Write(Event{Kind: "call"}); err != nil || l.Lost() != 1 {
		t.Errorf("with it: got %v, %d lost", err, l.Lost())
	}
}

func TestOptionsBelowZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for name, o := range map[string]Options{"MaxBytes": {MaxBytes: -1}, "MaxAge": {MaxAge: -1}, "MaxFiles": {MaxFiles: -1}} {
		if _, err := Open(path, o); err == nil || !strings.Contains(err.Error(), "Options."+name+": got -1") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
