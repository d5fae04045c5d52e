// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// faulty makes a spool whose disk fails as long as the test wants.
func faulty(t *testing.T, dir string, d *destination, o Options) (*Spool, *atomic.Pointer[error]) {
	t.Helper()
	var fault atomic.Pointer[error]
	real := newSystem()
	s, err := build(dir, d, o, &system{
		mkdir: func(path string) error {
			if err := fault.Load(); err != nil {
				return *err
			}
			return real.mkdir(path)
		},
		open: func(path string, flag int) (*os.File, error) {
			if err := fault.Load(); err != nil {
				return nil, *err
			}
			return real.open(path, flag)
		},
		write: func(f *os.File, b []byte, at int64) error {
			if err := fault.Load(); err != nil {
				_ = real.write(f, b[:len(b)/2], at) // as far as there was room
				return *err
			}
			return real.write(f, b, at)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, &fault
}

// On a disk that is full, spans that did not fail give way to those that did, and in memory they do as well;
// the ledger says so.
func TestErrorsDisplaceSuccesses(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	var quota atomic.Int64
	quota.Store(96 << 10)
	files := newSystem()
	write := files.write
	files.write = func(f *os.File, b []byte, at int64) error {
		used := int64(len(b))
		paths, _ := folders(dir)
		for _, path := range paths {
			used += weigh(path)
		}
		if used > quota.Load() {
			return syscall.ENOSPC
		}
		return write(f, b, at)
	}
	s, err := build(dir, d, quick(Options{WriteAhead: true, MaxBytes: 256 << 10, MaxMemory: 8 << 10}), files)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { quota.Store(1 << 30); shut(t, s) }()
	long := strings.Repeat("x", 2<<10)
	n := 0
	for ; s.Stats().DiskError == ""; n++ {
		export(t, s, long)
	}
	for ; n > 0; n-- {
		_ = s.ExportSpans(t.Context(), stubs("!"+long)) // the last ones may find no room
		if s.Stats().Dropped[DroppedFull] > 0 {
			break
		}
	}
	if got := s.Stats(); got.Dropped[DroppedFull] == 0 || got.DiskError != "" {
		t.Errorf("on a full disk: got %+v, want spans that did not fail dropped", got)
	}
	quota.Store(0)
	before := s.Stats()
	for range 2 {
		export(t, s, long)
	}
	for range 3 {
		export(t, s, "!"+long)
	}
	if got := s.Stats(); got.Dropped[DroppedMemory] < 2 || got.MemorySpans < 3 ||
		got.Dropped[DroppedFull] > before.Dropped[DroppedFull]+32 {
		t.Errorf("in memory: got %+v, want spans that did not fail dropped", got)
	}
}

// A disk that takes nothing, whatever is wrong with it: the spans are sent from memory,
// what is wrong is reported, and it is used again once it works, without a restart.
func TestDiskThatFails(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EIO} {
		t.Run(fault.Error(), func(t *testing.T) {
			dir, d := t.TempDir(), &destination{answer: down}
			s, disk := faulty(t, dir, d, quick(Options{WriteAhead: true}))
			defer shut(t, s)
			export(t, s, "on disk")
			disk.Store(&fault)
			export(t, s, "in memory")
			if got := s.Stats(); got.DiskError != fault.Error() || got.DiskSince.IsZero() || got.MemorySpans != 1 ||
				got.MemoryBytes == 0 || got.Spans != 1 {
				t.Errorf("while it fails: got %+v", got)
			}
			disk.Store(nil)
			export(t, s, "on disk again")
			if got := s.Stats(); got.DiskError != "" || !got.DiskSince.IsZero() || got.MemorySpans != 0 || got.Spans != 3 {
				t.Errorf("when it works: got %+v", got)
			}
			disk.Store(&fault)
			export(t, s, "in memory too")
			d.set(nil)
			d.expect(t, []string{"on disk", "in memory", "on disk again", "in memory too"})
			disk.Store(nil)
			export(t, s, "last")
			d.expect(t, []string{"on disk", "in memory", "on disk again", "in memory too", "last"})
			eventually(t, "all is done", func() bool { return s.Stats().Spans == 0 })
			if got := s.Stats(); len(got.Dropped) != 0 || got.Torn+got.Corrupt != 0 {
				t.Errorf("Stats: got %+v", got)
			}
		})
	}
}

// Memory is bounded while neither disk nor destination take anything, and the caller gets an error.
func TestMemoryIsBounded(t *testing.T) {
	d := &destination{answer: down}
	s, disk := faulty(t, t.TempDir(), d, quick(Options{WriteAhead: true, MaxMemory: 4000}))
	full := error(syscall.ENOSPC)
	disk.Store(&full)
	refused := 0
	for range 200 {
		if err := s.ExportSpans(t.Context(), stubs("span")); err != nil {
			if refused++; !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("ExportSpans: got %v", err)
			}
		}
	}
	got := s.Stats()
	if got.MemoryBytes > 4000 || refused == 0 || got.Dropped[DroppedMemory] != uint64(refused) || got.MemorySpans != 200-refused {
		t.Errorf("got %+v after %d refusals", got, refused)
	}
	if err := s.Shutdown(t.Context()); err == nil || !strings.Contains(err.Error(), "spans are lost") {
		t.Errorf("Shutdown: got %v", err)
	}
	if lost := s.Stats().Dropped[DroppedShutdown]; lost != uint64(200-refused) {
		t.Errorf("lost at shutdown: got %d, want %d", lost, 200-refused)
	}
}

// A disk that does not answer holds no caller up for long, and spans are sent without it. What
// it then wrote after all is not sent twice.
func TestDiskThatHangs(t *testing.T) {
	dir, d := t.TempDir(), new(destination)
	files := newSystem()
	real := files.write
	free := make(chan struct{})
	var hangs atomic.Bool
	files.write = func(f *os.File, b []byte, at int64) error {
		if hangs.Load() && len(b) > 1 {
			<-free
		}
		return real(f, b, at)
	}
	s, err := build(dir, d, quick(Options{WriteAhead: true}), files)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, s)
	export(t, s, "first")
	d.expect(t, []string{"first"})
	hangs.Store(true)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.ExportSpans(ctx, stubs("second")); err != nil {
		t.Errorf("ExportSpans: got %v", err)
	}
	export(t, s, "third")
	if took := time.Since(begun); took > 10*diskLimit {
		t.Errorf("two batches took %v", took)
	}
	d.expect(t, []string{"first", "second", "third"})
	if got := s.Stats(); got.DiskError == "" {
		t.Errorf("Stats: got %+v", got)
	}
	hangs.Store(false)
	close(free)
	eventually(t, "the disk answers", func() bool { return !s.disk.hung.Load() })
	export(t, s, "fourth")
	d.expect(t, []string{"first", "second", "third", "fourth"})
	eventually(t, "all is done", func() bool { return s.Stats().Spans == 0 })
	if got := s.Stats(); got.DiskError != "" || got.Delivered != 4 {
		t.Errorf("Stats: got %+v", got)
	}
}

// A directory that is deleted while it is used is made anew, and what was in its open
// files is sent all the same.
func TestDirectoryDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows deletes no open file")
	}
	dir, d := filepath.Join(t.TempDir(), "spool"), &destination{answer: down}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	export(t, s, "before")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	export(t, s, "after")
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("files: got %q, want one", names)
	}
	d.set(nil)
	d.expect(t, []string{"before", "after"})
	eventually(t, "all is done", func() bool { return s.Stats().Spans == 0 })
}

// On a real file system without room.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	}()
	d := &destination{answer: down}
	s, err := New(dir, d, quick(Options{WriteAhead: true}))
	if err != nil {
		t.Fatal(err)
	}
	names := numbered("span "+strings.Repeat("x", 2000), 300)
	for _, name := range names {
		export(t, s, name)
	}
	got := s.Stats()
	if !strings.Contains(got.DiskError, "no space left") || got.Spans+got.MemorySpans != 300 ||
		got.MemorySpans == 0 || got.Spans == 0 {
		t.Errorf("when it is full: got %+v", got)
	}
	// Remounted read-only and back, it is still reported, and in the end nothing is lost.
	remount := func(how string) {
		if out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil {
			t.Fatalf("remount: %v %s", err, out)
		}
	}
	d.set(nil)
	eventually(t, "all is sent", func() bool { return len(d.names()) == 300 })
	if !slices.Equal(d.names(), names) {
		t.Error("not in order")
	}
	export(t, s, "room again")
	eventually(t, "it is reported", func() bool { return s.Stats().DiskError == "" })
	shut(t, s)
	if got := s.Stats(); len(got.Dropped) != 0 || got.Torn+got.Corrupt != 0 {
		t.Errorf("in the end: got %+v", got)
	}

	remount("ro")
	readOnly := new(destination)
	s, err = New(dir, readOnly, quick(Options{WriteAhead: true}))
	if err != nil {
		t.Fatalf("New on a read-only disk: %v", err)
	}
	export(t, s, "a")
	readOnly.expect(t, []string{"a"})
	if got := s.Stats(); !strings.Contains(got.DiskError, "read-only") {
		t.Errorf("on a read-only disk: got %+v", got)
	}
	remount("rw")
	export(t, s, "b")
	readOnly.expect(t, []string{"a", "b"})
	if got := s.Stats(); got.DiskError != "" {
		t.Errorf("when it can be written again: got %+v", got)
	}
	shut(t, s)
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	d := new(destination)
	for name, c := range map[string]struct {
		dir     string
		options Options
		want    string
	}{
		"no directory":   {"", Options{}, `spool: directory: got "", want a path`},
		"a file":         {file, Options{}, "want a directory"},
		"below a file":   {filepath.Join(file, "spool"), Options{}, "spool: directory: got "},
		"open to others": {open, Options{}, "only its owner can write"},
		"negative": {dir, Options{MaxAge: -1},
			"spool: Options.MaxAge: got -1ns, want a positive duration, or 0 for 24h0m0s"},
		"small": {dir, Options{MaxBytes: 1},
			"spool: Options.MaxBytes: got 1, want at least 65536 bytes, or 0 for 268435456"},
		"backoffs crossed": {dir, Options{MinBackoff: time.Minute},
			"spool: Options.MinBackoff: got 1m0s, want at most MaxBackoff, 5s"},
	} {
		if runtime.GOOS == "windows" && name == "open to others" {
			continue
		}
		if _, err := New(c.dir, d, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := New(dir, nil, Options{}); err == nil {
		t.Error("a nil client: got no error")
	}
}

// A file that cannot be opened ends a flush with an error, and is neither deleted nor sent.
func TestFlushOfWhatCannotBeRead(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	export(t, s, "kept")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	d = new(destination)
	files := newSystem()
	files.open = func(path string, flag int) (*os.File, error) {
		if strings.HasSuffix(path, suffix) {
			return nil, fs.ErrPermission
		}
		return newSystem().open(path, flag)
	}
	next, err := build(dir, d, quick(Options{}), files)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := next.Flush(ctx); err == nil || !strings.Contains(err.Error(), "cannot be read: permission denied") {
		t.Errorf("Flush: got %v, want that a part cannot be read", err)
	}
	if err := next.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if parts, err := List(dir); err != nil || len(parts) != 1 || parts[0].Spans != 1 {
		t.Errorf("got %+v, %v, want the span kept", parts, err)
	}
}
