// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/toolscope/toolscope/exporters/internal/batch"
	"github.com/toolscope/toolscope/exporters/internal/spool"
	"github.com/toolscope/toolscope/stats"
)

// aheadDelay makes a span that has ended be on disk within 100 ms.
const aheadDelay = 50 * time.Millisecond

// The queue in front of a spool, and behind a tail sampler, which hands over whole traces at once.
const (
	deepSpans = 1 << 16
	deepBytes = 32 << 20
	// roomPatience is how long the end of a span waits for a spool that takes no batch at all. A
	// disk that hangs costs one such wait: the next spans do not wait.
	roomPatience = time.Second
)

// batching is how spans are put together for an exporter: as its file says, else as the environment does.
func (p *Providers) batching(o *Options, e sdktrace.SpanExporter) batch.Options {
	b, declared := p.declared[e]
	unset := func(variable string) bool { return declared || get(variable) == "" }
	if p.spool != nil || p.sampler != nil {
		b.MaxBytes = deepBytes
		if b.MaxQueue == 0 && unset("OTEL_BSP_MAX_QUEUE_SIZE") {
			b.MaxQueue = deepSpans
		}
	}
	if p.spool != nil {
		b.Patience = roomPatience
		if o.Spool.WriteAhead && b.Delay == 0 && unset("OTEL_BSP_SCHEDULE_DELAY") {
			b.Delay = aheadDelay
		}
	}
	if declared {
		b = b.WithDefaults()
	}
	return b
}

// spooled makes the exporter that keeps what the client's destination does not take. A request may take as long
// as the options say, else the timeout, if it is not 0.
func (p *Providers) spooled(o *Options, client otlptrace.Client, kind string,
	timeout time.Duration) (sdktrace.SpanExporter, error) {
	options := spool.Options(o.Spool)
	options.Timeout = cmp.Or(options.Timeout, timeout)
	s, err := spool.New(o.SpoolDir, &watchedClient{client, p.watched(nil, kind)}, options)
	if err != nil {
		return nil, fmt.Errorf("exporters: Options.Spool: %w", err)
	}
	p.rejected = &rejected{dir: filepath.Join(o.SpoolDir, RejectedDir)}
	s.SetRejected(p.rejected.write)
	p.spool, p.spoolDir = s, o.SpoolDir
	return s, nil
}

// otlpClient is the client that the variables describe.
func (p *Providers) otlpClient(once bool) (otlptrace.Client, error) {
	if protocol("TRACES") == grpcProtocol {
		return spansOverGRPC(once), nil
	}
	client, err := p.httpClient("TRACES")
	if err != nil {
		return nil, err
	}
	return spansOverHTTP(client, once), nil
}

// spansOverGRPC is a client over gRPC. One that sends once leaves it to the spool to try again.
func spansOverGRPC(once bool, options ...otlptracegrpc.Option) otlptrace.Client {
	if once {
		options = append(options, otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}),
			// gRPC's own pauses between connections grow to two minutes.
			otlptracegrpc.WithDialOption(grpc.WithConnectParams(grpc.ConnectParams{
				Backoff: backoff.Config{BaseDelay: 500 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
					MaxDelay: 5 * time.Second},
				MinConnectTimeout: 5 * time.Second,
			})))
	}
	return otlptracegrpc.NewClient(options...)
}

// spansOverHTTP is the same over HTTP.
func spansOverHTTP(client *http.Client, once bool, options ...otlptracehttp.Option) otlptrace.Client {
	options = append(options, otlptracehttp.WithHTTPClient(client))
	if once {
		options = append(options, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	}
	return otlptracehttp.NewClient(options...)
}

// A watchedClient is watched at the requests that a spool sends.
type watchedClient struct {
	otlptrace.Client
	watch *watch
}

func (w *watchedClient) UploadTraces(ctx context.Context, all []*tracepb.ResourceSpans) error {
	return w.watch.through(ctx, spool.Count(all), func() error { return w.Client.UploadTraces(ctx, all) })
}

// OnlyEncodes reports whether the client is OpenTelemetry's.
func (w *watchedClient) OnlyEncodes() bool {
	_, ok := w.Client.(*lazyClient)
	return ok
}

// spooling is the spool as a part.
type spooling struct{ *spool.Spool }

func (s spooling) observe(o *observation) {
	n := s.Stats()
	o.addValue(o.size, n.Bytes, nil, "")
	o.addValue(o.waiting, int64(n.Spans+n.MemorySpans), nil, "")
	for reason, dropped := range n.Dropped {
		o.addValue(o.dropped, int64(dropped), []attribute.KeyValue{keyReason.String(string(reason))}, "")
	}
}

func (s spooling) component() stats.Component {
	n, waits := s.Stats(), 0.0
	if !n.Oldest.IsZero() {
		waits = time.Since(n.Oldest).Seconds()
	}
	c := stats.Component{Name: "spool", Figures: []stats.Figure{
		figure("bytes", n.Bytes), figure("records", n.Records), figure("spans", n.Spans), figure("oldest_seconds", waits),
		figure("memory_bytes", n.MemoryBytes), figure("memory_spans", n.MemorySpans), figure("delivered", n.Delivered),
		figure("replayed", n.Replayed), figure("torn", n.Torn), figure("corrupt", n.Corrupt), figure("foreign", n.Foreign),
	}}
	for _, reason := range slices.Sorted(maps.Keys(n.Dropped)) {
		c.Figures = append(c.Figures, figure("dropped_"+string(reason), n.Dropped[reason]))
	}
	if !n.FailingSince.IsZero() {
		since := n.FailingSince.UTC().Format(time.RFC3339)
		c.Problems = append(c.Problems, fmt.Sprintf("the destination fails since %s: %s", since, n.LastError))
	}
	if n.Torn+n.Corrupt > 0 {
		c.Problems = append(c.Problems, fmt.Sprintf(
			"files were damaged: %d ends were torn and %d parts unreadable; spans in them that could be counted are in "+
				"dropped_lost", n.Torn, n.Corrupt))
	}
	if n.DiskError != "" {
		c.Problems = append(c.Problems,
			fmt.Sprintf("the disk fails since %s: %s", n.DiskSince.UTC().Format(time.RFC3339), n.DiskError))
	}
	return c
}
