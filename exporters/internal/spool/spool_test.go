// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// files are the names of the segments in a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == suffix {
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestHealthyDestinationGetsSpansAtOnceAndTheDiskNothing(t *testing.T) {
	dir, d := t.TempDir(), new(destination)
	s := open(t, dir, d, Options{Patience: time.Minute})
	export(t, s, "a", "!b")
	export(t, s, "c")
	d.expect(t, []string{"a", "!b", "c"})
	if names := files(t, dir); len(names) != 0 {
		t.Errorf("files: got %q, want none", names)
	}
	if got := s.Stats(); got.Delivered != 3 || got.Replayed != 0 || got.HealthySince.IsZero() || !got.FailingSince.IsZero() {
		t.Errorf("Stats: got %+v", got)
	}
}

func TestOutageIsReplayedInOrder(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		dir, d := t.TempDir(), &destination{answer: down}
		s := open(t, dir, d, quick(Options{WriteAhead: ahead}))
		want := numbered("span ", 50)
		for _, name := range want {
			export(t, s, name)
		}
		requests := d.count()
		eventually(t, "the failure is reported", func() bool { return d.count() > requests+1 && !s.Stats().FailingSince.IsZero() })
		got := s.Stats()
		if got.Spans != 50 || got.Records != 50 || got.Bytes == 0 || got.Oldest.IsZero() ||
			got.LastError != "nothing listens there: check address and port (connection refused)" {
			t.Errorf("Stats in the outage: got %+v", got)
		}
		d.set(nil)
		d.expect(t, want)
		eventually(t, "the spool is empty", func() bool { return s.Stats().Spans == 0 })
		got = s.Stats()
		if got.Delivered != 50 || got.Replayed != 50 || !got.FailingSince.IsZero() || len(got.Dropped) != 0 ||
			!got.Oldest.IsZero() {
			t.Errorf("Stats after it: got %+v", got)
		}
	}
}

func TestWriteAheadIsOnDiskBeforeExportReturns(t *testing.T) {
	dir := t.TempDir()
	blocked := make(chan struct{})
	d := &destination{answer: func(context.Context, []string) error { <-blocked; return nil }}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	export(t, s, "a", "b", "!c")
	var found []string
	for _, name := range files(t, dir) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scan(data, func(_ int64, h header, payload []byte) { found = append(found, spanNames(t, payload)...) })
	}
	slices.Sort(found)
	if want := []string{"!c", "a", "b"}; !slices.Equal(found, want) {
		t.Errorf("on disk: got %q, want %q", found, want)
	}
	close(blocked)
	eventually(t, "they are sent", func() bool { return len(d.names()) == 3 })
	// What was sent is kept no longer.
	eventually(t, "the files are emptied", func() bool { return s.Stats().Bytes == 2*segmentHeader })
}

func TestSlowDestinationHoldsNobodyUpAndGetsNothingTwice(t *testing.T) {
	dir := t.TempDir()
	free := make(chan struct{})
	d := &destination{answer: func(context.Context, []string) error { <-free; return nil }}
	s := open(t, dir, d, quick(Options{}))
	export(t, s, "a") // patience ends before the request does
	export(t, s, "b")
	if got := s.Stats(); got.Spans != 2 || len(d.names()) != 0 {
		t.Errorf("on disk: got %d spans, want 2", got.Spans)
	}
	close(free)
	d.expect(t, []string{"a", "b"})
	eventually(t, "the spool is empty", func() bool { return s.Stats().Spans == 0 })
	if n := d.count(); n != 2 {
		t.Errorf("requests: got %d, want 2", n)
	}
}

func TestRestartSendsWhatWasLeft(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	s := open(t, dir, d, quick(Options{}))
	want := numbered("span ", 20)
	for _, name := range want {
		export(t, s, name)
	}
	shut(t, s)
	if d.stopped != 1 {
		t.Errorf("the client was stopped %d times, want once", d.stopped)
	}
	again := new(destination)
	s2 := open(t, dir, again, quick(Options{}))
	again.expect(t, want)
	eventually(t, "the spool is empty", func() bool { return s2.Stats().Spans == 0 })
	if got := s2.Stats(); got.Replayed != 20 || got.Torn+got.Corrupt != 0 {
		t.Errorf("Stats: got %+v", got)
	}
	shut(t, s2)
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left in the directory: %v", left)
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	d := &destination{answer: down}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	export(t, s, "a", "!b")
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if want := os.FileMode(0o600); err == nil && !e.IsDir() && info.Mode() != want {
			t.Errorf("%s: got mode %v, want %v", path, info.Mode(), want)
		}
		if want := os.ModeDir | 0o700; err == nil && e.IsDir() && info.Mode() != want {
			t.Errorf("%s: got mode %v, want %v", path, info.Mode(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestShutdown(t *testing.T) {
	dir, d := t.TempDir(), new(destination)
	s, err := New(dir, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shut(t, s) // nothing was ever started
	shut(t, s)
	if d.stopped != 1 {
		t.Errorf("the client was stopped %d times, want once", d.stopped)
	}
	if err := s.ExportSpans(t.Context(), stubs("late")); err == nil {
		t.Error("ExportSpans after Shutdown: got no error")
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("Flush after Shutdown: got %v", err)
	}

	// A destination that never answers ends with the context, and what it did not take stays on disk.
	hangs := &destination{answer: func(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() }}
	s, err = New(dir, hangs, quick(Options{WriteAhead: true}))
	if err != nil {
		t.Fatal(err)
	}
	export(t, s, "a")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("Shutdown took %v", took)
	}
	healthy := new(destination)
	open(t, dir, healthy, quick(Options{}))
	healthy.expect(t, []string{"a"})
}

// What a later version wrote is left to it.
func TestOtherVersionsAreLeftAlone(t *testing.T) {
	dir, d := t.TempDir(), new(destination)
	path := filepath.Join(dir, "1-0123456789abcdef")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	header := binary.BigEndian.AppendUint32([]byte(segmentMagic), formatVersion+1)
	header = append(header, make([]byte, 8)...)
	header = binary.BigEndian.AppendUint32(header, crc32.Checksum(header, castagnoli))
	file := filepath.Join(path, "0000000000000001-other.segment")
	if err := os.WriteFile(file, append(header, "of a later version"...), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, d, quick(Options{}))
	eventually(t, "it is reported", func() bool { return s.Stats().Foreign == 1 })
	export(t, s, "a")
	d.expect(t, []string{"a"})
	shut(t, s)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// Nothing starts that Shutdown does not end.
func TestDeletingStartsNothing(t *testing.T) {
	s := open(t, t.TempDir(), new(destination), Options{})
	if n, err := s.DeleteSession(t.Context(), "x", ""); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing", n, err)
	}
	shut(t, s)
	if _, err := s.DeleteSession(t.Context(), "x", ""); !errors.Is(err, errClosed) {
		t.Errorf("after Shutdown: got %v", err)
	}
}

// A flush that waits for what is just being settled comes to an end.
func TestFlushManyTimes(t *testing.T) {
	d := new(destination)
	s := open(t, t.TempDir(), d, quick(Options{WriteAhead: true}))
	for i := range 2000 {
		export(t, s, "a")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if err := s.Flush(ctx); err != nil {
			t.Fatalf("flush %d: %v", i, err)
		}
		cancel()
	}
}
