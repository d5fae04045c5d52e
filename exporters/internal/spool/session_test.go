// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/retention"
)

// of are spans of a trace; those whose session is not "" say so, by one attribute or the other.
func of(id byte, session string, names ...string) (spans []sdktrace.ReadOnlySpan) {
	for i, name := range names {
		stub := tracetest.SpanStub{Name: name,
			SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{id}, SpanID: trace.SpanID{id, byte(i + 1)}})}
		if session != "" {
			stub.Attributes = []attribute.KeyValue{attribute.String(retention.SessionKeys[i%len(retention.SessionKeys)], session)}
		}
		spans = append(spans, stub.Snapshot())
	}
	return spans
}

func TestDeleteSession(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	s, disk := faulty(t, dir, d, quick(Options{WriteAhead: true}))
	defer shut(t, s)
	put := func(spans ...[]sdktrace.ReadOnlySpan) {
		t.Helper()
		for _, batch := range spans {
			if err := s.ExportSpans(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(of(1, "", "child of x"), of(1, "x", "x one", "x two"), of(2, "y", "y one"),
		slices.Concat(of(2, "", "child of y"), of(1, "y", "y in the trace of x")))
	full := error(syscall.ENOSPC)
	disk.Store(&full)
	put(of(1, "", "child of x in memory"), of(3, "y", "y in memory"))
	disk.Store(nil)

	n, err := s.DeleteSession(t.Context(), "x", "")
	if err != nil || n != 4 {
		t.Errorf("got %d, %v, want 4 spans", n, err)
	}
	for _, name := range files(t, dir) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("x one")) || bytes.Contains(data, []byte("child of x")) {
			t.Errorf("%s still holds the session", name)
		}
	}
	if got := s.Stats(); got.Dropped[DroppedSession] != 4 || got.Spans+got.MemorySpans != 4 {
		t.Errorf("Stats: got %+v", got)
	}
	if n, err := s.DeleteSession(t.Context(), "x", ""); n != 0 || err != nil {
		t.Errorf("again: got %d, %v, want 0", n, err)
	}
	d.set(nil)
	d.expect(t, []string{"y one", "child of y", "y in the trace of x", "y in memory"})
	put(of(2, "y", "after"))
	d.expect(t, []string{"y one", "child of y", "y in the trace of x", "y in memory", "after"})
	if _, err := s.DeleteSession(t.Context(), "", ""); err == nil {
		t.Error("without an id: got no error")
	}
}

// The same id of another tenant is another session.
func TestDeleteSessionOfATenant(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	var spans tracetest.SpanStubs
	for i, tenant := range []string{"acme", "other", ""} {
		stub := tracetest.SpanStub{Name: "of " + tenant,
			Attributes: []attribute.KeyValue{attribute.String(retention.SessionKeys[0], "x")},
			SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{byte(i + 1)}})}
		if tenant != "" {
			stub.Attributes = append(stub.Attributes, attribute.String(retention.TenantKey, tenant))
		}
		spans = append(spans, stub)
	}
	if err := s.ExportSpans(t.Context(), spans.Snapshots()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteSession(t.Context(), "x", "acme"); n != 1 || err != nil {
		t.Errorf("got %d, %v, want 1 span", n, err)
	}
	d.set(nil)
	d.expect(t, []string{"of other", "of "})
}

// What was sent already, but is still in a file with what was not, goes as well.
func TestDeleteSessionThatWasSent(t *testing.T) {
	dir, d := t.TempDir(), new(destination)
	// The first request goes through when it may, and the others fail.
	gate := make(chan struct{})
	d.set(func(_ context.Context, names []string) error {
		if slices.Contains(names, "x sent") {
			<-gate
			return nil
		}
		return errDown
	})
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	if err := s.ExportSpans(t.Context(), of(1, "x", "x sent")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the request is under way", func() bool { return d.count() == 1 })
	if err := s.ExportSpans(t.Context(), of(2, "", "stays")); err != nil {
		t.Fatal(err)
	}
	close(gate)
	eventually(t, "the first is sent", func() bool { return s.Stats().Spans == 1 })
	holds := func() bool {
		for _, name := range files(t, dir) {
			if data, _ := os.ReadFile(name); bytes.Contains(data, []byte("x sent")) {
				return true
			}
		}
		return false
	}
	if !holds() {
		t.Fatal("the file no longer has what was sent: the test tests nothing")
	}
	if n, err := s.DeleteSession(t.Context(), "x", ""); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing that waited", n, err)
	}
	if holds() {
		t.Error("the session is still on disk")
	}
	d.set(nil)
	d.expect(t, []string{"x sent", "stays"})
}

func TestDeleteSessionInADirectory(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	for _, batch := range [][]sdktrace.ReadOnlySpan{of(1, "x", "x one"), of(2, "y", "y one")} {
		if err := s.ExportSpans(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := DeleteSession(t.Context(), dir, "x", ""); n != 0 || !errors.Is(err, ErrHeld) {
		t.Errorf("while a process runs: got %d, %v, want ErrHeld", n, err)
	}
	shut(t, s)
	if n, err := DeleteSession(t.Context(), dir, "x", ""); n != 1 || err != nil {
		t.Errorf("got %d, %v, want 1 span", n, err)
	}
	if n, err := DeleteSession(t.Context(), dir, "x", ""); n != 0 || err != nil {
		t.Errorf("again: got %d, %v, want 0", n, err)
	}
	if _, err := DeleteSession(t.Context(), dir+"/none", "x", ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no directory: got %v", err)
	}
	again := new(destination)
	open(t, dir, again, quick(Options{}))
	again.expect(t, []string{"y one"})
}

// What was read ahead while a request was under way is not sent after its session is deleted.
func TestDeleteSessionThatWasReadAhead(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		may := make(chan struct{})
		d := &destination{answer: func(context.Context, []string) error { <-may; return nil }}
		s := open(t, dir, d, quick(Options{WriteAhead: true}))
		const records, deleted = 6, 2
		for i := range byte(records) {
			session := ""
			if i == deleted {
				session = "x"
			}
			if err := s.ExportSpans(t.Context(), of(i+1, session, numbered(session, maxMerged)...)); err != nil {
				t.Fatal(err)
			}
		}
		may <- struct{}{} // the request of the first record; with the next one the third is read
		synctest.Wait()
		sending, err := ask(t.Context(), s.disk, func(st *store) (n int, _ error) {
			for _, e := range st.lists[others][0].index {
				if e.sending {
					n++
				}
			}
			return n, nil
		}, nil)
		if err != nil || sending != 2 {
			t.Fatalf("got %d records, %v, want one that is being sent and one read ahead", sending, err)
		}
		var n int
		var ended sync.WaitGroup
		ended.Go(func() { n, err = s.DeleteSession(t.Context(), "x", "") })
		synctest.Wait() // it waits for the request
		close(may)
		ended.Wait()
		time.Sleep(time.Minute)
		if err != nil || n != maxMerged {
			t.Errorf("got %d, %v, want %d spans deleted", n, err, maxMerged)
		}
		names, stats := d.names(), s.Stats()
		if len(names) != (records-1)*maxMerged || slices.Contains(names, "x0") || stats.Spans != 0 {
			t.Errorf("got %d spans, %+v, want all but those of the session", len(names), stats)
		}
	})
}
