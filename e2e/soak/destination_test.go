// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters"
)

// ended is a span processor that counts the spans that ended, and knows which of them have not arrived yet:
// so many ids as are on their way, however long the soak is.
type ended struct {
	spans   atomic.Uint64
	mu      sync.Mutex
	pending map[trace.SpanID]struct{} // from their start on
}

func (e *ended) OnStart(_ context.Context, s sdktrace.ReadWriteSpan) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pending == nil {
		e.pending = make(map[trace.SpanID]struct{})
	}
	e.pending[s.SpanContext().SpanID()] = struct{}{}
}
func (e *ended) OnEnd(sdktrace.ReadOnlySpan)    { e.spans.Add(1) }
func (*ended) Shutdown(context.Context) error   { return nil }
func (*ended) ForceFlush(context.Context) error { return nil }

// arrived notes a span that arrived, and reports whether it is the first time.
func (e *ended) arrived(id []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := len(e.pending)
	delete(e.pending, trace.SpanID(id))
	return len(e.pending) < before
}

// missing is how many spans have not arrived.
func (e *ended) missing() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.pending)
}

// A collector is a destination that counts spans, and does not take any at times. Delivery is at least once: a
// request whose answer is too late is sent again, so that spans count by their ids.
type collector struct {
	collectorpb.UnimplementedTraceServiceServer
	ended            ended
	spans, duplicate atomic.Uint64
	mood             atomic.Int32
	server           *grpc.Server
	done             sync.WaitGroup
}

// The moods of a collector.
const (
	well int32 = iota
	stalls
	overloaded
)

// stall is how long a collector that stalls takes for an answer, and how long the machine is kept busy.
const stall = 1500 * time.Millisecond

func (c *collector) Export(ctx context.Context,
	r *collectorpb.ExportTraceServiceRequest) (*collectorpb.ExportTraceServiceResponse, error) {
	switch c.mood.Load() {
	case stalls:
		select {
		case <-time.After(stall):
		case <-ctx.Done():
		}
		return nil, status.Error(codes.Unavailable, "stalled")
	case overloaded:
		return nil, status.Error(codes.Unavailable, "overloaded")
	}
	for _, resource := range r.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				if c.ended.arrived(span.GetSpanId()) {
					c.spans.Add(1)
				} else {
					c.duplicate.Add(1)
				}
			}
		}
	}
	return new(collectorpb.ExportTraceServiceResponse), nil
}

const tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

// newCollector serves a collector, which is where the environment sends traces from now on.
func newCollector() (*collector, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &collector{server: grpc.NewServer()}
	collectorpb.RegisterTraceServiceServer(c.server, c)
	c.done.Go(func() { _ = c.server.Serve(l) })
	return c, os.Setenv(tracesEndpoint, "http://"+l.Addr().String())
}

func (c *collector) close() {
	_ = os.Unsetenv(tracesEndpoint)
	c.server.Stop()
	c.done.Wait()
}

// stallAtTimes makes the collector stall and refuse, and keeps every processor busy, in turn, until the
// context is over. Then all is well.
func (c *collector) stallAtTimes(ctx context.Context) {
	defer c.mood.Store(well)
	for n := 0; ; n++ {
		c.mood.Store(well)
		if !wait(ctx, 2*stall) {
			return
		}
		switch n % 3 {
		case 0:
			c.mood.Store(stalls)
		case 1:
			c.mood.Store(overloaded)
		default:
			keepBusy(stall / 2)
			continue
		}
		if !wait(ctx, stall) {
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// keepBusy keeps every processor busy.
func keepBusy(d time.Duration) {
	var all sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for begun := time.Now(); time.Since(begun) < d; {
			}
		})
	}
	all.Wait()
}

// judge compares what ended with what arrived, each span once, and with the ledger.
func (c *collector) judge(l exporters.Ledger) error {
	n, arrived, missing := c.ended.spans.Load(), c.spans.Load(), c.ended.missing()
	fmt.Printf("spans to %v; %d arrived, and %d once more\n", l, arrived, c.duplicate.Load())
	if n == 0 || arrived != n || missing != 0 || l.Ended != n || l.Delivered != n ||
		l.InMemory+l.OnDisk+l.DroppedSpans() != 0 {
		return fmt.Errorf("%d spans ended, %d arrived, %d are missing, the ledger is %+v; want all delivered",
			n, arrived, missing, l)
	}
	return nil
}
