// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	otelcodes "go.opentelemetry.io/otel/codes"
	tracesv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters"
)

// picky is a collector that refuses spans, as invalid, until it is well.
type picky struct {
	tracesv1.UnimplementedTraceServiceServer
	well  atomic.Bool
	spans atomic.Int64
}

func (p *picky) Export(_ context.Context, r *tracesv1.ExportTraceServiceRequest) (*tracesv1.ExportTraceServiceResponse, error) {
	if len(r.GetResourceSpans()) > 0 && !p.well.Load() {
		return nil, status.Error(codes.InvalidArgument, "no")
	}
	for _, resource := range r.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			p.spans.Add(int64(len(scope.GetSpans())))
		}
	}
	return new(tracesv1.ExportTraceServiceResponse), nil
}

// leaveSpans leaves n spans of a program in a directory, sent to an address, and returns the program.
func leaveSpans(t *testing.T, dir, address string, n int) *exporters.Providers {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
	p, err := exporters.Setup(t.Context(), exporters.Options{SpoolDir: dir,
		Spool: exporters.SpoolOptions{WriteAhead: true, MinBackoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
	for range n {
		_, span := p.TracerProvider.Tracer("test").Start(t.Context(), "work")
		span.SetStatus(otelcodes.Error, "no")
		span.End()
	}
	return p
}

// What waits and what was rejected is listed, shown, sent and deleted; what a running program has is
// left to it.
func TestSpoolCommand(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "") // which --otlp sets for the process
	t.Setenv("OTEL_SDK_DISABLED", "")
	dir := filepath.Join(t.TempDir(), "spool")
	spool := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(append([]string{"spool"}, append(args, dir)...), strings.NewReader(""), &out, &errs)
		return code, strings.Join(strings.Fields(out.String()+errs.String()), " ")
	}
	expect := func(code int, wants []string, args ...string) {
		t.Helper()
		got, text := spool(args...)
		for _, want := range wants {
			if got != code || !strings.Contains(text, want) {
				t.Errorf("%v: got %d, %s; want %d, %q", args, got, text, code, want)
			}
		}
	}
	expect(exitError, []string{"no such file"}, "list")
	expect(exitError, []string{"no such file"}, "retry")
	t.Setenv("OTEL_CONFIG_FILE", "otel.yaml")
	expect(exitUsage, []string{"--otlp: got it together with OTEL_CONFIG_FILE"}, "retry", "--otlp", "http://127.0.0.1:1")
	t.Setenv("OTEL_CONFIG_FILE", "")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, server := new(picky), grpc.NewServer()
	tracesv1.RegisterTraceServiceServer(server, p)
	go func() { _ = server.Serve(l) }()
	defer server.Stop()

	first := leaveSpans(t, dir, l.Addr().String(), 3)
	for end := time.Now().Add(30 * time.Second); first.Ledger()[0].Dropped["rejected"] != 3; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %v, want all rejected", first.Ledger())
		}
	}
	expect(exitOK, []string{"its program runs", "rejected 3 3"}, "list")
	expect(exitError, []string{"running process", "0 spans deleted"}, "purge", "--rejected")
	expect(exitError, []string{"running process"}, "retry")
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := leaveSpans(t, dir, "127.0.0.1:1", 2).Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(exitOK, []string{"its program has ended", "the destination refused them"}, "list")
	expect(exitOK, []string{`"spans":2`, `"name":"rejected"`}, "list", "--json")
	expect(exitOK, []string{`"name":"work"`}, "show")
	expect(exitOK, []string{`"name":"work"`}, "show", "--rejected")
	expect(exitUsage, []string{"want what to delete"}, "purge")
	expect(exitUsage, []string{"want list, show, retry or purge"}, "clear")

	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	expect(exitError, []string{"OTEL_EXPORTER_OTLP_ENDPOINT: got none", "--otlp URL"}, "retry")
	expect(exitError, []string{"5 spans found, 0 delivered, 0 on disk, 5 rejected or lost"}, "retry", "--otlp",
		"http://"+l.Addr().String())
	expect(exitError, []string{"5 spans found, 0 delivered, 5 on disk"}, "retry", "--otlp", "http://127.0.0.1:1")
	if _, text := spool("retry", "--otlp", "http://127.0.0.1:1"); strings.Contains(text, "metrics") {
		t.Errorf("retry: got %s, want only spans sent", text)
	}
	p.well.Store(true)
	expect(exitOK, []string{"5 spans found, 5 delivered"}, "retry", "--otlp", "http://"+l.Addr().String())
	if n := p.spans.Load(); n != 5 {
		t.Errorf("got %d spans at the collector, want 5", n)
	}
	expect(exitOK, []string{"nothing waits, and nothing was rejected"}, "list")
	running := leaveSpans(t, dir, "127.0.0.1:1", 2)
	if err := running.Flush(t.Context()); err == nil {
		t.Error("Flush: got no error, though nothing listens")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	expect(exitError, []string{"0 spans found", "a running process, which sends them itself", "end it first"},
		"retry", "--otlp", "http://"+l.Addr().String())
	if err := running.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(exitOK, []string{"waiting: 2 spans deleted", "rejected: 0 spans deleted"}, "purge", "--waiting", "--rejected")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
		t.Errorf("got %v, %v, want nothing left but the folder of rejected spans", entries, err)
	}
}
