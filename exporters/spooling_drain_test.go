// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"

	"github.com/toolscope/toolscope/exporters"
)

var backlog = flag.Int64("backlog", 0, "how many MiB TestDrain has to send")

// spoolDrain is the directory that this test binary, run again, sends.
const spoolDrain = "TOOLSCOPE_EXPORTERS_DRAIN"

func init() {
	if dir := os.Getenv(spoolDrain); dir != "" {
		drain(dir)
		os.Exit(0)
	}
}

// drain sends a directory, and prints for how long and with how much memory.
func drain(dir string) {
	began := time.Now()
	p, err := exporters.Setup(context.Background(), exporters.Options{SpoolDir: dir, RingSpans: -1,
		Spool: exporters.SpoolOptions{MaxBytes: 8 << 30}})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		err = p.Flush(ctx)
	}
	took := time.Since(began)
	status, _ := os.ReadFile("/proc/self/status")
	_, resident, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	_, _ = fmt.Sscan(resident, &kib)
	fmt.Println(took.Nanoseconds(), kib, err)
}

// delayed takes spans after a while, as one that is far away.
type delayed struct {
	spanCounter
	after time.Duration
}

func (d *delayed) Export(ctx context.Context,
	r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	time.Sleep(d.after) // is the round trip
	return d.spanCounter.Export(ctx, r)
}

// TestDrain sends a backlog, and compares that with one connection that has one request under way, of as many
// spans as OpenTelemetry's exporter sends: near, and at a round trip of 200 ms. Run it with make drain.
func TestDrain(t *testing.T) {
	if *backlog == 0 {
		t.Skip("want -backlog N, and a quiet machine")
	}
	complaints(t)
	stub := tracetest.SpanStub{Name: "execute_tool search",
		Attributes: []attribute.KeyValue{attribute.String("gen_ai.tool.call.result", strings.Repeat("r", 900))}}
	var batch tracetest.SpanStubs
	for range 512 {
		batch = append(batch, stub)
	}
	for _, c := range []struct {
		after time.Duration
		bytes int64
		atAll float64 // how many times as fast it has to be
	}{{0, *backlog << 20, 1}, {200 * time.Millisecond, min(*backlog<<20, 128<<20), 8}} {
		d := &delayed{after: c.after}
		address, dir := serveTraces(t, d), t.TempDir()
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+refused)
		p := setup(t, exporters.Options{SpoolDir: dir, RingSpans: -1,
			Spool: exporters.SpoolOptions{WriteAhead: true, MaxBytes: 8 << 30}})
		want := 0
		for p.Spool().Stats().Bytes < c.bytes {
			if err := p.Spool().ExportSpans(t.Context(), batch.Snapshots()); err != nil {
				t.Fatal(err)
			}
			want += len(batch)
		}
		bytes := p.Spool().Stats().Bytes
		if err := p.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}

		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
		one := oneInFlight(t, batch.Snapshots(), 5*time.Second)
		before := d.spans.Load()
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), spoolDrain+"="+dir)
		out, err := cmd.Output()
		var nanos int64
		var kib int
		var failed string
		if n, _ := fmt.Sscan(string(out), &nanos, &kib, &failed); err != nil || n != 3 || failed != "<nil>" {
			t.Fatalf("got %q, %v", out, err)
		}
		arrived := d.spans.Load()
		one = (one + oneInFlight(t, batch.Snapshots(), 5*time.Second)) / 2 // before and after: a machine's other work changes
		rate := float64(want) / time.Duration(nanos).Seconds()
		t.Logf("round trip %v: %d MiB, %d spans, %.0f a second, %.1f times one request in flight (%.0f), %d MiB resident",
			c.after, bytes>>20, want, rate, rate/one, one, kib>>10)
		if got := arrived - before; got != int64(want) || rate < c.atAll*one || kib > 100<<10 {
			t.Errorf("got %d of %d spans; want %g times one request in flight, and at most 100 MiB", got, want, c.atAll)
		}
	}
}

// oneInFlight is how many spans a second OpenTelemetry's exporter sends, one request after the other.
func oneInFlight(t *testing.T, batch []sdktrace.ReadOnlySpan, length time.Duration) float64 {
	t.Helper()
	e, err := otlptracegrpc.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Shutdown(context.Background()) }()
	sent, began := 0, time.Now()
	for ; time.Since(began) < length; sent += len(batch) {
		if err := e.ExportSpans(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	return float64(sent) / time.Since(began).Seconds()
}
