// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/stats/internal/journal"
	"github.com/toolscope/toolscope/toolkit"
)

func closeNow(t *testing.T, r *Recorder) {
	t.Helper()
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// stored lists the files of a directory, and fails for one that others may read.
func stored(t *testing.T, directory string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, journal.FilePrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got mode %v (%v), want 0600", f, info.Mode(), err)
		}
	}
	return files
}

func TestIntervalsAreReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		directory := filepath.Join(t.TempDir(), "a", "b")
		tool := &toolkit.Definition{Name: "t", Cost: 1}
		for run := range 3 {
			r := newRecorder(t, Options{Directory: directory})
			for range 5 {
				record(r, call(tool, 100*time.Millisecond, sampled(3)), call(tool, time.Second, failing("timeout", "late by 3 s")))
				time.Sleep(7 * time.Second)
			}
			s := r.Snapshot(Window{})
			want := uint64(10 * (run + 1))
			if got := s.Tools[0]; got.Calls() != want || got.Cost != float64(want) || got.Errors() != want/2 || len(got.Exemplars) != 1 {
				t.Errorf("run %d: got %+v, want %d calls", run, got, want)
			}
			if len(s.Errors) != 1 || s.Errors[0].Count != want/2 || s.Errors[0].CountMax != want/2 ||
				s.Errors[0].Example != "late by 3 s" {
				t.Errorf("run %d: got errors %+v, want %d of one group", run, s.Errors, want/2)
			}
			closeNow(t, r)
			if len(r.Notes()) > 0 {
				t.Errorf("run %d: got notes %q", run, r.Notes())
			}
			time.Sleep(time.Hour)
		}
		r := newRecorder(t, Options{Directory: directory})
		if got := r.Snapshot(Window{Last: 90 * time.Minute}).Tools[0].Calls(); got != 10 {
			t.Errorf("last 90 minutes: got %d calls, want those of the last run", got)
		}
		if n := len(stored(t, directory)); n != 3 {
			t.Errorf("got %d files, want one for each run", n)
		}
	})
}

func TestDamagedFilesAreReadAsFarAsTheyGo(t *testing.T) {
	write := func(t *testing.T) (directory, file string, whole []byte) {
		directory = t.TempDir()
		r := newRecorder(t, Options{Directory: directory})
		time.Sleep(time.Second) // off the boundaries of intervals
		for range 3 {
			record(r, call(&toolkit.Definition{Name: "t"}, time.Millisecond, failing("timeout", "late")))
			time.Sleep(10 * time.Second) // in a bubble
		}
		closeNow(t, r)
		file = stored(t, directory)[0]
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return directory, file, whole
	}
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		calls  uint64
		note   string
	}{
		{"torn in the last record", func(b []byte) []byte { return b[:len(b)-5] }, 2, "torn"},
		{"torn in the last head", func(b []byte) []byte { return append(b, 1, 2, 3) }, 3, "torn"},
		{"a bit turned in the first record", func(b []byte) []byte {
			b[len(journal.FileHead)+journal.HeadSize+4] ^= 1
			return b
		}, 2, "checksum"},
		{"a length without end", func(b []byte) []byte { return append(b, "\xff\xff\xff\xff00000000"...) }, 3, "torn"},
		{"another file", func([]byte) []byte { return []byte("hello") }, 0, "beginning"},
		{"empty", func([]byte) []byte { return nil }, 0, "beginning"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				directory, file, whole := write(t)
				if err := os.WriteFile(file, c.damage(whole), 0o600); err != nil {
					t.Fatal(err)
				}
				r := newRecorder(t, Options{Directory: directory})
				if got := r.Summary(Window{}).Overall.Calls; got != c.calls {
					t.Errorf("got %d calls, want %d", got, c.calls)
				}
				if notes := r.Notes(); len(notes) != 1 || !strings.Contains(notes[0], c.note) {
					t.Errorf("got notes %q, want one about %s", notes, c.note)
				}
			})
		})
	}
}

func TestDirectoryLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 1 << 20
		directory := t.TempDir()
		for range 12 {
			r := newRecorder(t, Options{Directory: directory, MaxDirectoryBytes: limit, Retention: time.Hour, MaxTools: 2000})
			for tool := range 1500 {
				record(r, call(&toolkit.Definition{Name: fmt.Sprintf("%0100d", tool)}, time.Millisecond))
			}
			closeNow(t, r)
			time.Sleep(time.Second)
		}
		total := int64(0)
		for _, f := range stored(t, directory) {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			total += info.Size()
		}
		if total > limit+limit/2 || total == 0 {
			t.Errorf("got %d bytes of files, want about %d at most", total, limit)
		}
		if err := os.WriteFile(filepath.Join(directory, "notes.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, f := range stored(t, directory) {
			old := time.Now().Add(-2 * time.Hour)
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
		}
		newRecorder(t, Options{Directory: directory, Retention: time.Hour})
		if n := len(stored(t, directory)); n != 0 {
			t.Errorf("got %d files older than the retention, want none", n)
		}
		if _, err := os.Stat(filepath.Join(directory, "notes.txt")); err != nil {
			t.Errorf("a file of another program was removed: %v", err)
		}
	})
}

// TestKilledProcessLosesTheOpenIntervalAtMost starts itself, and kills it.
func TestKilledProcessLosesTheOpenIntervalAtMost(t *testing.T) {
	if directory := os.Getenv("STATS_TEST_DIRECTORY"); directory != "" {
		now := time.Now().Add(-time.Hour)
		r, err := New(Options{Directory: directory, Clock: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 { // each call is ten seconds after the one before
			e := call(&toolkit.Definition{Name: "t"}, time.Millisecond)
			e.Start, e.End = now, now
			record(r, e)
			now = now.Add(10 * time.Second)
		}
		for len(stored(t, directory)) == 0 || !r.written() {
			time.Sleep(time.Millisecond)
		}
		p, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Kill()
		select {}
	}
	if testing.Short() {
		t.Skip("starts a process")
	}
	directory := t.TempDir()
	command := exec.Command(os.Args[0], "-test.run=^TestKilledProcessLosesTheOpenIntervalAtMost$")
	command.Env = append(os.Environ(), "STATS_TEST_DIRECTORY="+directory)
	if out, err := command.CombinedOutput(); err == nil {
		t.Fatalf("the process was not killed: %s", out)
	}
	r := newRecorder(t, Options{Directory: directory})
	if got := r.Summary(Window{}).Overall.Calls; got != 9 {
		t.Errorf("got %d calls of 10, want all but that of the open interval; notes: %q", got, r.Notes())
	}
}

// written reports whether nothing waits to be written.
func (r *Recorder) written() bool { return r.journal.Idle() }

func TestDirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(Options{Directory: file})
	if err == nil || !strings.Contains(err.Error(), "Options.Directory") {
		t.Errorf("got %v, want an error that names the option", err)
	}
}

// FuzzReadRecord: no bytes make reading a record panic, and what can be read is
// written again as it was.
func FuzzReadRecord(f *testing.F) {
	r, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	tool := &toolkit.Definition{Name: "t"}
	record(r, call(tool, time.Millisecond, sampled(1)), call(tool, time.Second, failing("timeout", "late"), told("cache", "miss")))
	tools, counts := r.takeOpen(true)
	s := sealed{start: 1, end: 2, tools: appendTools(nil, tools)}
	f.Add(appendInterval(nil, &s, r.errors.Texts(counts)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, tools, groups, err := readInterval(b)
		if err != nil {
			return
		}
		s.tools = appendTools(nil, tools)
		again, _, _, err := readInterval(appendInterval(nil, &s, groups))
		if err != nil || string(again.tools) != string(s.tools) {
			t.Errorf("what was read is not what is written: %v", err)
		}
	})
}
