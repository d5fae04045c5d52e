// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/toolscope/toolscope/exporters"
)

// A spanCounter is a destination that counts spans.
type spanCounter struct {
	collector.UnimplementedTraceServiceServer
	spans atomic.Int64
}

func (c *spanCounter) Export(_ context.Context,
	r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	for _, resource := range r.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans.Add(int64(len(scope.GetSpans())))
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// serveTraces serves OTLP over gRPC until the test ends, and returns the address.
func serveTraces(t *testing.T, to collector.TraceServiceServer) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	collector.RegisterTraceServiceServer(s, to)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-ended })
	return l.Addr().String()
}

// With a spool and a destination that works, no span is lost, however fast they end: the disk is the
// queue.
func TestSpoolTakesEveryBurst(t *testing.T) {
	result := attribute.String("gen_ai.tool.call.result", strings.Repeat("r", 500))
	for _, ahead := range []bool{false, true} {
		for _, n := range []int{5_000, 60_000, 100_000} {
			t.Run(fmt.Sprintf("%d write ahead %t", n, ahead), func(t *testing.T) {
				complaints(t)
				d := new(spanCounter)
				t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+serveTraces(t, d))
				p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: exporters.SpoolOptions{WriteAhead: ahead}})
				tracer := p.TracerProvider.Tracer("burst")
				var all sync.WaitGroup
				for range 4 {
					all.Go(func() {
						for range n / 4 {
							_, span := tracer.Start(t.Context(), "execute_tool search")
							span.SetAttributes(result)
							span.End()
						}
					})
				}
				all.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := p.Flush(ctx); err != nil {
					t.Errorf("Flush: %v", err)
				}
				if got := d.spans.Load(); got != int64(n) || len(p.Spool().Stats().Dropped) != 0 {
					t.Errorf("got %d of %d spans, %+v", got, n, p.Spool().Stats())
				}
			})
		}
	}
}

// A trace that the tail sampler keeps arrives whole, and so do many that end at the same time.
func TestSampledTracesArriveWhole(t *testing.T) {
	complaints(t)
	d := new(spanCounter)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+serveTraces(t, d))
	p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{}})
	tracer := p.TracerProvider.Tracer("large")
	want := 0
	for _, size := range []int{2_502, 10, 10, 10} {
		ctx, root := tracer.Start(t.Context(), "invoke_agent planner")
		for range size - 1 {
			_, span := tracer.Start(ctx, "execute_tool search")
			span.End()
		}
		root.SetStatus(codes.Error, "failed")
		root.End()
		want += size
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if got := d.spans.Load(); got != int64(want) {
		t.Errorf("got %d of %d spans", got, want)
	}
}
