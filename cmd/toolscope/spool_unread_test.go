// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tracesv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
)

// What cannot be read stays where it is, and no command reports success for it; what is damaged counts as lost.
func TestSpoolCommandAndWhatCannotBeRead(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "") // which --otlp sets for the process
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	collector, server := new(picky), grpc.NewServer()
	collector.well.Store(true)
	tracesv1.RegisterTraceServiceServer(server, collector)
	go func() { _ = server.Serve(l) }()
	defer server.Stop()
	url := "http://" + l.Addr().String()

	leave := func(t *testing.T, dir string) {
		t.Helper()
		if err := leaveSpans(t, dir, "127.0.0.1:1", 2).Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	}
	expect := func(t *testing.T, dir string, code int, wants []string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(append(append([]string{"spool"}, args...), dir), strings.NewReader(""), &out, &errs)
		text := strings.Join(strings.Fields(out.String()+errs.String()), " ")
		for _, want := range wants {
			if got != code || !strings.Contains(text, want) {
				t.Errorf("%v: got %d, %s; want %d, %q", args, got, text, code, want)
			}
		}
		if strings.Contains(text, "other processes") {
			t.Errorf("%v: got %s, want no word of processes", args, text)
		}
	}
	one := func(t *testing.T, pattern ...string) string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(pattern...))
		if err != nil || len(paths) != 1 {
			t.Fatalf("%s: got %q, %v, want one", pattern, paths, err)
		}
		return paths[0]
	}
	unreadable := func(t *testing.T, dir string, undo func()) {
		t.Helper()
		expect(t, dir, exitError, []string{"cannot be read"}, "list")
		expect(t, dir, exitError, []string{"0 delivered", "could not be read, and stays"}, "retry", "--otlp", url)
		expect(t, dir, exitError, []string{"waiting: 0 spans deleted"}, "purge", "--waiting")
		undo()
		expect(t, dir, exitOK, []string{"2 spans found, 2 delivered"}, "retry", "--otlp", url)
	}

	t.Run("a folder", func(t *testing.T) {
		dir := t.TempDir()
		leave(t, dir)
		lock := filepath.Join(filepath.Dir(one(t, dir, "*", "*.segment")), "lock")
		_ = os.Remove(lock)
		if err := os.Mkdir(lock, 0o700); err != nil { // also for root no file to open
			t.Fatal(err)
		}
		unreadable(t, dir, func() { _ = os.Remove(lock) })
	})
	t.Run("a file of another user", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root reads every file")
		}
		dir := t.TempDir()
		leave(t, dir)
		segment := one(t, dir, "*", "*.segment")
		_ = os.Chmod(segment, 0)
		unreadable(t, dir, func() { _ = os.Chmod(segment, 0o600) })
	})
	t.Run("a damaged file", func(t *testing.T) {
		dir := t.TempDir()
		leave(t, dir)
		segment := one(t, dir, "*", "*.segment")
		content, err := os.ReadFile(segment)
		if err != nil {
			t.Fatal(err)
		}
		content[bytes.LastIndex(content, []byte("work"))]++
		if err := os.WriteFile(segment, content, 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, dir, exitOK, []string{"damaged: 1 place"}, "list")
		expect(t, dir, exitError, []string{"2 spans found, 0 delivered, 0 on disk, 2 rejected or lost"}, "retry", "--otlp", url)
	})
	t.Run("a line that is broken", func(t *testing.T) {
		dir := t.TempDir()
		rejected := filepath.Join(dir, "rejected")
		if err := os.Mkdir(rejected, 0o700); err != nil {
			t.Fatal(err)
		}
		const whole = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c",` +
			`"spanId":"eee19b7ec3c1b174","name":"work"}]}]}]}`
		name := filepath.Join(rejected, "spans-20261122T000000.000000000-1-00000000.jsonl")
		if err := os.WriteFile(name, []byte(whole+"\n"+whole[:90]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, dir, exitError, []string{"1 spans found, 1 delivered", "1 lines are no spans, and stay"}, "retry", "--otlp", url)
		if left, err := os.ReadFile(name); err != nil || string(left) != whole[:90]+"\n" {
			t.Errorf("got %q, %v, want the broken line", left, err)
		}
		expect(t, dir, exitOK, []string{"rejected: 1 span deleted"}, "purge", "--rejected")
	})
	t.Run("left by a command", func(t *testing.T) {
		t.Setenv("OTEL_METRICS_EXPORTER", "none")
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
		dir := filepath.Join(t.TempDir(), "spool")
		var out, errs bytes.Buffer
		if code := run([]string{"demo", "--once", "--spool", dir}, strings.NewReader(""), &out, &errs); code != exitError ||
			!strings.Contains(errs.String(), "--spool: got it without a destination") {
			t.Errorf("no destination: got %d, %s", code, errs.String())
		}
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1")
		if code := run([]string{"demo", "--once", "--spool", dir}, strings.NewReader(""), &out, &errs); code != exitOK {
			t.Errorf("demo: got %d, %s", code, errs.String())
		}
		expect(t, dir, exitOK, []string{"its program"}, "list") // this process, which has ended all it did
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
		expect(t, dir, exitOK, []string{" delivered, 0 on disk, 0 rejected or lost"}, "retry", "--otlp", url)
	})
	t.Run("no spool", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list"}, {"show"}, {"retry", "--otlp", url}, {"purge", "--waiting"}} {
			expect(t, dir, exitError, []string{"want that of a spool"}, args...)
		}
	})
}
