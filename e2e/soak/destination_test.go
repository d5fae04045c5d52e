// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters"
)

// A tally counts spans, and adds up their ids: two tallies are the same if they counted the same
// spans.
type tally struct{ spans, ids atomic.Uint64 }

func (t *tally) addSpan(id []byte) {
	t.spans.Add(1)
	t.ids.Add(binary.BigEndian.Uint64(id))
}

// ended is a span processor that counts the spans that ended.
type ended struct{ tally }

func (*ended) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (e *ended) OnEnd(s sdktrace.ReadOnlySpan) {
	id := s.SpanContext().SpanID()
	e.addSpan(id[:])
}
func (*ended) Shutdown(context.Context) error   { return nil }
func (*ended) ForceFlush(context.Context) error { return nil }

// A collector is a destination that counts spans, and does not take any at times.
type collector struct {
	collectorpb.UnimplementedTraceServiceServer
	tally
	mood   atomic.Int32
	server *grpc.Server
	done   sync.WaitGroup
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
				c.addSpan(span.GetSpanId())
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

// judge compares what ended with what arrived, and with the ledger.
func (c *collector) judge(e *ended, l exporters.Ledger) error {
	fmt.Printf("spans to %v; %d arrived\n", l, c.spans.Load())
	if n := e.spans.Load(); n == 0 || c.spans.Load() != n || c.ids.Load() != e.ids.Load() ||
		l.Ended != n || l.Delivered != n || l.InMemory+l.OnDisk+l.DroppedSpans() != 0 {
		return fmt.Errorf("%d spans ended, %d arrived, the ledger is %+v; want all delivered", n, c.spans.Load(), l)
	}
	return nil
}
