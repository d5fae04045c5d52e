// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/toolscope/toolscope/exporters/spool"
	"github.com/toolscope/toolscope/stats"
)

// aheadDelay makes a span that has ended be on disk within 100 ms.
const aheadDelay = 50 * time.Millisecond

// batching is how spans are put together for an exporter.
func (p *Providers) batching(o *Options) BatchOptions {
	if p.Spool != nil && o.Spool.WriteAhead && get("OTEL_BSP_SCHEDULE_DELAY") == "" {
		return BatchOptions{Delay: aheadDelay}
	}
	return BatchOptions{}
}

// spooled makes the exporter that keeps what the client's destination does not take.
func (p *Providers) spooled(o *Options, client otlptrace.Client, kind string) (sdktrace.SpanExporter, error) {
	options := o.Spool
	if _, value := forSignal("TRACES", "TIMEOUT"); options.Timeout == 0 && value != "" {
		ms, _ := strconv.Atoi(value) // checked
		options.Timeout = time.Duration(ms) * time.Millisecond
	}
	s, err := spool.New(o.SpoolDir, &watchedClient{client, p.watched(nil, kind)}, options)
	if err != nil {
		return nil, fmt.Errorf("exporters: Options.Spool: %w", err)
	}
	p.Spool = s
	return s, nil
}

// otlpClient is a client that leaves it to the spool to try again.
func (p *Providers) otlpClient() (otlptrace.Client, error) {
	if protocol("TRACES") == grpcProtocol {
		return &lazyClient{Client: otlptracegrpc.NewClient(
			otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}),
			// gRPC's own pauses between connections grow to two minutes.
			otlptracegrpc.WithDialOption(grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 500 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
				MinConnectTimeout: 5 * time.Second,
			})))}, nil
	}
	client, err := p.httpClient("TRACES")
	if err != nil {
		return nil, err
	}
	client.Transport = spool.Transport(client.Transport)
	return &lazyClient{Client: otlptracehttp.NewClient(otlptracehttp.WithHTTPClient(client), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))}, nil
}

// A watchedClient is watched at the requests that a spool sends.
type watchedClient struct {
	otlptrace.Client
	watch *watch
}

func (w *watchedClient) UploadTraces(ctx context.Context, all []*tracepb.ResourceSpans) error {
	n := 0
	for _, r := range all {
		for _, s := range r.GetScopeSpans() {
			n += len(s.GetSpans())
		}
	}
	return w.watch.through(ctx, n, func() error { return w.Client.UploadTraces(ctx, all) })
}

// keyReason says why the spool dropped spans.
const keyReason = attribute.Key("toolscope.self.reason")

// observeSpool makes the metrics about the spool, if there is one.
func (p *Providers) observeSpool(m metric.Meter) error {
	if p.Spool == nil {
		return nil
	}
	bytes, e1 := m.Int64ObservableUpDownCounter("toolscope.self.spool.size", metric.WithUnit("By"),
		metric.WithDescription("The size of what the spool keeps on disk."))
	waiting, e2 := m.Int64ObservableUpDownCounter("toolscope.self.spool.waiting", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that wait to be sent, on disk or in memory."))
	dropped, e3 := m.Int64ObservableCounter("toolscope.self.spool.dropped", metric.WithUnit("{span}"),
		metric.WithDescription("The number of spans that the spool had to give up."))
	if err := errors.Join(e1, e2, e3); err != nil {
		return err
	}
	registration, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := p.Spool.Stats()
		o.ObserveInt64(bytes, s.Bytes)
		o.ObserveInt64(waiting, int64(s.Spans+s.MemorySpans))
		for reason, n := range s.Dropped {
			o.ObserveInt64(dropped, int64(n), metric.WithAttributes(keyReason.String(string(reason))))
		}
		return nil
	}, bytes, waiting, dropped)
	if err != nil {
		return err
	}
	others := p.unwatch
	p.unwatch = func() { others(); _ = registration.Unregister() }
	return nil
}

// spoolComponent tells how a spool is.
func spoolComponent(s spool.Stats) stats.Component {
	waits := 0.0
	if !s.Oldest.IsZero() {
		waits = time.Since(s.Oldest).Seconds()
	}
	c := stats.Component{Name: "spool", Figures: []stats.Figure{
		{Name: "bytes", Value: float64(s.Bytes)}, {Name: "records", Value: float64(s.Records)}, {Name: "spans", Value: float64(s.Spans)},
		{Name: "oldest_seconds", Value: waits}, {Name: "memory_bytes", Value: float64(s.MemoryBytes)}, {Name: "memory_spans", Value: float64(s.MemorySpans)},
		{Name: "delivered", Value: float64(s.Delivered)}, {Name: "replayed", Value: float64(s.Replayed)},
		{Name: "torn", Value: float64(s.Torn)}, {Name: "corrupt", Value: float64(s.Corrupt)}, {Name: "foreign", Value: float64(s.Foreign)},
	}}
	for _, reason := range slices.Sorted(maps.Keys(s.Dropped)) {
		c.Figures = append(c.Figures, stats.Figure{Name: "dropped_" + string(reason), Value: float64(s.Dropped[reason])})
	}
	if !s.FailingSince.IsZero() {
		c.Problems = append(c.Problems, fmt.Sprintf("the destination fails since %s: %s", s.FailingSince.UTC().Format(time.RFC3339), s.LastError))
	}
	if s.DiskError != "" {
		c.Problems = append(c.Problems, fmt.Sprintf("the disk fails since %s: %s", s.DiskSince.UTC().Format(time.RFC3339), s.DiskError))
	}
	return c
}
