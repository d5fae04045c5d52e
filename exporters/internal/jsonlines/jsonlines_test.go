// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, dir string, o Options) *Exporter {
	t.Helper()
	e, err := New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

// stub is a span with a name and attributes.
func stub(name string, attributes ...attribute.KeyValue) sdktrace.ReadOnlySpan {
	id := trace.SpanContextConfig{TraceID: trace.TraceID{1, 2, 0xab}, SpanID: trace.SpanID{3, 0xcd},
		TraceFlags: trace.FlagsSampled}
	link := trace.SpanContextConfig{TraceID: trace.TraceID{9}, SpanID: trace.SpanID{8}}
	return tracetest.SpanStub{
		Name: name, SpanContext: trace.NewSpanContext(id), Attributes: attributes, SpanKind: trace.SpanKindInternal,
		StartTime: time.Unix(1, 5), EndTime: time.Unix(2, 0), Status: sdktrace.Status{Code: codes.Error, Description: "no"},
		Links: []sdktrace.Link{{SpanContext: trace.NewSpanContext(link)}},
	}.Snapshot()
}

func export(t testing.TB, e *Exporter, spans ...sdktrace.ReadOnlySpan) {
	t.Helper()
	if err := e.ExportSpans(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
}

// line is what a reader takes of a line.
type line struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name string
				Kind                                int
				StartTimeUnixNano                   string
				Links                               []struct{ TraceID, SpanID string }
				Status                              struct{ Code int }
			}
		}
	}
}

// read are the lines of all files, compressed or not.
func read(t testing.TB, dir string) (lines []line, names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var from io.Reader = file
		if strings.HasSuffix(path, ".gz") {
			if from, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		r := bufio.NewReader(from)
		for {
			text, err := r.ReadBytes('\n')
			if err == io.EOF {
				if len(text) > 0 {
					t.Errorf("%s: got a torn line %q", path, text)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			var l line
			if err := json.Unmarshal(text, &l); err != nil {
				t.Fatalf("%s: %s: %v", path, text, err)
			}
			lines = append(lines, l)
		}
		file.Close()
		names = append(names, filepath.Base(path))
	}
	return lines, names
}

func names(lines []line) (all []string) {
	for _, l := range lines {
		for _, r := range l.ResourceSpans {
			for _, s := range r.ScopeSpans {
				for _, span := range s.Spans {
					all = append(all, span.Name)
				}
			}
		}
	}
	return all
}

// A line is OTLP JSON: ids in hexadecimal, enumerations as numbers, times as
// texts.
func TestOneLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	e := open(t, dir, Options{})
	export(t, e, stub("work", attribute.String("text", "größer\n"), attribute.Int64("n", 7)))
	lines, files := read(t, dir)
	if len(lines) != 1 || len(files) != 1 || !strings.HasSuffix(files[0], ".jsonl") {
		t.Fatalf("got %d lines in %q", len(lines), files)
	}
	s := lines[0].ResourceSpans[0].ScopeSpans[0].Spans[0]
	if s.TraceID != "0102ab"+strings.Repeat("0", 26) || s.SpanID != "03cd000000000000" || s.ParentSpanID != "" ||
		s.Name != "work" ||
		s.Kind != 1 || s.StartTimeUnixNano != "1000000005" || s.Status.Code != 2 ||
		s.Links[0].TraceID != "09"+strings.Repeat("0", 30) || s.Links[0].SpanID != "08"+strings.Repeat("0", 14) {
		t.Errorf("got %+v", s)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Dir(dir): 0o700,
			filepath.Join(dir, files[0]): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: got mode %v (%v), want %v", path, info.Mode().Perm(), err, want)
			}
		}
	}
	if got := e.Stats(); got.Spans != 1 || got.Files != 1 || got.Failed != 0 || got.Bytes == 0 || got.Err != nil {
		t.Errorf("got %+v", got)
	}
}

// What is too much for a line becomes several, and what is no OTLP costs itself
// only.
func TestLinesAreCut(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{})
	big := attribute.String("text", strings.Repeat("x", lineSpans/4))
	var batch []sdktrace.ReadOnlySpan
	for i := range 10 {
		batch = append(batch, stub(fmt.Sprint(i), big))
	}
	export(t, e, batch...)
	lines, _ := read(t, dir)
	if got := names(lines); len(lines) != 4 || strings.Join(got, "") != "0123456789" {
		t.Errorf("got %q in %d lines, want ten spans in four", got, len(lines))
	}
	err := e.ExportSpans(t.Context(),
		[]sdktrace.ReadOnlySpan{stub("good"), stub("bad", attribute.String("text", "\xff")), stub("fine")})
	if err == nil || !strings.Contains(err.Error(), "1 spans were not written") {
		t.Errorf("got %v, want one span that was not written", err)
	}
	lines, _ = read(t, dir)
	if got := names(lines); strings.Join(got[10:], " ") != "good fine" || e.Stats().Failed != 1 {
		t.Errorf("got %q and %+v", got[10:], e.Stats())
	}
}

func TestFilesAreSetAside(t *testing.T) {
	for _, c := range []struct {
		name  string
		plain bool
		want  string
	}{{"compressed", false, ".jsonl.gz"}, {"plain", true, ".jsonl"}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, dir, Options{FileBytes: 1, Plain: c.plain})
			for i := range 3 {
				export(t, e, stub(fmt.Sprint(i)))
			}
			if err := e.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			lines, files := read(t, dir)
			if len(files) != 3 || strings.Join(names(lines), "") != "012" {
				t.Fatalf("got %q in %q", names(lines), files)
			}
			for _, name := range files[:2] {
				if !strings.HasSuffix(name, c.want) {
					t.Errorf("got %q, want it to end with %q", name, c.want)
				}
			}
			if err := e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{stub("late")}); !errors.Is(err, errClosed) {
				t.Errorf("after Shutdown: got %v, want %v", err, errClosed)
			}
		})
	}
}

func TestFileAge(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{FileAge: time.Minute, Plain: true})
	var later atomic.Int64 // seconds
	e.files.now = func() time.Time { return time.Now().Add(time.Duration(later.Load()) * time.Second) }
	export(t, e, stub("a"))
	later.Store(40)
	export(t, e, stub("b"))
	later.Store(61)
	export(t, e, stub("c"))
	if _, files := read(t, dir); len(files) != 2 {
		t.Errorf("got %q, want two files", files)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		left int
	}{
		{"number", Options{MaxFiles: 3}, 3},
		{"bytes", Options{MaxBytes: 2500}, 3},
		{"age", Options{MaxAge: 24 * time.Hour}, 1},
		{"none", Options{}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			old := time.Now().Add(-48 * time.Hour)
			for i := range 5 {
				name := filepath.Join(dir, fmt.Sprintf("spans-2026010%dT000000.000000000-1-0.jsonl.gz", i))
				if err := os.WriteFile(name, make([]byte, 1000), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(name, old, old); err != nil {
					t.Fatal(err)
				}
			}
			other := filepath.Join(dir, "notes.txt")
			stale := filepath.Join(dir, ".spans-x.part")
			for _, name := range []string{other, stale} {
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(name, old, old); err != nil {
					t.Fatal(err)
				}
			}
			e := open(t, dir, c.o)
			export(t, e, stub("a"))
			if err := e.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			found, err := e.files.list()
			if err != nil || len(found) != c.left || e.Stats().Removed != uint64(6-c.left) ||
				!strings.HasSuffix(found[len(found)-1].Name(), suffix) {
				t.Errorf("got %d files left, %v, %+v, want %d with the one written", len(found), err, e.Stats(), c.left)
			}
			if _, err := os.Stat(other); err != nil {
				t.Errorf("another's file: %v", err)
			}
			if _, err := os.Stat(stale); !os.IsNotExist(err) {
				t.Errorf("an unfinished file of a process that died: got %v, want it gone", err)
			}
		})
	}
}

// A process that was killed leaves a plain file, perhaps with a torn line: a later one
// compresses it when it was quiet for an hour.
func TestWhatAProcessLeft(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, Options{})
	export(t, first, stub("left"))
	left := first.files.file.Name()
	if err := first.files.file.Close(); err != nil {
		t.Fatal(err)
	}
	quiet := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(left, quiet, quiet); err != nil {
		t.Fatal(err)
	}
	second := open(t, dir, Options{})
	export(t, second, stub("new"))
	if err := second.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines, files := read(t, dir)
	if len(files) != 2 || !strings.HasSuffix(files[0], ".gz") || strings.Join(names(lines), " ") != "left new" {
		t.Errorf("got %q in %q", names(lines), files)
	}
	if info, err := os.Stat(filepath.Join(dir, files[0])); err != nil || info.ModTime().Sub(quiet).Abs() > time.Second {
		t.Errorf("got %v, %v, want the age of what was compressed", info, err)
	}
}

// The directory is deleted, or made a file, while it is in use: what comes after is
// written as soon as it can be.
func TestDirectoryGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "traces")
	e := open(t, dir, Options{})
	export(t, e, stub("before"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	export(t, e, stub("after"))
	lines, _ := read(t, dir)
	if got := names(lines); len(got) != 1 || got[0] != "after" {
		t.Errorf("got %q", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{stub("lost")}); err == nil ||
		e.Stats().Failed != 1 || e.Stats().Err == nil {
		t.Errorf("got %v and %+v, want an error", err, e.Stats())
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	export(t, e, stub("again"))
	if e.Stats().Err != nil {
		t.Errorf("got %v after a batch that was written, want none", e.Stats().Err)
	}
}

// A full disk costs the batches that it refuses, and leaves no torn line.
func TestDiskRefuses(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{})
	export(t, e, stub("a"))
	writeTo := func(f *os.File) (before *os.File) {
		e.files.mu.Lock()
		defer e.files.mu.Unlock()
		before, e.files.file = e.files.file, f
		return before
	}
	good := writeTo(nil)
	full, err := os.Open(good.Name()) // read only
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	writeTo(full)
	if err := e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{stub("b"), stub("c")}); err == nil ||
		!strings.Contains(err.Error(), "2 spans were not written") {
		t.Errorf("got %v, want an error that counts two spans", err)
	}
	writeTo(good)
	export(t, e, stub("d"))
	lines, _ := read(t, dir)
	if got := names(lines); strings.Join(got, "") != "ad" {
		t.Errorf("got %q", got)
	}
}

func TestSeveralAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 3 {
		e := open(t, dir, Options{FileBytes: 2000})
		for g := range 2 {
			wg.Go(func() {
				for i := range 20 {
					export(t, e, stub(fmt.Sprintf("%d/%d/%d", p, g, i)))
				}
			})
		}
		wg.Wait() // the next one finds files of the one before
		if err := e.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lines, files := read(t, dir)
	seen := make(map[string]bool)
	for _, n := range names(lines) {
		seen[n] = true
	}
	if len(seen) != 120 || len(lines) != 120 {
		t.Errorf("got %d spans, %d of them different, in %d files, want 120", len(lines), len(seen), len(files))
	}
}

// Shutdown ends with its context: what is not compressed by then stays as it is.
func TestShutdownGivesUp(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{FileBytes: 1})
	export(t, e, stub("a"))
	export(t, e, stub("b"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	lines, _ := read(t, dir)
	if got := names(lines); len(got) != 2 {
		t.Errorf("got %q, want both", got)
	}
	if parts, _ := filepath.Glob(filepath.Join(dir, ".*")); len(parts) != 0 {
		t.Errorf("got %q, want nothing unfinished", parts)
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		o    Options
		want string
	}{
		{"", Options{}, `dir: got ""`},
		{file, Options{}, "want a directory"},
		{t.TempDir(), Options{MaxBytes: -1}, "Options.MaxBytes: got -1, want 0 or more"},
	} {
		if _, err := New(c.dir, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %+v: got %v, want %q in it", c.dir, c.o, err, c.want)
		}
	}
}
