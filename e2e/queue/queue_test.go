// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters"
)

// spans is how many end during a fault, batch how many of them the Collector gets in one request, and fault
// for how long the destination then still has it.
const (
	spans = 5_000
	batch = 100
	fault = 5 * time.Second
)

// A destination counts the spans that it takes.
type destination struct {
	collectorpb.UnimplementedTraceServiceServer
	mu     sync.Mutex
	code   codes.Code // of every answer; OK takes what comes
	taken  map[string]bool
	server *grpc.Server
}

func (d *destination) Export(_ context.Context,
	r *collectorpb.ExportTraceServiceRequest) (*collectorpb.ExportTraceServiceResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.code != codes.OK {
		return nil, status.Error(d.code, "as asked")
	}
	for _, resource := range r.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				d.taken[string(span.GetTraceId())+string(span.GetSpanId())] = true
			}
		}
	}
	return new(collectorpb.ExportTraceServiceResponse), nil
}

func (d *destination) be(code codes.Code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.code = code
}

func (d *destination) arrived() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.taken)
}

// vacant is an address without a listener.
func vacant(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (d *destination) serve(t *testing.T, address string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	d.server = grpc.NewServer()
	collectorpb.RegisterTraceServiceServer(d.server, d)
	go func() { _ = d.server.Serve(l) }()
	t.Cleanup(d.server.Stop)
}

// config is a Collector whose queue is on disk, which never gives up what is worth another try.
const config = `
extensions:
  file_storage: {directory: %q, fsync: false}
receivers:
  otlp: {protocols: {grpc: {endpoint: %q}}}
exporters:
  otlp:
    endpoint: %q
    tls: {insecure: true}
    sending_queue: {storage: file_storage, queue_size: 100000, num_consumers: 10}
    retry_on_failure: {initial_interval: 500ms, max_interval: 5s, max_elapsed_time: 0}
service:
  telemetry: {metrics: {level: none}}
  extensions: [file_storage]
  pipelines: {traces: {receivers: [otlp], exporters: [otlp]}}
`

// start starts a Collector.
func start(t *testing.T, binary, file, address string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, "--config", "file:"+file)
	log, err := os.OpenFile(file+".log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return cmd
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(file + ".log")
			t.Fatalf("the Collector does not answer: %v\n%s", err, text)
		}
	}
}

// send sends spans to a Collector, which takes all of them.
func send(t *testing.T, address string) {
	t.Helper()
	c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n := range spans / batch {
		var all []*tracepb.Span
		for i := range batch {
			id := binary.BigEndian.AppendUint64(nil, uint64(n*batch+i+1))
			all = append(all, &tracepb.Span{TraceId: append(id, id...), SpanId: id, Name: "execute_tool search"})
		}
		r := &collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
			ScopeSpans: []*tracepb.ScopeSpans{{Spans: all}}}}}
		if _, err := collectorpb.NewTraceServiceClient(c).Export(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAgainstCollector prints for each fault how many spans arrive once it is over.
func TestAgainstCollector(t *testing.T) {
	binary := filepath.Join(os.Getenv("TOOLSCOPE_BIN"), "collector")
	if _, err := os.Stat(binary); err != nil || os.Getenv("TOOLSCOPE_BIN") == "" {
		t.Skip("want a Collector in TOOLSCOPE_BIN: make queue")
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // the table says it
	fmt.Println("| fault of 5 s | Collector | toolscope |\n| --- | --- | --- |")
	for _, c := range []struct {
		name string
		away bool
		kill bool
		code codes.Code
	}{
		{name: "connection refused", away: true},
		{name: "connection refused, and the Collector is killed with SIGKILL and started again", away: true, kill: true},
		{name: "`Unavailable`", code: codes.Unavailable},
		{name: "`ResourceExhausted` without `RetryInfo`", code: codes.ResourceExhausted},
		{name: "`Internal`", code: codes.Internal},
		{name: "`Unknown`", code: codes.Unknown},
		{name: "`Unauthenticated` (a token has expired)", code: codes.Unauthenticated},
		{name: "`Unimplemented` (not an OTLP port)", code: codes.Unimplemented},
		{name: "`InvalidArgument` to everything (a proxy)", code: codes.InvalidArgument},
	} {
		theirs := run(t, c.away, c.code, func(to string) (func(), func() bool) {
			at, file := vacant(t), filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, config, t.TempDir(), at, to), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := start(t, binary, file, at)
			return func() {
				send(t, at)
				if c.kill {
					_ = cmd.Process.Kill()
					_ = cmd.Wait()
					start(t, binary, file, at)
				}
			}, func() bool { return false }
		})
		ours := "see TestSpoolSurvivesKills"
		if !c.kill {
			n := run(t, c.away, c.code, func(to string) (func(), func() bool) {
				t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+to)
				p, err := exporters.Setup(t.Context(), exporters.Options{
					SpoolDir: t.TempDir(), Spool: exporters.SpoolOptions{WriteAhead: true}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
				return func() {
					for range spans {
						_, span := p.TracerProvider.Tracer("test").Start(context.Background(), "execute_tool search")
						span.End()
					}
				}, func() bool { return p.Ledger()[0].DroppedSpans() > 0 }
			})
			if n != spans {
				t.Errorf("%s: got %d of %d spans", c.name, n, spans)
			}
			ours = fmt.Sprint(n)
		}
		fmt.Printf("| %s | %d | %s |\n", c.name, theirs, ours)
	}
}

// run is how many spans arrive at a destination that has the fault while they end, and for a while longer.
func run(t *testing.T, away bool, code codes.Code, begin func(to string) (end func(), lost func() bool)) int {
	t.Helper()
	d, address := &destination{code: code, taken: make(map[string]bool)}, vacant(t)
	if !away {
		d.serve(t, address)
	}
	end, lost := begin(address)
	end()
	time.Sleep(fault) // is the fault
	if away {
		d.serve(t, address)
	}
	d.be(codes.OK)
	const patience = 40 * time.Second // longer than both wait between two requests
	for until := time.Now().Add(patience); d.arrived() < spans && !lost() && time.Now().Before(until); {
		time.Sleep(50 * time.Millisecond) // until all have come
	}
	return d.arrived()
}
