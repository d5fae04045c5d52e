// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// metricReader makes what OTEL_METRICS_EXPORTER names: otlp, none, or a name that
// autoexport knows (prometheus, console, and what the host registered). Without it,
// OTLP if an endpoint is set; nil if there is nothing to make. An endpoint that was set
// for all signals may take traces only, as Jaeger does: see optional.
func (p *Providers) metricReader(ctx context.Context) (sdkmetric.Reader, error) {
	const name = "OTEL_METRICS_EXPORTER"
	from, endpoint := endpoint("METRICS")
	asked := get(name)
	switch asked {
	case "none":
		return nil, nil
	case "otlp", "":
		if asked == "" && endpoint == "" {
			return nil, nil
		}
		e, err := p.otlpMetrics(ctx)
		if err != nil {
			return nil, fmt.Errorf("exporters: %s=otlp: %w", name, err)
		}
		if asked == "" && from == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			e = &optional{Exporter: e}
		}
		kind := semconv.OTelComponentTypeOtlpHTTPMetricExporter
		if protocol("METRICS") == grpcProtocol {
			kind = semconv.OTelComponentTypeOtlpGRPCMetricExporter
		}
		return sdkmetric.NewPeriodicReader(&watchedMetrics{e, p.watchOf("metrics", kind.Value.AsString())}), nil
	}
	reader, err := autoexport.NewMetricReader(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", wrong(name, asked, "one of otlp, prometheus, console, none, or a name "+
			"registered with autoexport"), err)
	}
	return reader, nil
}

func (p *Providers) otlpMetrics(ctx context.Context) (sdkmetric.Exporter, error) {
	if protocol("METRICS") == grpcProtocol {
		return otlpmetricgrpc.New(ctx)
	}
	client, err := p.httpClient("METRICS")
	if err != nil {
		return nil, err
	}
	return otlpmetrichttp.New(ctx, otlpmetrichttp.WithHTTPClient(client))
}

// watchedMetrics is an exporter with a watch, whose errors say what is probably wrong with the destination.
type watchedMetrics struct {
	sdkmetric.Exporter
	watch *watch
}

func (w *watchedMetrics) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	n := 0
	for _, scope := range m.ScopeMetrics {
		n += len(scope.Metrics)
	}
	return w.watch.through(ctx, n, func() error {
		return spool.Explain(ctx, func(ctx context.Context) error { return w.Exporter.Export(ctx, m) })
	})
}

// optional stops exporting, without a word, once the destination has answered that
// it has no service for metrics. Metrics were not asked for there in particular, and
// an error each minute about a Jaeger that works would only be noise.
type optional struct {
	sdkmetric.Exporter
	refused atomic.Bool
}

func (o *optional) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	if o.refused.Load() {
		return nil
	}
	err := o.Exporter.Export(ctx, m)
	if err != nil && noSuchService(err) {
		o.refused.Store(true)
		return nil
	}
	return err
}

// noSuchService reports whether err is gRPC's Unimplemented, or the HTTP exporter's
// text for a path that is not there: it has no type.
func noSuchService(err error) bool {
	return status.Code(err) == codes.Unimplemented || strings.Contains(err.Error(), ": 404 Not Found (")
}
