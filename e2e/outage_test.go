// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
)

// onDiskWithin is how long after its end a span may still be lost by a kill, and slowly on a
// machine that keeps the process waiting.
const (
	onDiskWithin = 100 * time.Millisecond
	slowly       = 2 * time.Second
)

// TestOutage stops Jaeger under load, kills the program that makes the spans in the middle with
// SIGKILL, starts it again, starts Jaeger again, and looks for every span. The second run checks its
// ledger. The outage takes 10 seconds; TOOLSCOPE_OUTAGE says how long it shall take instead, and then
// times are judged as on a machine that does nothing else.
func TestOutage(t *testing.T) {
	length, within := 10*time.Second, slowly
	if v := os.Getenv("TOOLSCOPE_OUTAGE"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 2*time.Second {
			t.Fatalf("TOOLSCOPE_OUTAGE: got %q, want a duration of 2s or more", v)
		}
		length, within = d, onDiskWithin
	}
	dir := t.TempDir()
	server, err := jaeger.StartStored(t.Context(), jaegerBinary(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	victim := filepath.Join(dir, "victim")
	if out, err := exec.Command("go", "build", "-o", victim, "./outage").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(journal string) (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		said := new(bytes.Buffer)
		cmd := exec.Command(victim, "-spool", filepath.Join(dir, "spool"), "-journal", filepath.Join(dir, journal))
		cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.OTLP, "OTEL_METRICS_EXPORTER=none")
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd, said
	}

	first, _ := run("first")
	time.Sleep(2 * time.Second) // a load while Jaeger answers: the length is part of the test
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(length / 2) // the outage before the kill
	killed := time.Now()
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	second, said := run("second")
	time.Sleep(length / 2) // the outage after the restart
	if err := server.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := journal(t, filepath.Join(dir, "first"), killed.Add(-within))
	lost := missing(t, server, before) // calls go on while what waited is sent
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Fatalf("the second run: %v\n%s", err, said)
	}
	after := journal(t, filepath.Join(dir, "second"), time.Now())
	lost += missing(t, server, after)
	t.Logf(
		"%d spans ended more than %v before the kill, %d after the restart, %v without Jaeger: %d missing",
		len(before),
		within,
		len(after),
		length,
		lost,
	)
	if lost > 0 || len(before) < 100 || len(after) < 100 {
		t.Errorf("want a load and no span missing\n%s", said)
	}
}

// missing is how many of the spans Jaeger does not have, after a minute at most.
func missing(t *testing.T, server *jaeger.Server, spans map[string]string) (n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		found := stored(t, server, spans)
		n = 0
		for id := range spans {
			if !found[id] {
				n++
			}
		}
		if n == 0 || time.Now().After(deadline) {
			return n
		}
	}
}

// journal reads which spans ended by then: their traces by their own ids.
func journal(t *testing.T, path string, until time.Time) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spans := map[string]string{}
	for line := range strings.Lines(string(text)) {
		var at int64
		var traceID, spanID string
		if n, _ := fmt.Sscan(line, &at, &traceID, &spanID); n == 3 && at <= until.UnixNano() {
			spans[spanID] = traceID
		}
	}
	return spans
}

// stored are the ids of the spans that Jaeger has of those traces.
func stored(t *testing.T, server *jaeger.Server, spans map[string]string) map[string]bool {
	t.Helper()
	asked, found := map[string]bool{}, map[string]bool{}
	for _, id := range spans {
		if asked[id] {
			continue
		}
		asked[id] = true
		trace, err := server.Trace(t.Context(), id)
		if err != nil {
			continue // one that Jaeger does not have
		}
		for _, s := range trace.Spans {
			found[s.SpanID] = true
		}
	}
	return found
}
